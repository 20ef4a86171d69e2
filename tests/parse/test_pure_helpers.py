"""Helpers of structured operations that are refused: effects, schemas, parameters. The marked lines are at fault."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from .texts import parsed, refused, source

PARAMETERS = (
    'x: I.In[I.f32, ("N",)], m: I.In[I.f32, ("M", "N")], o: I.InOut[I.f32, ("N",)], c: I.InOut[I.i32, ("N",)], '
    "s: I.f32, seed: I.u64"
)

HELPERS = """
    @intent.fn
    def add(a, b):
        return a + b


    @intent.fn
    def total(v):
        return I.reduce.sum(v, axis=0)


    @intent.fn
    def running(v, state):
        return I.cumsum(v, axis=0) + state


"""

REDUCE = "I.reduce(x[:], axis=0, identity=0.0, combine=helper{})"
SCAN = "I.scan(x[:], axis=0, identity=0.0, combine=helper{})"
FOLD = "I.region_fold(x[:], 0, helper, add, I.cast(0.0, I.f32){})"
MERGE = "I.region_fold(x[:], 0, total, helper, I.cast(0.0, I.f32){})"
STATES = "I.region_scan(x[:], 0, {}, {}, I.cast(0.0, I.f32), I.cast(0.0, I.f32), {}, {}{{}})"
SUMMARIZE = STATES.format("helper", "add", "add", "running")
COMBINE = STATES.format("total", "helper", "add", "running")
APPLY = STATES.format("total", "add", "helper", "running")
EMIT = STATES.format("total", "add", "add", "helper")


def program(helper: str, call: str) -> str:
    """A kernel that makes one call; `helper` are the parameters and the body of the function `helper`."""
    own = f"    @intent.fn\n    def helper{helper}\n\n\n"
    return source(f"r = {call}\no[:] = x[:]", PARAMETERS, HELPERS + own)


def check(folder: Path, text: str, *codes: str) -> str:
    """The messages of a text whose marked lines are refused with these codes, and no other."""
    marked = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("#!")]
    found = refused(folder, text)
    assert [(d.line, d.code) for d in found] == list(zip(marked, codes, strict=True))
    return "\n".join(f"{d.message}; {d.help}" for d in found)


EFFECTS = [
    ("o[0] = 1.0  #!", "stores into the InOut view `o`"),
    ("o[0] += 1.0  #!", "`o`"),
    ("w = o[0]  #!", "reads the InOut view `o`"),
    ("w = I.gather(o, index=(0,))  #!", "reads the InOut view `o`"),
    ("I.scatter_unique(o, index=(0,), value=1.0)  #!", "stores into the InOut view `o`"),
    ("I.scatter_reduce(o, index=(0,), value=1.0, combine=I.add)  #!", "I.scatter_reduce"),
    ("t = I.buffer((4,), I.f32)  #!\n        t[0] = 1.0", "makes the buffer `t`"),
    ("I.assume_in_bounds(0, o, 0)  #!", "promises"),
    ("I.atomic.add(c, index=(0,), value=1, order='relaxed')  #!", "atomic"),
    ("w = I.atomic.load(c, index=(0,), order='relaxed')  #!", "atomic"),
    ("I.atomic.store(c, index=(0,), value=1, order='relaxed')  #!", "atomic"),
    ("w = I.atomic.compare_exchange(c, index=(0,), expected=0, desired=1, order='relaxed')  #!", "atomic"),
    ("w = I.random.bits(seed, I.cast(1, I.u64))  #!", "random"),
    ("if s > 0.0:\n            for i in range(3):\n                o[i] = 1.0  #!", "`o`"),
]


@pytest.mark.req("L74", "L91", "K24")
@pytest.mark.parametrize(("effect", "words"), EFFECTS, ids=[e[0] for e in EFFECTS])
def test_an_effect_in_a_combine(tmp_path: Path, effect: str, words: str) -> None:
    helper = f"(a, b, o, c, s, seed):\n        {effect}\n        return a + b"
    call = REDUCE.format(", combine_operands=(o, c, s, seed)")
    said = check(tmp_path, program(helper, call), "kir.reduce.impure")
    assert words in said and "`helper` is the combine of I.reduce" in said and "`combine_operands`" in said


PLACES = [
    (SCAN, "(a, b, o)", "combine_operands", "kir.scan.impure"),
    (FOLD, "(v, o)", "operands", "kir.region_fold.effect"),
    (SUMMARIZE, "(v, o)", "operands", "kir.region_scan.impure"),
    (EMIT, "(v, s, o)", "operands", "kir.region_scan.impure"),
]


@pytest.mark.req("L74", "L81", "L92")
@pytest.mark.parametrize(("call", "parameters", "captures", "code"), PLACES)
def test_an_effect_through_a_captured_view(
    tmp_path: Path, call: str, parameters: str, captures: str, code: str
) -> None:
    result = "I.cumsum(v, axis=0)" if call is EMIT else "a + b" if call is SCAN else "I.reduce.sum(v, axis=0)"
    body = f"{parameters}:\n        o[0] = 1.0  #!\n        return {result}"
    text = program(body, call.format(f", {captures}=(o,)"))
    check(tmp_path, text.replace("total(v)", "total(v, o)").replace("running(v, state)", "running(v, state, o)"), code)


@pytest.mark.req("L81")
@pytest.mark.parametrize("call", [COMBINE, APPLY])
def test_an_effect_of_a_helper_without_captures(tmp_path: Path, call: str) -> None:
    helper = "(a, b):\n        t = I.buffer((1,), I.f32, init=0.0)  #!\n        return a + b + t[0]"
    check(tmp_path, program(helper, call.format("")), "kir.region_scan.impure")


@pytest.mark.req("K24")
def test_purity_is_asked_by_use(tmp_path: Path) -> None:
    helper = "    @intent.fn\n    def helper(a, b, o):\n        o[0] = a\n        return a + b\n\n\n"
    parsed(tmp_path, source("o[1] = helper(x[0], x[1], o)", PARAMETERS, HELPERS + helper))


@pytest.mark.req("L71", "L91")
def test_what_a_captured_view_says_of_its_shape_is_pure(tmp_path: Path) -> None:
    helper = "    @intent.fn\n    def helper(a, b, m):\n        return a + b * I.cast(m.shape[0], I.f32)\n\n\n"
    call = REDUCE.format(", combine_operands=(m,)")
    parsed(tmp_path, source(f"o[0] = {call}", PARAMETERS, HELPERS + helper))


SCHEMAS = [
    (REDUCE, "(a, b):\n        return I.cast(a + b, I.f64)  #!", "kir.reduce.schema", "f64", "I.cast(..., I.f32)"),
    (REDUCE, "(a, b):\n        return a < b  #!", "kir.reduce.schema", "bool", "I.f32"),
    (REDUCE, "(a, b):\n        return 0.0  #!", "kir.reduce.schema", "f64", "I.f32"),
    (REDUCE, "(a, b):\n        return a, b  #!", "kir.reduce.schema", "a tuple of 2", "kind"),
    (REDUCE, "(a, b):\n        return I.full((2,), a, dtype=I.f32)  #!", "kir.reduce.schema", "f32[2]", "shape"),
    (SCAN, "(a, b):\n        return I.record(a=a)  #!", "kir.scan.schema", "a record of a", "fields"),
    (FOLD, "(v):\n        return v * 2.0  #!", "kir.region_fold.schema", "slice", "reduce along it"),
    (MERGE, "(a, b):\n        return I.cast(a, I.f64)  #!", "kir.region_fold.schema", "f64", "I.f32"),
    (APPLY, "(a, s):\n        return I.cast(s, I.f64)  #!", "kir.region_scan.schema", "f64", "I.f32"),
    (COMBINE, "(a, b):\n        return I.cast(b, I.f64)  #!", "kir.region_scan.schema", "f64", "I.f32"),
]


@pytest.mark.req("L71", "L77", "L91")
@pytest.mark.parametrize(("call", "helper", "code", "found", "help"), SCHEMAS)
def test_another_form_than_is_combined(
    tmp_path: Path, call: str, helper: str, code: str, found: str, help: str
) -> None:
    said = check(tmp_path, program(helper, call.format("")), code)
    assert found in said and help in said and "`helper` is the " in said


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("I.record(n=a.n, p=(a.p[0], 1))", "a scalar of i64 instead of a scalar of i32 in `p[1]`"),
        ("I.record(n=I.cast(a.n, I.f16), p=b.p)", "a scalar of f16 instead of a scalar of f32 in `n`"),
        ("I.record(p=a.p, n=a.n)", "a record of p, n instead of a record of n, p"),
        ("I.record(n=a.n)", "a record of n instead of a record of n, p"),
        ("I.record(n=a.n, p=a.n)", "a scalar of f32 instead of a tuple of 2 in `p`"),
    ],
)
def test_the_member_that_differs_is_named(tmp_path: Path, result: str, words: str) -> None:
    call = "I.reduce(I.record(n=x[:], p=(x[:], c[:])), axis=0, identity=I.record(n=0.0, p=(0.0, 0)), combine=helper)"
    said = check(tmp_path, program(f"(a, b):\n        return {result}  #!", call), "kir.reduce.schema")
    assert words in said


IDENTITIES = [
    ("0.0", "is a scalar of f64, and `helper` returns a scalar of f32", "I.cast(..., I.f32)"),
    ("x[:]", "is a tensor of f32[N], and `helper` returns a scalar of f32", "shape"),
    ("(s, s)", "is a tuple of 2, and `helper` returns a scalar of f32", "kind"),
]


@pytest.mark.req("L71")
@pytest.mark.parametrize(("identity", "words", "help"), IDENTITIES)
def test_an_identity_of_another_form_than_the_summary(tmp_path: Path, identity: str, words: str, help: str) -> None:
    text = program(
        "(v):\n        return I.reduce.sum(v, axis=0)", f"I.region_fold(x[:], 0, helper, add, {identity})  #!"
    )
    said = check(tmp_path, text, "kir.region_fold.schema")
    assert words in said and help in said


PARTS = [
    ("I.reduce(x[:], axis=0, identity=0.0, combine=I.exp)", "kir.reduce.combine", "I.exp", "intent.fn"),
    ("I.reduce(x[:], axis=0, identity=0.0, combine=kernel)", "src.kernel.calls_kernel", "`kernel`", "intent.fn"),
    ("I.reduce(x[:], axis=0, identity=0.0, combine=plain)", "src.fn.undecorated", "`plain`", "intent.fn"),
    ("I.reduce((x, x), axis=0, identity=(s, s), combine=I.add)", "kir.reduce.combine", "a tuple of 2", "intent.fn"),
    ("I.reduce(x, axis=0, identity=0.0, combine=I.add, combine_operands=(s,))", "kir.reduce.schema", "two", "captures"),
    ("I.reduce(x, axis=0, identity=0.0, combine=add, combine_operands=s)", "kir.reduce.schema", "tuple", "(value,)"),
    ("I.reduce(x, axis=0, identity=0.0, combine=named)", "kir.reduce.schema", "`b` by name", "ordinary"),
    ("I.reduce(x, axis=0, identity=0.0, combine=total)", "kir.reduce.schema", "1 parameter", "two members"),
    (
        "I.reduce(x, axis=0, identity=0.0, combine=running, combine_operands=(s,))",
        "kir.reduce.schema",
        "3 values",
        "two",
    ),
    ("I.region_fold(x, 0, I.add, add, s)", "kir.region_fold.helper", "summarize", "intent.fn"),
    ("I.region_fold(x, 0, running, add, s)", "kir.region_fold.schema", "none for `state`", "operands"),
    ("I.region_fold(x, 0, total, total, s)", "kir.region_fold.schema", "1 parameter", "two summaries"),
    ("I.region_scan(x, 0, total, add, s, s, total, running)", "kir.region_scan.schema", "apply", "a state"),
    ("I.region_scan(x, 0, total, add, s, s, add, total)", "kir.region_scan.schema", "emit", "the state"),
    ("I.region_fold(x, 0, nothing, add, s)", "kir.region_fold.schema", "returns nothing", "return a value"),
    ("I.region_fold(x, 0, spans, add, s)", "kir.region_fold.schema", "a domain", "scalars"),
    ("I.region_fold((x, s), 0, total, add, s)", "kir.region_fold.component_axis", "`s`", "operands"),
    ("I.region_fold((m, x), 1, add, add, s)", "kir.region_fold.component_axis", "axis 1", "I.transpose"),
    ("I.region_fold((), 0, total, add, s)", "kir.region_fold.component_axis", "empty", "one tensor"),
    ("I.region_fold(x, 1, total, add, s)", "kir.region_fold.axis", "axis 1", "use -1 to 0"),
    ("I.region_fold(x, (0,), total, add, s)", "kir.region_fold.axis", "tuple", "integer"),
    ("I.region_fold(x, 0, total, add, s, chunk_size=8)", "src.block_extent", "`chunk_size`", "leave it out"),
    ("I.region_fold(x, 0, total, identity=s)", "kir.region_fold.missing_part", "`combine`", "combine="),
    ("I.region_scan(x, 0, total, add, s, s, add)", "kir.region_scan.missing_part", "`emit`", "outputs"),
    ("I.reduce(s, axis=0, identity=0.0, combine=add)", "kir.reduce.axes", "`s` is a scalar", "tensors"),
    ("I.reduce((), axis=0, identity=(), combine=add)", "kir.reduce.axes", "empty", "one tensor"),
    ("I.reduce((m, x), axis=1, identity=(s, s), combine=add)", "kir.reduce.axes", "no axis 1", "axes"),
    ("I.reduce(x, axis=0, identity=(0.0,), combine=add)", "kir.reduce.identity", "a tuple of 1", "each member"),
    ("I.reduce(m, axis=0, identity=m, combine=add)", "kir.reduce.identity", "[M, N]", "left"),
    ("I.reduce(x, axis=0, identity=c[0], combine=add)", "kir.reduce.identity", "i32", "I.cast(..., I.f32)"),
    (
        "I.reduce((x, x), axis=0, identity=(s, s), combine=add, acc_dtype=I.f64)",
        "kir.reduce.accumulator",
        "tuple",
        "I.cast",
    ),
    ("I.reduce(x > s, axis=0, identity=True, combine=I.maximum)", "kir.dtype.operator", "bool", "I.cast"),
    ("I.scan(m, axis=(0, 1), identity=0.0, combine=add)", "kir.scan.axes", "one axis", "reshape"),
    ("I.cumsum(s, axis=0)", "kir.scan.axes", "scalar", "axis"),
    ("I.cumsum(x > s, axis=0)", "kir.scan.dtype", "bool", "acc_dtype"),
    ("I.cummax(x, axis=0, reverse=s > 0.0)", "src.constexpr.value", "reverse", "Constexpr"),
]

OTHERS = """
    def plain(a, b):
        return a + b


    @intent.fn
    def named(a, *, b):
        return a + b


    @intent.fn
    def nothing(v):
        pass


    @intent.fn
    def spans(v):
        return I.domain(0, 3)


