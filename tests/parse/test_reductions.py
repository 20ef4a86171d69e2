"""Reductions and scans by helpers: what becomes of products, identities, captures, and intrinsics as helpers."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import If, Pointwise, Reduce, ReduceBy, RequireEqual, Scan, ScanBy
from intent2cuda.ir.printer import text
from tests.conftest import Golden

from .texts import parsed, refused, source

HELPERS = """
    @intent.fn
    def add(a, b):
        return a + b


    @intent.fn
    def add_both(a, b):
        return a[0] + b[0], I.record(count=a[1].count + b[1].count)


    @intent.fn
    def decayed(a, b, rate, fast):
        if fast:
            return a * rate + b
        return a * I.exp(-rate) + b


    @intent.fn
    def divisor(a, b):
        while b != 0:
            a, b = b, a % b
        return a


    @intent.fn
    def shifted(a, b, by):
        return I.maximum(a, b) + by


    @intent.fn
    def peak(values, axis):
        return I.reduce(values, axis=axis, identity=-I.inf, combine=I.maximum)


"""

KERNELS = {
    "product": (
        'x: I.In[I.f32, ("M", "N")], o: I.Out[I.f32, ("M",)], n: I.Out[I.i32, ("M",)]',
        """
        each = (x[:, :], I.record(count=I.full(x.shape, 1, dtype=I.i32)))
        total, rest = I.reduce(each, axis=1, identity=(I.cast(0.0, I.f32), I.record(count=0)), combine=add_both)
        o[:] = total
        n[:] = rest.count
        """,
    ),
    "slices": (
        'x: I.In[I.f32, ("T", "N")], by: I.In[I.f32, ("N",)], o: I.Out[I.f32, ("N",)]',
        "o[:] = I.reduce(x[:, :], axis=0, identity=-I.inf, combine=shifted, combine_operands=(by[:],))",
    ),
    "loop": (
        'x: I.In[I.i32, ("N",)], o: I.Out[I.i32, ()]',
        "o[()] = I.reduce(x[:], axis=0, identity=0, combine=divisor)",
    ),
    "prefixes": (
        'x: I.In[I.f32, ("T", "N")], rate: I.f32, o: I.Out[I.f32, ("T", "N")], FAST: I.Constexpr[bool]',
        """
        o[:, :] = I.scan(
            x[:, :], axis=0, identity=0.0, combine=decayed, combine_operands=(rate, FAST), inclusive=False, reverse=True
        )
        """,
    ),
    "tokens": (
        'x: I.In[I.f32, ("T", "N")], v: I.In[I.f32, ("N",)], o: I.Out[I.f32, ("N",)], p: I.Out[I.f32, ("T", "N")]',
        """
        o[:] = I.reduce(x[:, :], axis=0, identity=v[:], combine=I.add)
        p[:, :] = I.scan(x[:, :], axis=0, identity=v[:], combine=I.minimum, inclusive=False)
        """,
    ),
    "builtin_scans": (
        'x: I.In[I.u8, ("M", "N")], o: I.Out[I.u32, ("M", "N")], p: I.Out[I.u8, ("M", "N")], q: I.Out[I.i64, ("N",)]',
        """
        o[:, :] = I.cumsum(x[:, :], axis=-1)
        p[:, :] = I.cummax(x, axis=0, inclusive=False, reverse=True)
        q[:] = I.cumsum(x[0, :], axis=0, acc_dtype=I.i64)
        """,
    ),
}


@pytest.mark.req("L61", "L62", "L90", "L91", "L92")
@pytest.mark.parametrize("name", KERNELS)
def test_golden(tmp_path: Path, golden: Golden, name: str) -> None:
    parameters, body = KERNELS[name]
    constexprs = {"FAST": True} if "FAST" in parameters else {}
    golden.check(f"{name}.txt", text(parsed(tmp_path, source(body, parameters, HELPERS), constexprs)))


def ops(kernel: Kernel, kind: type[Op]) -> list:
    return [op for op in walk(kernel.body) if isinstance(op, kind)]


def one(folder: Path, expression: str, kind: type[Op]):
    """The only op of a kind that an expression of the views of `texts` makes."""
    (found,) = ops(parsed(folder, source(f"r = {expression}\no[:, :] = x[:, :]", before=HELPERS)), kind)
    return found


ELEMENTS_OR_SLICES = [
    ("I.reduce(x[:, :], axis=0, identity=0.0, combine=add)", 0),
    ("I.reduce(x[:, :], axis=0, identity=v[:], combine=add)", 1),
    ("I.reduce(x[:, :], axis=(0, 1), identity=v[0], combine=add)", 0),
    ("I.reduce(x[:, :], axis=0, identity=0.0, combine=shifted, combine_operands=(1.0,))", 0),
    ("I.reduce(x[:, :], axis=0, identity=0.0, combine=shifted, combine_operands=(v[0],))", 0),
    ("I.reduce(x[:, :], axis=0, identity=0.0, combine=shifted, combine_operands=(v[:],))", 1),
    ("I.scan(x[:, :], axis=0, identity=0.0, combine=add)", 0),
    ("I.scan(x[:, :], axis=0, identity=v[:], combine=add)", 1),
]


@pytest.mark.req("L91")
@pytest.mark.parametrize(("expression", "rank"), ELEMENTS_OR_SLICES)
def test_identities_and_captures_decide_what_is_combined(tmp_path: Path, expression: str, rank: int) -> None:
    op = one(tmp_path, expression, ReduceBy if "reduce" in expression else ScanBy)
    assert [argument.tensor.rank for argument in op.combine.args] == [rank, rank]
    assert [identity.tensor.rank for identity in op.identity] == [rank]


def test_members_of_different_shapes_are_combined_as_slices(tmp_path: Path) -> None:
    value = "(x[:, :], I.record(count=x[:, 0]))"
    identity = "(I.zeros((x.shape[1],), I.f32), I.record(count=0.0))"
    op = one(tmp_path, f"I.reduce({value}, axis=0, identity={identity}, combine=add_both)", ReduceBy)
    assert [argument.tensor.rank for argument in op.combine.args] == [1, 0, 1, 0]
    assert [result.tensor.rank for result in op.results] == [1, 0]


NEUTRAL = [
    ("I.add", "0.0", True),
    ("I.add", "I.cast(0.0, I.f32)", True),
    ("I.add", "1.0", False),
    ("I.add", "v[0]", False),
    ("I.maximum", "-I.inf", True),
    ("I.maximum", "0.0", False),
    ("I.minimum", "I.inf", True),
    ("I.minimum", "-I.inf", False),
]


@pytest.mark.parametrize(("combine", "identity", "neutral"), NEUTRAL)
def test_an_intrinsic_is_a_builtin_reduction_and_another_identity_joins(
    tmp_path: Path, combine: str, identity: str, neutral: bool
) -> None:
    kernel = parsed(tmp_path, source(f"o[0, :] = I.reduce(x[:, :], axis=0, identity={identity}, combine={combine})"))
    (reduce,) = ops(kernel, Reduce)
    assert f"I.{reduce.combiner.value}" == combine
    joins = [op for op in ops(kernel, Pointwise) if f"I.{op.fn}" == combine]
    assert [reduce.result in op.args for op in joins] == ([] if neutral else [True])


@pytest.mark.parametrize(
    ("dtype", "combine", "identity"),
    [("i8", "maximum", -128), ("u8", "maximum", 0), ("i8", "minimum", 127), ("index", "minimum", 2**63 - 1)],
)
def test_the_ends_of_integer_dtypes_are_neutral(tmp_path: Path, dtype: str, combine: str, identity: int) -> None:
    body = f"o[()] = I.reduce(x[:], axis=0, identity={identity}, combine=I.{combine})"
    parameters = f'x: I.In[I.{dtype}, ("N",)], o: I.Out[I.{dtype}, ()]'
    kernel = parsed(tmp_path, source(body, parameters))
    assert len(ops(kernel, Reduce)) == 1 and not ops(kernel, Pointwise)


@pytest.mark.req("L92")
@pytest.mark.parametrize(("inclusive", "joined"), [("True", False), ("False", True)])
def test_only_an_exclusive_scan_begins_with_the_identity(tmp_path: Path, inclusive: str, joined: bool) -> None:
    expression = f"I.scan(x[:, :], axis=1, identity=2.0, combine=I.add, inclusive={inclusive})"
    kernel = parsed(tmp_path, source(f"o[:, :] = {expression}"))
    (scan,) = ops(kernel, Scan)
    assert [scan.result in op.args for op in ops(kernel, Pointwise)] == ([True] if joined else [])


@pytest.mark.req("L92")
def test_a_scan_is_inclusive_and_forward_unless_it_says_otherwise(tmp_path: Path) -> None:
    for expression in ("I.cumsum(v[:], axis=0)", "I.scan(v[:], axis=0, identity=0.0, combine=I.add)"):
        op = one(tmp_path, expression, Scan)
        assert (op.inclusive, op.reverse) == (True, False)


def test_an_axis_comes_through_the_parameter_of_a_helper(tmp_path: Path) -> None:
    assert one(tmp_path, "peak(x[:, :], -1)", Reduce).axes == (1,)
    assert one(tmp_path, "peak(x[:, :], (0, 1))", Reduce).axes == (0, 1)


@pytest.mark.req("K25", "K31", "K38")
@pytest.mark.parametrize("fast", [True, False])
def test_a_constant_capture_is_a_constant_inside(tmp_path: Path, fast: bool) -> None:
    body = "o[:, :] = I.scan(x[:, :], axis=1, identity=0.0, combine=decayed, combine_operands=(v[0], FAST))"
    parameters = (
        'x: I.In[I.f32, ("M", "N")], v: I.In[I.f32, (1,)], o: I.Out[I.f32, ("M", "N")], FAST: I.Constexpr[bool]'
    )
    kernel = parsed(tmp_path, source(body, parameters, HELPERS), {"FAST": fast})
    assert not ops(kernel, If)
    assert [op.fn for op in ops(kernel, Pointwise)] == (["mul", "add"] if fast else ["neg", "exp", "mul", "add"])


@pytest.mark.req("L32", "L37", "L91")
def test_members_of_two_symbols_share_an_axis_by_a_guard(tmp_path: Path) -> None:
    parameters = 'x: I.In[I.f32, ("N",)], y: I.In[I.f32, ("K",)], o: I.Out[I.f32, ()]'
    value = "(x[:], I.record(count=y[:]))"
    body = f"o[()] = I.reduce({value}, axis=0, identity=(v0, I.record(count=0.0)), combine=add_both)[0]"
    kernel = parsed(tmp_path, source(f"v0 = I.cast(0.0, I.f32)\n{body}", parameters, HELPERS))
    (guard,) = ops(kernel, RequireEqual)
    assert {str(guard.lhs), str(guard.rhs)} == {"N", "K"}


LITERALS = [
    ("x[:, :]", "0", "f32", ""),
    ("I.record(a=x[:, :], b=k[0] + I.zeros(x.shape, I.i32))", "I.record(a=0, b=7)", "f32 i32", ""),
    ("(x[:, :], x[:, :])", "(0.0, v[0])", "", "f64"),
    ("(x[:, :], I.record(a=x[:, :]))", "(v[0], I.record(a=0.0))", "f32 f32", ""),
    ("I.record(a=(x[:, :], x[:, :]))", "I.record(a=(0.0, 1.0))", "f32 f32", ""),
]


@pytest.mark.parametrize(("value", "identity", "dtypes", "wrong"), LITERALS)
def test_a_literal_takes_a_dtype_alone_or_in_a_record(
    tmp_path: Path, value: str, identity: str, dtypes: str, wrong: str
) -> None:
    first = "@intent.fn\ndef first(a, b):\n    return a\n\n\n"
    body = f"r = I.reduce({value}, axis=0, identity={identity}, combine=first)\no[:, :] = x[:, :]"
    if wrong:
        (found,) = refused(tmp_path, source(body, before=first))
        assert found.code == "kir.reduce.identity" and wrong in found.message and "I.cast" in found.help
        return
    (op,) = ops(parsed(tmp_path, source(body, before=first)), ReduceBy)
    assert [one.tensor.dtype.name for one in op.identity] == dtypes.split()
