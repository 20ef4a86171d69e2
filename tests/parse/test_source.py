"""Files: encodings, line ends, columns, limits, syntax."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import Dim
from intent2cuda.parse import kernel_names, load_source, parse_kernel

from .texts import HEAD, parsed, refused, source

UNDEFINED = source("o[:, :] = x[:, :] + missing")


def place(found: tuple[object, ...]) -> tuple[object, ...]:
    (one,) = found
    return getattr(one, "code", None), getattr(one, "line", None), getattr(one, "column", None)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (UNDEFINED, 25),
        (UNDEFINED.replace("\n", "\r\n"), 25),
        ("\ufeff" + UNDEFINED, 25),
        (UNDEFINED.replace("    o", "\to"), 22),
        (UNDEFINED.replace("x[:, :] +", "x[:, :] + v[:] * 2.0 + "), 39),
    ],
    ids=["plain", "crlf", "byte-order-mark", "tab", "longer"],
)
def test_columns_count_characters(tmp_path: Path, text: str, column: int) -> None:
    assert place(refused(tmp_path, text)) == ("src.name.undefined", 7, column)


def test_wide_characters_are_one_column(tmp_path: Path) -> None:
    text = source("größe = x[:, :]\no[:, :] = größe + größe_fehlt")
    assert place(refused(tmp_path, text)) == ("src.name.undefined", 8, 23)


def test_a_form_feed_ends_no_line(tmp_path: Path) -> None:
    (found,) = refused(tmp_path, UNDEFINED.replace("@intent", "\x0c\n@intent"))
    assert found.line == 8
    assert "8 |     o[:, :] = x[:, :] + missing" in found.render()


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"# caf\xe9\n", "src.encoding", 1),
        (b"# -*- coding: latin-1 -*-\n", "src.encoding", 1),
        (b"a = 1\nb = '\0'\n", "src.encoding", 2),
        (b"def kernel(:\n    pass\n", "src.syntax", 1),
        (b"if True:\n        a = 1\n    b = 2\n", "src.syntax", 3),
        (b"a = (1,\n", "src.syntax", 1),
        (b"", "src.kernel.missing", None),
    ],
)
def test_unreadable_text(tmp_path: Path, data: bytes, code: str, line: int | None) -> None:
    (found,) = refused(tmp_path, data)
    assert (found.code, found.line) == (code, line)


def test_missing_file(tmp_path: Path) -> None:
    for path in (tmp_path / "none.py", tmp_path, Path("a\0b")):
        with pytest.raises(IntentError) as error:
            load_source(path)
        assert error.value.code == "src.file"


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 300 + "v[:]" + ")" * 300,
        "-" * 2000 + "v[:]",
        "v[:]" + " + 1.0" * 3000,
        "I.abs(" * 300 + "v[:]" + ")" * 300,
    ],
    ids=["brackets", "unary", "sum", "calls"],
)
def test_what_is_too_deep_is_refused_by_name(tmp_path: Path, expression: str) -> None:
    assert place(refused(tmp_path, source(f"o[:, :] = {expression}")))[:2] == ("src.limit", 7)


def test_deep_but_allowed_text_is_read_and_nothing_global_changes(tmp_path: Path) -> None:
    before = sys.getrecursionlimit(), threading.stack_size()
    kernel = parsed(tmp_path, source("o[:, :] = v[:]" + " + 1.0" * 1000))
    assert len(kernel.body.ops) > 1000
    assert (sys.getrecursionlimit(), threading.stack_size()) == before


def test_blocks_too_deep(tmp_path: Path) -> None:
    lines = ["    " * (d + 1) + f"if n > {d}:" for d in range(95)]
    body = "\n".join([*lines, "    " * 96 + "o[:] = v[:]"])
    text = f'{HEAD}@intent.kernel\ndef kernel(v: I.In[I.f32, ("N",)], o: I.Out[I.f32, ("N",)], n: I.i32):\n{body}\n'
    (found,) = refused(tmp_path, text)
    assert found.code == "src.limit"


DOUBLINGS = [
    ("p = v[0]\n" + "p = (p, p)\n" * 30 + "o[:, :] = x[:, :]", "", "src.limit.product"),
    ("p = v[0]\n" + "p = I.record(a=p, b=p)\n" * 30 + "o[:, :] = x[:, :]", "", "src.limit.product"),
    (
        "o[:, :] = P13[0]",
        "P0 = 1.0\n" + "".join(f"P{k + 1} = (P{k}, P{k})\n" for k in range(30)),
        "src.fn.capture",
    ),
    (
        "o[:, :] = f30(x[:, :])",
        "@intent.fn\ndef f0(a):\n    return a\n"
        + "".join(f"@intent.fn\ndef f{k + 1}(a):\n    return f{k}(f{k}(a))\n" for k in range(30)),
        "src.limit.calls",
    ),
]


@pytest.mark.parametrize(("body", "before", "code"), DOUBLINGS, ids=["tuples", "records", "constants", "helpers"])
def test_what_doubles_line_by_line_is_refused(tmp_path: Path, body: str, before: str, code: str) -> None:
    assert refused(tmp_path, source(body, before=before))[0].code == code


def test_products_may_hold_as_many_values_as_the_limit(tmp_path: Path) -> None:
    parsed(tmp_path, source("p = v[0]\n" + "p = (p, p)\n" * 12 + "o[:, :] = x[:, :] + v[0]"))


def test_a_constant_of_the_module_that_no_float_holds(tmp_path: Path) -> None:
    (found,) = refused(tmp_path, source("o[:, :] = x[:, :] * BIG", before="BIG = 1e999\n"))
    assert (found.code, found.line) == ("src.fn.capture", 8)
    assert "a number that no float holds" in found.message


def test_numbers_of_index_expressions_are_index(tmp_path: Path) -> None:
    """Where they would not be, the arithmetic stays in operations."""
    kernel = parsed(tmp_path, source("n = v.shape[0] + (1 << 62) + (1 << 62)\nm = n * n * 3\no[0, 0] = v[m % 2]"))
    dims = [op.expression for op in walk(kernel.body) if isinstance(op, Dim)]
    assert dims
    assert all(abs(coefficient) < 1 << 63 for expression in dims for _, coefficient in expression.terms)


def test_names_are_compared_in_normal_form(tmp_path: Path) -> None:
    parsed(tmp_path, source("ﬁne = x[:, :]\no[:, :] = fine"))


def test_a_file_is_read_and_never_run(tmp_path: Path) -> None:
    text = "import sys\nsys.exit(3)\nopen('/nowhere/at/all')\n" + source("o[:, :] = x[:, :]")
    assert parsed(tmp_path, text).name == "kernel"


def test_kernel_names_in_source_order(tmp_path: Path) -> None:
    text = source("o[:, :] = x[:, :]") + "\n\n@intent.fn\ndef helper(a):\n    return a\n"
    text += "\n\n@intent.kernel()\ndef another(v: I.In[I.f32, ()]):\n    pass\n"
    (tmp_path / "file.py").write_text(text)
    assert kernel_names(load_source(tmp_path / "file.py")) == ("kernel", "another")


def test_shown_names_stay_on_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "a\nb"
    folder.mkdir()
    (folder / "c\r.py").write_text(UNDEFINED)
    with pytest.raises(IntentError) as error:
        parse_kernel(folder / "c\r.py", "kernel")
    assert str(error.value).startswith("a\\nb/c\\r.py:7:25: error[src.name.undefined]:")


def test_threads_share_one_file(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_text("".join(source("o[:, :] = x[:, :] + missing").replace("kernel(x", f"k{n}(x") for n in range(20)))
    found: list[tuple[int, int | None]] = []

    def read(number: int) -> None:
        with pytest.raises(IntentError) as error:
            parse_kernel(path, f"k{number}")
        found.append((number, error.value.diagnostics[0].line))

    threads = [threading.Thread(target=read, args=(n % 20,)) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(set(found)) == [(n, 7 * n + 7) for n in range(20)]