"""


@pytest.mark.req("L66", "L71", "L72", "L91", "L92")
@pytest.mark.parametrize(("call", "code", "words", "help"), PARTS, ids=[p[0] for p in PARTS])
def test_parts_that_do_not_fit(tmp_path: Path, call: str, code: str, words: str, help: str) -> None:
    text = source(f"r = {call}  #!\no[:] = x[:]", PARAMETERS, HELPERS + OTHERS)
    said = check(tmp_path, text, code).split("; ")
    assert words in said[0] and help in said[1]


def test_what_is_wrong_with_each_helper_is_said_at_once(tmp_path: Path) -> None:
    others = """
    @intent.fn
    def merge(a, b):
        return a + missing  #!


    @intent.fn
    def out(v, state):
        w = undefined  #!
        return v[0] + state  #!


    """
    helper = "(v):\n        t = I.buffer((1,), I.f32)  #!\n        return v * unknown  #!"
    text = program(helper, STATES.format("helper", "merge", "add", "out").format(""))
    at = text.index("@intent.kernel")
    text = text[:at] + textwrap.dedent(others).lstrip("\n") + text[at:]
    names = "src.name.undefined"
    check(tmp_path, text, "kir.region_scan.impure", names, names, names, "kir.region_scan.members")


@pytest.mark.req("K25", "L72")
def test_nothing_is_captured_by_name(tmp_path: Path) -> None:
    said = check(
        tmp_path, program("(v):\n        return I.reduce.sum(v * s, axis=0)  #!", FOLD.format("")), "src.fn.capture"
    )
    assert "`s`" in said and "parameter" in said


@pytest.mark.req("K26")
def test_a_helper_that_reduces_by_itself(tmp_path: Path) -> None:
    helper = "(a, b):\n        return I.reduce(I.full((2,), a, dtype=I.f32), axis=0, identity=0.0, combine=helper)  #!"
    assert "helper -> helper" in check(tmp_path, program(helper, REDUCE.format("")), "src.fn.recursion")
