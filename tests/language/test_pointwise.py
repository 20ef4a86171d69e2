"""The scalar functions: rounding, wrapping, special values, and the stated accuracies."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext

import ml_dtypes
import numpy as np
import pytest

from intent2cuda.language.bodies.pointwise import EXACT, IN_F64, apply
from intent2cuda.language.bodies.storage import NUMPY
from intent2cuda.types.dtype import BF16, BOOL, BY_NAME, F16, F32, F64, I8, I32, U8, U32, DType
from intent2cuda.types.scalar_fn import SCALAR_FNS, ScalarFn


def evaluate(fn: str, dtype: DType, *operands: object) -> list[float]:
    with np.errstate(all="ignore"):
        arrays = [np.asarray(operand).astype(NUMPY[dtype]) for operand in operands]
        return apply(fn, dtype, *arrays).astype(np.float64).tolist()


def ulps(actual: float, exact: Decimal) -> float:
    return float(abs(Decimal(actual) - exact) / Decimal(math.ulp(float(exact))))


def test_every_scalar_function_has_one_body() -> None:
    assert {*EXACT, *IN_F64, "select"} == set(SCALAR_FNS)
    assert not EXACT.keys() & IN_F64.keys()


ACCEPTED = [(fn, dtype) for fn in SCALAR_FNS.values() for dtype in BY_NAME.values() if fn.accepts(dtype)]


@pytest.mark.parametrize(("fn", "dtype"), ACCEPTED, ids=lambda part: getattr(part, "name", ""))
def test_results_have_the_dtype_of_the_table(fn: ScalarFn, dtype: DType) -> None:
    operands = [np.array([1, 1], NUMPY[dtype]) for _ in range(fn.arity)]
    if fn.name == "select":
        operands[0] = np.array([True, False])
    result = apply(fn.name, dtype, *operands)
    assert result.dtype == (NUMPY[BOOL] if fn.result.value == "bool" else NUMPY[dtype])


def test_half_precision_rounds_after_each_operation() -> None:
    a, b = 1.0, 2.0**-9
    assert evaluate("add", BF16, [a], [b]) == [1.0]
    assert evaluate("mul", F16, [1.0009765625], [1.0009765625]) == [float(np.float16(1.0009765625**2))]
    assert evaluate("exp", F16, [1.5]) == [float(np.float16(np.exp(1.5)))]


def test_integers_wrap_and_divide_downward() -> None:
    assert evaluate("add", I8, [127, -128], [1, -1]) == [-128, 127]
    assert evaluate("neg", I8, [-128, 5]) == [-128, -5]
    assert evaluate("neg", U8, [1, 0]) == [255, 0]
    assert evaluate("floordiv", I32, [-7, 7, -7], [2, -2, -2]) == [-4, -4, 3]
    assert evaluate("mod", I32, [-7, 7, -7], [2, -2, -2]) == [1, -1, -1]
    assert evaluate("floordiv", U8, [250], [7]) == [35]
    assert evaluate("shr", I8, [-128], [3]) == [-16]
    assert evaluate("shr", U8, [128], [3]) == [16]
    assert evaluate("shl", U8, [0xFF], [4]) == [0xF0]
    assert evaluate("floordiv", I8, [5, -128], [0, -1])[1:] == [-128]


def test_maximum_propagates_nan_and_maximum_num_ignores_one() -> None:
    x, y = [np.nan, 1.0, np.nan], [2.0, np.nan, np.nan]
    for dtype in (F32, F64, BF16):
        assert np.isnan(evaluate("maximum", dtype, x, y)).all()
        assert np.isnan(evaluate("minimum", dtype, x, y)).all()
        assert evaluate("maximum_num", dtype, x, y)[:2] == [2.0, 1.0]
        assert evaluate("minimum_num", dtype, x, y)[:2] == [2.0, 1.0]
        assert np.isnan(evaluate("maximum_num", dtype, x, y)[2])


def test_select_keeps_bits() -> None:
    bits = np.array([0x7FC1, 0xFFC2], np.uint16)
    chosen = apply(
        "select", BF16, np.array([True, False]), bits.view(ml_dtypes.bfloat16), bits.view(ml_dtypes.bfloat16)
    )
    assert chosen.view(np.uint16).tolist() == bits.tolist()


def test_special_values() -> None:
    inf, nan = math.inf, math.nan
    x = [0.0, -0.0, 1.0, 2.0, -1.0, inf, -inf, nan]
    for dtype in (F16, F32, F64):
        np.testing.assert_equal(evaluate("lgamma", dtype, x), [inf, inf, 0.0, 0.0, inf, inf, inf, nan])
        np.testing.assert_equal(evaluate("rsqrt", dtype, x)[:3], [inf, -inf, 1.0])
        np.testing.assert_equal(evaluate("i0", dtype, [0.0, inf, -inf, nan]), [1.0, inf, inf, nan])
        np.testing.assert_equal(evaluate("sigmoid", dtype, [0.0, inf, -inf, nan]), [0.5, 1.0, 0.0, nan])
        np.testing.assert_equal(evaluate("erf", dtype, [0.0, inf, -inf, nan]), [0.0, 1.0, -1.0, nan])
        np.testing.assert_equal(evaluate("erfc", dtype, [0.0, inf, -inf, nan]), [1.0, 0.0, 2.0, nan])
        np.testing.assert_equal(evaluate("asin", dtype, [1.5, -2.0, nan]), [nan, nan, nan])
        assert math.copysign(1, evaluate("log1p", dtype, [-0.0])[0]) == -1


def test_lgamma_overflows_to_infinity() -> None:
    assert evaluate("lgamma", F64, [1e305, 1e308]) == [math.lgamma(1e305), math.inf]


def i0_series(x: float) -> Decimal:
    total = term = Decimal(1)
    quarter = Decimal(x) ** 2 / 4
    k = 0
    while term > total * Decimal(10) ** -40:
        k += 1
        term *= quarter / (k * k)
        total += term
    return total


def test_i0_keeps_6_ulp_up_to_its_overflow() -> None:
    getcontext().prec = 60
    points = [0.1, 1.0, 7.9, 8.0, 8.1, 30.0, 300.0, 699.9, 700.0, 700.1, 709.9, 713.9]
    assert max(ulps(v, i0_series(x)) for x, v in zip(points, evaluate("i0", F64, points), strict=True)) <= 6
    assert evaluate("i0", F64, [714.0, 800.0]) == [math.inf, math.inf]


def erfc_by_fraction(x: float) -> Decimal:
    """exp(-x^2) / sqrt(pi) times the continued fraction of the complementary error function, for x of 2 or more."""
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582")
    exact = Decimal(x)
    tail = exact
    for k in range(600, 0, -1):
        tail = exact + Decimal(k) / 2 / tail
    return (-exact * exact).exp() / pi.sqrt() / tail


def test_erfc_keeps_5_ulp() -> None:
    getcontext().prec = 60
    points = [2.0, 2.5, 3.0, 5.0, 9.5, 15.0, 25.0]
    values = evaluate("erfc", F64, points)
    assert max(ulps(v, erfc_by_fraction(x)) for x, v in zip(points, values, strict=True)) <= 5


def test_log1p_and_exp_in_f32_are_correctly_rounded() -> None:
    getcontext().prec = 60
    points = np.random.default_rng(0).uniform(-0.9, 5, 300).astype(np.float32)
    for fn, exact in (("log1p", lambda d: (1 + d).ln()), ("exp", lambda d: d.exp())):
        for x, v in zip(points.tolist(), evaluate(fn, F32, points), strict=True):
            wanted = exact(Decimal(x))
            spacing = Decimal(float(np.spacing(np.abs(np.float32(wanted)))))
            assert abs(Decimal(v) - wanted) <= spacing * Decimal("0.5000001")


def test_unsigned_comparison_is_unsigned() -> None:
    assert evaluate("gt", U32, [2**31, 1], [1, 2**31]) == [1.0, 0.0]
