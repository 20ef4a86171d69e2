"""Names from other files of the project, read as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import Constant
from intent2cuda.ir.verify import verify
from intent2cuda.parse import parse_kernel

from .texts import HEAD

LIBRARY = HEAD + "SCALE = 3.0\nPAIR = (SCALE * 2.0, 5)\n\n\n@intent.fn\ndef grow(a):\n    return a * SCALE\n"

KERNEL = '\n\n@intent.kernel\ndef kernel(o: I.InOut[I.f32, ("N",)]):\n    o[:] = {value}\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("pack", "pack/inner"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text("")
    (tmp_path / "pack" / "library.py").write_text(LIBRARY)
    (tmp_path / "loose").mkdir()
    (tmp_path / "loose" / "library.py").write_text(LIBRARY.replace("3.0", "4.0"))
    return tmp_path


IMPORTS = [
    ("from ..library import grow, SCALE", "grow(o[:]) + SCALE", "3.0"),
    ("from .. import library", "library.grow(o[:])", "3.0"),
    ("from ..library import grow as bigger", "bigger(o[:])", "3.0"),
    ("from ..library import *", "grow(o[:]) * PAIR[0]", "6.0"),
    ("import pack.library as lib", "lib.grow(o[:]) + lib.PAIR[0]", "6.0"),
    ("import pack.library", "pack.library.grow(o[:])", "3.0"),
    ("from pack.library import SCALE as S", "o[:] + S", "3.0"),
    ("from loose.library import SCALE", "o[:] + SCALE", "4.0"),
]


@pytest.mark.parametrize(("line", "value", "constant"), IMPORTS, ids=[i[0] for i in IMPORTS])
def test_imported_names(project: Path, line: str, value: str, constant: str) -> None:
    path = project / "pack" / "inner" / "file.py"
    path.write_text(HEAD + line + KERNEL.format(value=value))
    found = parse_kernel(path, "kernel", None, "pack/inner/file.py")
    constants = [op.value for op in walk(verify(found.kernel).body) if isinstance(op, Constant)]
    assert float(constant) in constants
    assert found.sources[0].name == "pack/inner/file.py"
    assert {s.name for s in found.sources[1:]} >= {"pack/library.py" if "loose" not in line else "loose/library.py"}


def test_errors_in_a_helper_name_its_own_file(project: Path) -> None:
    (project / "pack" / "library.py").write_text(LIBRARY.replace("a * SCALE", "a * missing"))
    path = project / "pack" / "inner" / "file.py"
    path.write_text(HEAD + "from ..library import grow" + KERNEL.format(value="grow(o[:])"))
    with pytest.raises(IntentError) as error:
        parse_kernel(path, "kernel", None, "pack/inner/file.py")
    (found,) = error.value.diagnostics
    assert (found.path, found.line, found.column) == ("pack/library.py", 11, 16)


def test_modules_that_import_each_other(project: Path) -> None:
    (project / "pack" / "one.py").write_text(HEAD + "from .two import B\nA = B + 1.0\n")
    (project / "pack" / "two.py").write_text(HEAD + "from .one import A\nB = 2.0\nC = A + 1.0\n")
    path = project / "pack" / "file.py"
    path.write_text(HEAD + "from .two import C" + KERNEL.format(value="o[:] * C"))
    kernel = parse_kernel(path, "kernel").kernel
    assert [op.value for op in walk(kernel.body) if isinstance(op, Constant)] == [4.0]


@pytest.mark.parametrize(
    ("line", "value", "code"),
    [
        ("import math", "o[:] * math.pi", ""),
        ("import math", "math.exp(o[:])", "src.call.python"),
        ("import os", "o[:] * os.cpu_count()", "src.kernel.query"),
        ("TABLE = [1.0]", "o[:] * TABLE[0]", "src.fn.capture"),
        ("LOOP = LOOP + 1", "o[:] * LOOP", "src.fn.capture"),
    ],
)
def test_what_cannot_be_used(project: Path, line: str, value: str, code: str) -> None:
    path = project / "pack" / "inner" / "file.py"
    path.write_text(HEAD + line + KERNEL.format(value=value))
    if not code:
        parse_kernel(path, "kernel")
        return
    with pytest.raises(IntentError) as error:
        parse_kernel(path, "kernel")
    assert error.value.code == code


def test_any_names_for_the_language(tmp_path: Path) -> None:
    text = (
        "import intent as what\nfrom intent import language as L, kernel\n"
        "from intent2cuda.language import f32, exp as e\n\n\n"
        '@what.fn\ndef f(a):\n    return e(a)\n\n\n@kernel\ndef kernel(o: L.InOut[f32, ("N",)]):\n    o[:] = f(o[:])\n'
    )
    (tmp_path / "file.py").write_text(text.replace("def kernel", "def k"))
    assert parse_kernel(tmp_path / "file.py", "k").kernel.name == "k"


@pytest.mark.parametrize(
    ("line", "value", "message"),
    [
        ("from ..missing import grow", "grow(o[:])", "`..missing` is no file of the project"),
        ("from ..library import shrink", "shrink(o[:])", "`..library` defines no `shrink`"),
        ("from .. import nothing", "nothing.grow(o[:])", "`..` defines no `nothing`"),
    ],
)
def test_imports_that_lead_nowhere(project: Path, line: str, value: str, message: str) -> None:
    path = project / "pack" / "inner" / "file.py"
    path.write_text(HEAD + line + KERNEL.format(value=value))
    with pytest.raises(IntentError) as error:
        parse_kernel(path, "kernel", None, "pack/inner/file.py")
    (found,) = error.value.diagnostics
    assert found.code == "src.import.unresolved" and message in found.message
