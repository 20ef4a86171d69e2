"""Counting, random bits and contractions of encoded operands, at every point of a loop with operands of each kind."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.interpret import run
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import (
    Quantize,
    QuantizedDot,
    RecordFormat,
    ScaledContract,
    ScaledFormat,
    SparseContract,
    SparseFormat,
)
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import verify
from intent2cuda.language.bodies.philox import bits
from intent2cuda.language.bodies.records import quantize, quantized_dot
from intent2cuda.types.dtype import BOOL, F8E4M3FN, F16, F32, F64, I32, I64, U8, U16, U32, U64, DType
from intent2cuda.types.value_type import Access, TensorType, scalar

M, N, K = (IntExpr.symbol(name) for name in "MNK")


@pytest.mark.parametrize("masked", [False, True])
def test_histograms_of_each_point_wrap(masked: bool) -> None:
    b = Builder("counts")
    x, valid = b.view("x", I32, ("M", "N", "K")), b.view("valid", BOOL, ("N", "K"))
    y = b.view("y", U8, ("M", "B"), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        shared = b.load(valid, None, None) if masked else None
        b.store(y, (row, None), b.histogram(b.load(x, row, None, None), IntExpr.symbol("B"), U8, shared))
    rng = np.random.default_rng(0)
    x_, valid_ = rng.integers(0, 3, (4, 40, 20)).astype(np.int32), rng.integers(0, 2, (40, 20)).astype(bool)
    if masked:
        x_[:, ~valid_] = -5
    y_ = np.empty((4, 3), np.uint8)
    run(verify(b.finish()), {"x": x_, "valid": valid_, "y": y_}, checked=True)
    for row in range(4):
        assert y_[row].tolist() == [int((x_[row] == bin_).sum()) % 256 for bin_ in range(3)]


@pytest.mark.parametrize("wrong", [-1, 3])
def test_a_value_without_a_bin_is_found(wrong: int) -> None:
    b = Builder("counts")
    b.histogram(b.load(b.view("x", I64, ("N",)), None), 3, I32)
    with pytest.raises(IntentError) as refused:
        run(verify(b.finish()), {"x": np.array([0, wrong])})
    assert refused.value.code == "run.bounds" and f"value {wrong} has none of the 3 bins" in str(refused.value)


@pytest.mark.parametrize(("seed_varies", "counter_varies"), [*product([False, True], repeat=2)])
def test_random_bits_of_shared_and_own_seeds_and_counters(seed_varies: bool, counter_varies: bool) -> None:
    b = Builder("bits")
    seeds, counters = b.view("seeds", U64, ("M",)), b.view("counters", U64, ("M", "N"))
    y = b.view("y", U32, ("M", "N"), Access.OUT)
    first = b.constant(0)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        seed = b.load(seeds, row if seed_varies else first)
        b.store(y, (row, None), b.philox(seed, b.load(counters, row if counter_varies else first, None)))
    seeds_, counters_ = np.random.default_rng(1).integers(0, 2**64, (2, 3, 5), np.uint64)
    y_ = np.empty((3, 5), np.uint32)
    run(verify(b.finish()), {"seeds": seeds_[:, 0].copy(), "counters": counters_, "y": y_})
    for row in range(3):
        wanted = bits(seeds_[row * seed_varies, 0], counters_[row * counter_varies])
        assert y_[row].tolist() == wanted.tolist()


def e2m1(code: int) -> float:
    """The number of a four-bit code: one bit of sign, two of exponent, one of significand."""
    sign, exponent, last = -1 if code & 8 else 1, code >> 1 & 3, code & 1
    return sign * (last / 2 if exponent == 0 else (1 + last / 2) * 2.0 ** (exponent - 1))


def numbers(carriers: np.ndarray, format: ScaledFormat, axis: int) -> np.ndarray:
    if format is ScaledFormat.E4M3:
        return carriers.astype(np.float64)
    codes = np.moveaxis(carriers, axis, -1)
    decoded = [[e2m1(byte & 15), e2m1(byte >> 4)] for byte in codes.ravel().tolist()]
    return np.moveaxis(np.array(decoded).reshape(*codes.shape[:-1], -1), -1, axis)


@pytest.mark.parametrize("varies", [*product([False, True], repeat=2)])
@pytest.mark.parametrize("formats", [*product(ScaledFormat, repeat=2)])
@pytest.mark.parametrize("scale_dtype", [U8, F32], ids=str)
def test_scaled_contractions(
    scale_dtype: DType, formats: tuple[ScaledFormat, ScaledFormat], varies: tuple[bool, bool]
) -> None:
    """Of matrices that all points share or that each has of its own. Codes whose products sum exactly."""
    b = Builder("scaled")
    carried = [(F8E4M3FN, 4) if f is ScaledFormat.E4M3 else (U8, 2) for f in formats]
    a, c = (
        b.view("a", carried[0][0], (2, "M", "G", carried[0][1])),
        b.view("c", carried[1][0], (2, "G", carried[1][1], "N")),
    )
    s, t = b.view("s", scale_dtype, (2, "M", "G")), b.view("t", scale_dtype, (2, "N", "G"))
    y = b.view("y", F32, (2, "M", "N"), Access.OUT)
    zero = b.constant(0)
    with b.parallel(b.domain(0, 2)) as (p,):
        i, j = (p if v else zero for v in varies)
        lhs, rhs = b.load(a, i, None, None, None), b.load(c, j, None, None, None)
        left, right = b.load(s, j, None, None), b.load(t, i, None, None)
        result = b.fresh(TensorType(F32, (M, N)))
        b.store(y, (p, None, None), b.emit(ScaledContract(lhs, left, rhs, right, *formats, 4, result)).result)
    rng = np.random.default_rng(2)

    def codes(format: ScaledFormat, *shape: int) -> np.ndarray:
        if format is ScaledFormat.E2M1:
            return rng.integers(0, 256, shape).astype(np.uint8)
        return rng.integers(-8, 9, shape).astype(ml_dtypes.float8_e4m3fn)

    a_, c_ = codes(formats[0], 2, 3, 5, carried[0][1]), codes(formats[1], 2, 5, carried[1][1], 7)
    powers = [rng.integers(-3, 4, shape) for shape in ((2, 3, 5), (2, 7, 5))]
    s_, t_ = ((p + 127).astype(np.uint8) if scale_dtype == U8 else (2.0**p).astype(np.float32) for p in powers)
    y_ = np.empty((2, 3, 7), np.float32)
    run(verify(b.finish()), {"a": a_, "c": c_, "s": s_, "t": t_, "y": y_})
    for p in range(2):
        i, j = p * varies[0], p * varies[1]
        left, right = numbers(a_[i], formats[0], 2), numbers(c_[j], formats[1], 1)
        wanted = np.einsum("mgk,mg,gkn,ng->mn", left, 2.0 ** powers[0][j], right, 2.0 ** powers[1][i])
        np.testing.assert_array_equal(y_[p], wanted)


def test_the_ends_of_the_scale_format() -> None:
    b = Builder("ends")
    a, s = b.view("a", F8E4M3FN, ("M", 1, 1)), b.view("s", U8, ("M", 1))
    c, t = b.view("c", F8E4M3FN, (1, 1, 1)), b.view("t", U8, (1, 1))
    y = b.view("y", F64, ("M", 1), Access.OUT)
    values = [b.load(v, *[None] * len(v.resource.shape)) for v in (a, s, c, t)]
    result = b.fresh(TensorType(F64, (M, IntExpr.of(1))))
    b.emit(ScaledContract(*values, ScaledFormat.E4M3, ScaledFormat.E4M3, 1, result))
    b.store(y, (None, None), result)
    ones = np.ones((4, 1, 1), ml_dtypes.float8_e4m3fn)
    y_ = np.empty((4, 1))
    scales = np.array([[0], [127], [254], [255]], np.uint8)
    arguments = {"a": ones, "s": scales, "c": ones[:1], "t": np.full((1, 1), 127, np.uint8), "y": y_}
    run(verify(b.finish()), arguments)
    np.testing.assert_array_equal(y_[:, 0], [2.0**-127, 1, 2.0**127, np.nan])


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("format", [*SparseFormat])
@pytest.mark.parametrize("wrong", [None, "outside", "falling"])
def test_sparse_contractions(format: SparseFormat, axis: int, wrong: str | None) -> None:
    """A compressed matrix of each point times one that all share, along either axis."""
    kept, group = (1, 2) if format is SparseFormat.ONE_OF_TWO else (2, 4)
    m, groups, n, points = 3, 5, 4, 2

    def laid(compressed: int) -> tuple[int, int]:
        return (m, compressed) if axis == 1 else (compressed, m)

    b = Builder("sparse")
    values = b.view("values", F16, (points, *laid(kept * groups)))
    metadata = [b.view(f"place{k}", U16, (points, *laid(groups))) for k in range(kept)]
    rhs, y = b.view("rhs", F16, (group * groups, n)), b.view("y", F32, (points, m, n), Access.OUT)
    dense = b.load(rhs, None, None)
    with b.parallel(b.domain(0, points)) as (p,):
        loaded, *places = (b.load(v, p, None, None) for v in (values, *metadata))
        result = b.fresh(TensorType(F32, (IntExpr.of(m), IntExpr.of(n))))
        extent = IntExpr.of(group * groups)
        b.emit(SparseContract(loaded, tuple(places), dense, format, axis, extent, ((axis, 0),), (), result))
        b.store(y, (p, None, None), result)
    rng = np.random.default_rng(3)
    rhs_ = rng.integers(-9, 9, (group * groups, n)).astype(np.float16)
    values_ = rng.integers(-9, 9, (points, *laid(kept * groups))).astype(np.float16)
    chosen = np.sort(np.argsort(rng.random((points, m, groups, group)), -1)[..., :kept], -1)
    if wrong == "falling":
        chosen = chosen[..., ::-1]
    places_ = [chosen[..., k] if axis == 1 else np.swapaxes(chosen[..., k], 1, 2) for k in range(kept)]
    places_ = [place.astype(np.uint16) for place in places_]
    if wrong == "outside":
        places_[-1][1, 0, 2] = group
    y_ = np.empty((points, m, n), np.float32)
    arguments = {"values": values_, "rhs": rhs_, "y": y_, **{f"place{k}": p for k, p in enumerate(places_)}}
    if wrong == "outside" or (wrong == "falling" and kept == 2):
        with pytest.raises(IntentError) as refused:
            run(verify(b.finish()), arguments)
        assert refused.value.code == "run.places"
        return
    run(verify(b.finish()), arguments)
    for point, row, column in np.ndindex(points, m, n):
        total = 0.0
        for g, k in np.ndindex(groups, kept):
            place = kept * g + k
            value = values_[(point, row, place) if axis == 1 else (point, place, row)]
            total += float(value) * float(rhs_[group * g + chosen[point, row, g, k], column])
        assert y_[point, row, column] == total


def test_records_of_each_point() -> None:
    b = Builder("project")
    w, x, y = b.view("w", U8, ("M", "G", 144)), b.view("x", F32, ("G", 256)), b.view("y", F32, ("M",), Access.OUT)
    groups = IntExpr.symbol("G")

    def quantized(source: Value) -> Value:
        return b.emit(Quantize(source, RecordFormat.Q8_K, b.fresh(TensorType(U8, (groups, IntExpr.of(292)))))).result

    shared = quantized(b.load(x, None, None))
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        total = b.emit(QuantizedDot(b.load(w, row, None, None), shared, b.fresh(scalar(F32)))).result
        b.store(y, (row,), total)
    rng = np.random.default_rng(4)
    w_ = rng.integers(0, 256, (6, 7, 144)).astype(np.uint8)
    w_[..., :4] = rng.uniform(0, 1, (6, 7, 2)).astype(np.float16).view(np.uint8)
    x_, y_ = rng.standard_normal((7, 256)).astype(np.float32), np.empty(6, np.float32)
    run(verify(b.finish()), {"w": w_, "x": x_, "y": y_})
    records = quantize(x_)
    assert y_.tolist() == [float(quantized_dot(row, records)) for row in w_]


def test_small_floats_are_stored_selected_compared_and_contracted() -> None:
    b = Builder("f8")
    x, z, y = b.view("x", F8E4M3FN, ("N",)), b.view("z", F8E4M3FN, ("N",)), b.view("y", F8E4M3FN, ("N",), Access.OUT)
    bits_of, dot = b.view("bits", U8, ("N",), Access.OUT), b.view("dot", F32, (), Access.OUT)
    left, right = b.load(x, None), b.load(z, None)
    b.store(y, (None,), b.pointwise("select", b.pointwise("lt", left, right), left, right))
    b.store(bits_of, (None,), b.bitcast(b.cast(b.cast(left, F32), F8E4M3FN), U8))
    wide = [b.cast(value, F32) for value in (left, right)]
    b.store(dot, (), b.contract(*wide, ((0, 0),)))
    x_, z_ = np.random.default_rng(5).integers(-8, 8, (2, 50)).astype(ml_dtypes.float8_e4m3fn)
    y_, bits_, dot_ = np.empty_like(x_), np.empty(50, np.uint8), np.empty((), np.float32)
    run(verify(b.finish()), {"x": x_, "z": z_, "y": y_, "bits": bits_, "dot": dot_}, checked=True)
    assert y_.astype(float).tolist() == np.minimum(x_.astype(float), z_.astype(float)).tolist()
    assert bits_.tolist() == x_.view(np.uint8).tolist()
    assert dot_ == (x_.astype(float) * z_.astype(float)).sum()
