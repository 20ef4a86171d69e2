"""Contractions of encoded operands, and eight-bit floats: schemas, results, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import (
    Bitcast,
    Cast,
    Constant,
    Contract,
    Quantize,
    QuantizedDot,
    Reduce,
    RequireEqual,
    ScaledContract,
    ScaledFormat,
    SparseContract,
    SparseFormat,
)
from intent2cuda.ir.printer import text
from intent2cuda.ir.reader import read
from intent2cuda.ir.value import Value
from tests.conftest import Golden

from .texts import parsed, refused, source


def ops(kernel: Kernel, kind: type) -> list:
    return [op for op in walk(kernel.body) if isinstance(op, kind)]


def accepted(folder: Path, body: str, parameters: str) -> Kernel:
    """The kernel of a body; its text is a fixed point of printing and reading."""
    kernel = parsed(folder, source(body, parameters))
    assert text(read(text(kernel))) == text(kernel)
    return kernel


def shape(value: Value) -> list[str]:
    return [str(extent) for extent in value.tensor.shape]


def refuses(folder: Path, body: str, parameters: str, code: str, *words: str) -> None:
    """One diagnostic of the code; the last word stands in its help, the others in its message."""
    (found,) = refused(folder, source(body, parameters))
    assert found.code == code
    assert [word for word in words[:-1] if word not in found.message] == []
    assert words[-1] in found.help


SCALED = (
    'a: I.In[I.u8, ("M", "G", 16)], s: I.In[I.u8, ("M", "G")], b: I.In[I.f8e4m3fn, ("G", 32, "N")], '
    't: I.In[I.f32, ("N", "G")], h: I.In[I.f16, ("M", "G", 16)], d: I.In[I.u8, ("M", "G", "C")], '
    'o: I.Out[I.f32, ("M", "N")]'
)
MATMUL = "o[:, :] = I.scaled_matmul({}, s, {}, t, lhs_format={}, rhs_format={}, group_size={}, acc_dtype={})"
CONTRACT = "o[:, :] = I.scaled_contract(a, s, b, t, I.e2m1, I.e4m3, {}, 32, reduce={}, batch={}, acc_dtype=I.f32)"


@pytest.mark.req("L94")
def test_scaled_contractions_golden(tmp_path: Path, golden: Golden) -> None:
    body = MATMUL.format("a", "b", "I.e2m1", "I.e4m3", 32, "I.f32")
    kernel = accepted(tmp_path, body, SCALED)
    golden.check("scaled.txt", text(kernel))
    (found,) = ops(kernel, ScaledContract)
    assert (found.lhs_format, found.rhs_format) == (ScaledFormat.E2M1, ScaledFormat.E4M3)
    assert text(accepted(tmp_path, CONTRACT.format(32, "((1, 0), (2, 1))", "()"), SCALED)) == text(kernel)


@pytest.mark.req("L94")
def test_extents_of_a_scaled_contraction_are_required_equal(tmp_path: Path) -> None:
    parameters = SCALED.replace('t: I.In[I.f32, ("N", "G")]', 't: I.In[I.f32, ("N", "H")]')
    body = MATMUL.format("a", "b", "I.e2m1", "I.e4m3", 32, "I.f32")
    (found,) = ops(accepted(tmp_path, body, parameters), RequireEqual)
    assert {str(found.lhs), str(found.rhs)} == {"G", "H"} and "rhs_scale" in found.text


@pytest.mark.req("L94")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("a", "b", '"e2m1"', "I.e4m3", 32, "I.f32"), "kir.scaled.format", ("lhs_format", "I.e2m1")),
        (("a", "b", "I.e2m1", "I.f8e4m3fn", 32, "I.f32"), "kir.scaled.format", ("rhs_format", "I.e4m3")),
        (("a", "b", "I.e2m1", "I.e8m0", 32, "I.f32"), "kir.scaled.format", ("rhs_format", "I.e8m0", "I.e4m3")),
        (("h", "b", "I.e2m1", "I.e4m3", 32, "I.f32"), "kir.scaled.format", ("u8", "`lhs` is f16", "I.u8")),
        (("a", "b", "I.e2m1", "I.e4m3", 16, "I.f32"), "kir.scaled.group", ("16", "takes 8", "has 16", "8")),
        (("a", "b", "I.e2m1", "I.e4m3", 33, "I.f32"), "kir.scaled.group", ("33", "even")),
        (("a", "b", "I.e2m1", "I.e4m3", 0, "I.f32"), "kir.scaled.group", ("positive, not 0", "share")),
        (("d", "b", "I.e2m1", "I.e4m3", 32, "I.f32"), "kir.scaled.group", ("`lhs` has C", "16")),
        (("a", "b", "I.e2m1", "I.e4m3", "a[0, 0, 0]", "I.f32"), "kir.scaled.group", ("compile-time", "integer")),
        (("a[0]", "b", "I.e2m1", "I.e4m3", 32, "I.f32"), "kir.scaled.schema", ("rank 3", "not 2", "I.reshape")),
        (("a", "b", "I.e2m1", "I.e4m3", 32, "I.i32"), "kir.contract.accumulator", ("i32", "I.f32")),
        (("a", "b", "I.e2m1", "I.e4m3", 32, "I.f8e5m2"), "kir.contract.accumulator", ("f8e5m2", "I.f32")),
        (
            ("a", "I.transpose(b, (0, 2, 1))", "I.e2m1", "I.e4m3", 32, "I.f32"),
            "kir.scaled.group",
            ("`rhs` has N", "32"),
        ),
    ],
)
def test_what_scaled_matmul_refuses(tmp_path: Path, arguments: tuple[object, ...], code: str, words: list[str]) -> None:
    refuses(tmp_path, MATMUL.format(*arguments), SCALED, code, *words)


@pytest.mark.req("L94")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((16, "((1, 0), (2, 1))", "()"), "kir.scaled.group", ("16 and 32", "one")),
        ((32, "((2, 1), (1, 0))", "()"), "kir.scaled.schema", ("`reduce`", "((1, 0), (2, 1))")),
        ((32, "((1, 0),)", "()"), "kir.scaled.schema", ("`reduce`", "((1, 0), (2, 1))")),
        ((32, "((1, 0), (2, 1))", "((0, 2),)"), "kir.scaled.schema", ("batch", "I.parallel")),
    ],
)
def test_what_scaled_contract_refuses(
    tmp_path: Path, arguments: tuple[object, ...], code: str, words: list[str]
) -> None:
    refuses(tmp_path, CONTRACT.format(*arguments), SCALED, code, *words)


SPARSE = (
    'a: I.In[I.f16, ("M", "H")], p: I.In[I.u8, ("M", "H")], i: I.In[I.i32, ("M", "Q")], j: I.In[I.i32, ("M", "Q")], '
    'b: I.In[I.f16, ("K", "N")], w: I.In[I.f16, (8, 16)], q: I.In[I.i32, (8, 8)], v: I.In[I.f16, (32, "N")], '
    'o: I.Out[I.f32, ("M", "N")]'
)
PAIR = "I.record(first=i[:, :], second=j[:, :])"
ONE = "I.sparse.one_of_two(compression_axis=1, logical_extent={})"
TWO = "I.sparse.two_of_four(compression_axis=1, logical_extent={})"
SPARSE_MATMUL = "o[:, :] = I.sparse_matmul({}, {}, {}, format={}, acc_dtype=I.f32)"


@pytest.mark.req("L95")
def test_sparse_contractions_golden(tmp_path: Path, golden: Golden) -> None:
    body = f"""
        k = b.shape[0]
        one = I.sparse_matmul(a, p, b, format={ONE.format("k")}, acc_dtype=I.f32)
        two = I.sparse_contract(a, {PAIR}, b, {TWO.format("k")}, reduce=((1, 0),), acc_dtype=I.f32)
        o[:, :] = one + two
    """
    kernel = accepted(tmp_path, body, SPARSE)
    golden.check("sparse.txt", text(kernel))
    one, two = ops(kernel, SparseContract)
    assert (one.format, len(one.metadata)) == (SparseFormat.ONE_OF_TWO, 1)
    assert (two.format, len(two.metadata)) == (SparseFormat.TWO_OF_FOUR, 2)
    required = {str(op.lhs) + "=" + str(op.rhs) for op in ops(kernel, RequireEqual)}
    assert required == {"2*H=K", "4*Q=K"}


@pytest.mark.req("L95")
def test_the_short_form_of_two_of_four(tmp_path: Path) -> None:
    short = accepted(tmp_path, f"o[:, :] = I.sparse_contract_2to4(a, {PAIR}, b, acc_dtype=I.f32)", SPARSE)
    long = accepted(tmp_path, SPARSE_MATMUL.format("a", PAIR, "b", TWO.format("b.shape[0]")), SPARSE)
    assert text(short) == text(long)


@pytest.mark.req("L95")
def test_other_axes_of_a_sparse_contraction(tmp_path: Path) -> None:
    parameters = (
        'a: I.In[I.f32, ("B", 8, "M")], p: I.In[I.i64, ("B", 8, "M")], b: I.In[I.f32, ("B", 16)], '
        'o: I.Out[I.f32, ("B", "M")]'
    )
    body = """
        format = I.sparse.one_of_two(compression_axis=-2, logical_extent=16)
        o[:, :] = I.sparse_contract(a, p, b, format, reduce=((1, 1),), batch=((0, 0),), acc_dtype=I.f32)
    """
    (found,) = ops(accepted(tmp_path, body, parameters), SparseContract)
    assert (found.axis, found.reduce, found.batch, shape(found.result)) == (1, ((1, 1),), ((0, 0),), ["B", "M"])


@pytest.mark.req("L95")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("a", "p", "b", '"2:4"'), "kir.sparse.format", ("the string", "I.sparse.two_of_four")),
        (("a", "p", "b", "I.sparse.one_of_two"), "kir.sparse.format", ("I.sparse.one_of_two", "two_of_four")),
        (("a", "p", "b", "I.sparse.one_of_six(1, 6)"), "src.name.unknown", ("one_of_six", "I.sparse.one_of_two")),
        (("a", "p", "b", ONE.format(31)), "kir.sparse.divisibility", ("31", "2", "pad")),
        (("a", PAIR, "b", TWO.format(30)), "kir.sparse.divisibility", ("30", "4", "pad")),
        (("a", "a", "b", ONE.format("b")), "kir.sparse.format", ("view `b`", "number")),
        (("a", "a", "b", ONE.format(32)), "kir.sparse.metadata", ("f16", "I.cast")),
        (("a", "i", "b", TWO.format(32)), "kir.sparse.metadata", ("first and second", "I.record")),
        (("a", PAIR, "b", ONE.format(32)), "kir.sparse.metadata", ("one tensor", "a record", "pair")),
        (("a", "(i, j)", "b", TWO.format(32)), "kir.sparse.metadata", ("a tuple", "I.record")),
        (("w", "q", "v", ONE.format(32)), "kir.sparse.metadata", ("`metadata` has 8", "take 16", "logical")),
        (("w", "q", "v", ONE.format(16)), "kir.sparse.divisibility", ("`compressed` has 16", "take 8", "logical")),
        (("a", "p[:, 0]", "b", ONE.format(32)), "kir.sparse.metadata", ("rank 1", "rank 2", "group")),
        (("a", "p", "b[:, 0]", ONE.format(32)), "kir.contract.rank", ("not 1", "I.sparse_contract")),
        (
            ("a", "p", "b", "I.sparse.one_of_two(0, 32)"),
            "kir.sparse.axis",
            ("axis 1, not 0", "I.sparse_contract"),
        ),
        (("a", "p", "b", "I.sparse.one_of_two(2, 32)"), "kir.sparse.axis", ("axis 2", "rank 2", "1")),
        (("a", "p", "I.cast(b, I.f32)", ONE.format(32)), "kir.contract.dtype", ("f16 and f32", "I.cast")),
        (
            ("w", "I.full((8, 16), 0, I.i32)", "v", ONE.format(32) + ", reduce=()"),
            "src.call.unknown_argument",
            ("reduce", "format"),
        ),
    ],
)
def test_what_sparse_matmul_refuses(tmp_path: Path, arguments: tuple[str, ...], code: str, words: list[str]) -> None:
    refuses(tmp_path, SPARSE_MATMUL.format(*arguments), SPARSE, code, *words)


@pytest.mark.req("L95")
def test_the_extents_of_a_sparse_pair(tmp_path: Path) -> None:
    body = SPARSE_MATMUL.format("w", "I.full((8, 16), 0, I.i32)", "I.zeros((48, 4), I.f16)", ONE.format(32))
    refuses(tmp_path, body, SPARSE, "kir.contract.extent", "32 and 48", "equal")


QUANTIZED = (
    'x: I.In[I.f32, ("G", 256)], w: I.In[I.u8, ("G", 144)], r: I.In[I.u8, ("G", 292)], y: I.In[I.f32, ("G", "W")], '
    'h: I.In[I.f16, ("G", 256)], p: I.In[I.u8, (3, 144)], q: I.In[I.u8, (4, 292)], o: I.Out[I.f32, ()]'
)
DOT = "o[()] = I.quantized_dot({}, {}, lhs_format={}, rhs_format={}, acc_dtype={})"
K4, K8 = "I.quant.q4_k", "I.quant.q8_k"


@pytest.mark.req("L98")
def test_quantised_records_golden(tmp_path: Path, golden: Golden) -> None:
    body = f"records = I.quantize(x[:, :], format={K8})\n" + DOT.format("w[:, :]", "records", K4, K8, "I.f32")
    kernel = accepted(tmp_path, body, QUANTIZED)
    golden.check("quantized.txt", text(kernel))
    (records,), (dot,) = ops(kernel, Quantize), ops(kernel, QuantizedDot)
    assert shape(records.result) == ["G", "292"]
    assert not dot.result.tensor.shape and not dot.result.tensor.is_scalar


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (f"s = I.quantize(h, format={K8})", "kir.quant.dtype", ("are f32, not f16", "I.cast")),
        (f"s = I.quantize(x[:, 0:128], format={K8})", "kir.quant.schema", ("256", "not 128", "I.reshape")),
        (f"s = I.quantize(y, format={K8})", "kir.quant.schema", ("256", "not W", "I.reshape")),
        (f"s = I.quantize(x[0], format={K8})", "kir.quant.schema", ("rank 2, not 1", "I.reshape")),
        (f"s = I.quantize(x, format={K4})", "kir.quant.format", ("q8_k, not q4_k", "I.quant.q8_k")),
        ('s = I.quantize(x, format="q8_k")', "kir.quant.format", ("the string", "I.quant.q8_k")),
        ("s = I.quantize(x, format=I.quant.q5_k)", "src.name.unknown", ("q5_k", "I.quant.q8_k")),
        (DOT.format("r", "w", K4, K8, "I.f32"), "kir.quant.schema", ("`lhs`", "144, not 292", "I.reshape")),
        (DOT.format("w", "r", K8, K8, "I.f32"), "kir.quant.format", ("`lhs_format`", "q4_k, not q8_k", "q4_k")),
        (DOT.format("w", "x", K4, K8, "I.f32"), "kir.quant.dtype", ("`rhs`", "u8, not f32", "I.cast")),
        (DOT.format("w", "r", K4, K8, "I.f64"), "kir.quant.accumulator", ("f32, not f64", "acc_dtype=I.f32")),
        (DOT.format("p", "q", K4, K8, "I.f32"), "kir.quant.schema", ("3 and 4", "equal")),
    ],
)
def test_what_quantised_records_refuse(tmp_path: Path, body: str, code: str, words: list[str]) -> None:
    refuses(tmp_path, body, QUANTIZED, code, *words)


EIGHT = 'x: I.In[I.{0}, ("M", "N")], y: I.In[I.{0}, ("N", "M")], p: I.In[I.u8, ("M", "N")], o: I.Out[I.{0}, ("M", "N")]'


@pytest.mark.req("L40")
@pytest.mark.parametrize("dtype", ["f8e4m3fn", "f8e5m2"])
def test_eight_bit_floats_are_stored_converted_compared_and_contracted(tmp_path: Path, dtype: str) -> None:
    body = f"""
        one = I.full(x.shape, 1.0, I.{dtype})
        wide = I.cast(x[:, :], I.f32) * 0.5
        bits = I.bitcast(p[:, :], I.{dtype})
        product = I.matmul(x, y, acc_dtype=I.f32)
        greatest = I.reduce.max(x[:, :], axis=1)
        total = I.reduce.sum(x[:, :], axis=1)
        kept = I.buffer((x.shape[0],), I.{dtype}, init=0.0)
        kept[:] = greatest
        narrow = I.select(x[:, :] < one, I.cast(wide, I.{dtype}), bits)
        fits = product[:, 0] > total
        o[:, :] = I.mask(narrow, valid=fits[:, None], fill=-2.0)
    """
    kernel = accepted(tmp_path, body, EIGHT.format(dtype))
    assert {op.result.tensor.dtype.name for op in ops(kernel, Cast)} == {"f32", dtype}
    assert [op.result.tensor.dtype.name for op in ops(kernel, Bitcast)] == [dtype]
    assert [op.source.tensor.dtype.name for op in ops(kernel, Reduce)] == [dtype, "f32"]
    assert [op.result.tensor.dtype.name for op in ops(kernel, Contract)] == ["f32"]
    assert {-2.0, 1.0} <= {op.value for op in ops(kernel, Constant) if op.result.tensor.dtype.name == dtype}


@pytest.mark.req("L40")
@pytest.mark.parametrize(
    ("expression", "code", "words"),
    [
        ("x[:, :] + x[:, :]", "kir.dtype.operator", ("+", "f8e4m3fn", "I.f32")),
        ("-x[:, :]", "kir.dtype.operator", ("f8e4m3fn", "I.f32")),
        ("I.exp(x[:, :])", "kir.dtype.operator", ("exp", "I.f32")),
        ("I.maximum(x[:, :], 0.0)", "kir.dtype.operator", ("maximum", "I.f32")),
        ("I.full(x.shape, 449.0, I.f8e4m3fn)", "src.literal.range", ("448", "finite")),
        ("I.full(x.shape, I.inf - I.inf, I.f8e4m3fn)", "src.literal.range", ("nan", "finite")),
        ("I.full(x.shape, I.inf, I.f8e4m3fn)", "src.literal.range", ("inf", "finite")),
        ("I.bitcast(I.cast(x, I.f16), I.f8e4m3fn)", "kir.bitcast", ("16 bits", "has 8", "I.cast")),
        ("I.matmul(x, y, acc_dtype=I.f8e4m3fn)", "kir.contract.accumulator", ("f8e4m3fn", "I.f32")),
    ],
)
def test_what_eight_bit_floats_refuse(tmp_path: Path, expression: str, code: str, words: list[str]) -> None:
    refuses(tmp_path, f"o[:, :] = {expression}", EIGHT.format("f8e4m3fn"), code, *words)
