"""Parameters: views, scalars, Constexpr, enums."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import Pointwise
from intent2cuda.parse import parse_signature
from intent2cuda.types.value_type import Access, ViewType

from .texts import HEAD, parsed, refused, source

MODES = """
    class Mode(I.Enum):
        SUM = 0
        PRODUCT = 1

"""


def test_views_keep_shape_access_and_constraints(tmp_path: Path) -> None:
    parameters = (
        'a: I.In[I.i8, [2, "N"], I.constraints(strides=(None, 1), alias="pool")], '
        "b: I.InOut[I.bf16, (), I.constraints(noalias=True)], s: I.index"
    )
    kernel = parsed(tmp_path, source("b[()] = 1.0", parameters))
    first, second, scalar = (value.type for value in kernel.parameters)
    assert isinstance(first, ViewType) and isinstance(second, ViewType)
    assert [str(extent) for extent in first.shape] == ["2", "N"]
    assert (first.access, first.strides, first.alias) == (Access.IN, (None, 1), "pool")
    assert (second.access, second.shape, second.noalias) == (Access.INOUT, (), True)
    assert str(getattr(scalar, "dtype", "")) == "index"


def test_a_constexpr_in_a_shape_is_its_value(tmp_path: Path) -> None:
    text = source("o[:] = x[:]", 'x: I.In[I.f32, ("W",)], o: I.Out[I.f32, ("W",)], W: I.Constexpr[int]')
    kernel = parsed(tmp_path, text, {"W": 7})
    assert [str(value.resource.shape[0]) for value in kernel.parameters] == ["7", "7"]
    assert kernel.constexprs == (("W", "7"),)


@pytest.mark.req("K31", "K36")
@pytest.mark.parametrize(("given", "fn"), [("SUM", "add"), ("Mode.PRODUCT", "mul"), (None, "mul")])
def test_only_the_chosen_branch_remains(tmp_path: Path, given: str | None, fn: str) -> None:
    body = """
        if MODE == Mode.SUM:
            o[:] = x[:] + x[:]
        else:
            o[:] = x[:] * x[:]
    """
    parameters = 'x: I.In[I.f32, ("N",)], o: I.Out[I.f32, ("N",)], MODE: I.Constexpr[Mode] = Mode.PRODUCT'
    kernel = parsed(tmp_path, source(body, parameters, MODES), {"MODE": given} if given else None)
    assert [op.fn for op in walk(kernel.body) if isinstance(op, Pointwise)] == [fn]


def test_members_of_an_imported_enum_are_taken_by_name(tmp_path: Path) -> None:
    mode = type("Mode", (SimpleNamespace,), {})
    parameters = 'o: I.Out[I.f32, ("N",)], MODE: I.Constexpr[Mode]'
    kernel = parsed(tmp_path, source("o[:] = 1.0", parameters, MODES), {"MODE": mode(name="SUM")})
    assert kernel.constexprs == (("MODE", "Mode.SUM"),)
    (found,) = refused(tmp_path, source("o[:] = 1.0", parameters, MODES), {"MODE": SimpleNamespace(name="SUM")})
    assert found.code == "src.constexpr.type"


def test_signature_shows_defaults(tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text(
        source("pass", "x: I.In[I.f32, ()], B: I.Constexpr[bool], N: I.Constexpr[int] = 2 * 8")
    )
    parameters = parse_signature(tmp_path / "file.py", "kernel")
    assert [(p.name, p.is_constexpr) for p in parameters] == [("x", False), ("B", True), ("N", True)]
    assert getattr(parameters[2].default, "value", None) == 16
    assert parameters[1].default is None


CASES = [
    ("x", "src.param.annotation", "x"),
    ("x: int", "src.param.annotation", "int"),
    ("x: list", "src.param.kind", "list"),
    ("x: I.f16 = 1.0", "src.param.default", "x"),
    ("*x", "src.param.variadic", "x"),
    ("x: I.In[I.f32]", "src.view.shape", "shape"),
    ("x: I.In[I.f32, (-1,)]", "src.view.extent", "-1"),
    ("x: I.In[I.f32, (True,)]", "src.view.extent", "True"),
    ("x: I.In[I.f32, (1 << 31, 1 << 30)]", "src.view.extent", "x"),
    ("x: I.In[I.f32, (0, 1 << 62, 4)]", "src.view.extent", "x"),
    (f"x: I.In[I.f32, ({'1, ' * 17})]", "src.limit.rank", "17 axes"),
    ("o: I.In[I.f32, ()]", "src.param.duplicate", "`o`"),
    ('x: I.In[I.f32, ("a b",)]', "src.view.symbol", "a b"),
    ('x: I.In[I.f32, ("N",), I.constraints(layout="c")]', "src.view.physical", "layout"),
    ('x: I.In[I.float32, ("N",)]', "src.name.unknown", "float32"),
    ("N: I.Constexpr[str]", "src.constexpr.type", "str"),
    ("N: I.Constexpr[int]", "src.constexpr.missing", "N"),
    ("N: I.Constexpr[int] = 1.5", "src.constexpr.type", "float"),
    ("NUM_WARPS: I.Constexpr[int] = 4", "src.constexpr.tile", "NUM_WARPS"),
    ("x: I.In[I.f32, (x,)]", "src.name.undefined", "x"),
]


@pytest.mark.parametrize(("parameter", "code", "word"), CASES, ids=[c[0] for c in CASES])
def test_refused_parameters(tmp_path: Path, parameter: str, code: str, word: str) -> None:
    text = f"{HEAD}@intent.kernel\ndef kernel(\n    o: I.Out[I.f32, ()],\n    {parameter},\n):\n    o[()] = 1.0\n"
    (found,) = refused(tmp_path, text)
    assert (found.code, found.line) == (code, 8)
    assert word in found.message


def test_views_of_the_greatest_rank_and_size(tmp_path: Path) -> None:
    parsed(
        tmp_path,
        source(
            f"o[()] = x[0] + y[{'0, ' * 16}]",
            f"o: I.Out[I.f32, ()], x: I.In[I.f32, ((1 << 61) - 1,)], y: I.In[I.f32, ({'1, ' * 16})]",
        ),
    )


@pytest.mark.parametrize(("extent", "word"), [(-1, "negative"), (1 << 63, "63 bits")])
def test_a_constexpr_that_is_no_extent(tmp_path: Path, extent: int, word: str) -> None:
    text = source("o[()] = x[0]", 'o: I.Out[I.f32, ()], x: I.In[I.f32, ("W",)], W: I.Constexpr[int]')
    found = refused(tmp_path, text, {"W": extent})
    assert found[0].code == "src.constexpr.extent"
    assert word in found[0].message


def test_a_helper_has_each_parameter_once(tmp_path: Path) -> None:
    before = "@intent.fn\ndef twice(a, a):\n    return a\n"
    (found,) = refused(tmp_path, source("o[:, :] = twice(x[:, :], 1.0)", before=before))
    assert (found.code, found.line) == ("src.param.duplicate", 6)


@pytest.mark.parametrize("name", ["k" * 300, "\u03bf" * 40])
def test_a_kernel_whose_name_is_too_long_for_files(tmp_path: Path, name: str) -> None:
    text = source("o[:, :] = x[:, :]").replace("def kernel", f"def {name}")
    (found,) = refused(tmp_path, text, name=name)
    assert (found.code, found.line) == ("src.limit.name", 6)


def test_the_decorator_takes_no_arguments(tmp_path: Path) -> None:
    (found,) = refused(tmp_path, source("o[:, :] = x[:, :]").replace("@intent.kernel", "@intent.kernel(3)"))
    assert (found.code, found.message) == (
        "src.kernel.decorator",
        "@intent.kernel takes no argument: the target is chosen by the compile call",
    )


def test_a_helper_is_no_kernel(tmp_path: Path) -> None:
    text = source("o[:, :] = x[:, :]", before="@intent.fn\ndef scaled(a):\n    return a\n\n\n")
    (found,) = refused(tmp_path, text, name="scaled")
    assert (found.code, found.line) == ("src.kernel.missing", 6)
    assert (found.message, found.help) == ("`scaled` is a helper, no kernel", "the kernels are: kernel")


def test_every_bad_parameter_is_reported(tmp_path: Path) -> None:
    found = refused(tmp_path, source("pass", "x, y: int, o: I.Out[I.f32, (-1,)], *rest"))
    assert [d.code for d in found] == [
        "src.param.annotation",
        "src.param.annotation",
        "src.view.extent",
        "src.param.variadic",
    ]


@pytest.mark.parametrize(
    ("value", "type_", "accepted"),
    [
        (3, "int", True),
        (True, "int", False),
        (2.0, "int", False),
        (2, "float", True),
        (1, "bool", False),
        ("3", "int", False),
    ],
)
def test_python_types_of_constexprs(tmp_path: Path, value: object, type_: str, accepted: bool) -> None:
    text = source("pass", f"C: I.Constexpr[{type_}]")
    if accepted:
        parsed(tmp_path, text, {"C": value})
    else:
        assert refused(tmp_path, text, {"C": value})[0].code == "src.constexpr.type"
