"""Reductions and contractions: identities, NaN, wrapping, and the order of the result's axes."""

from __future__ import annotations

import numpy as np
import pytest

from intent2cuda.language.bodies.contraction import contract
from intent2cuda.language.bodies.reduction import NO_POSITION, arg_max, identity, reduce
from intent2cuda.language.bodies.storage import NUMPY
from intent2cuda.types.dtype import BF16, BOOL, BY_NAME, F8E4M3FN, F16, F32, F64, I8, I32, U8


@pytest.mark.parametrize("name", [n for n in BY_NAME if n != "bool"])
def test_reductions_of_nothing_give_the_identity(name: str) -> None:
    dtype = BY_NAME[name]
    empty = np.empty((0, 2), NUMPY[dtype])
    for combiner in ("add", "maximum", "minimum"):
        result = reduce(combiner, dtype, empty, (0,))
        assert result.dtype == NUMPY[dtype]
        assert result.astype(np.float64).tolist() == [float(identity(combiner, dtype))] * 2


def test_identities_of_formats_without_infinity() -> None:
    assert identity("maximum", F8E4M3FN) == -448
    assert identity("minimum", U8) == 255
    assert identity("maximum", I8) == -128


def test_any_and_all_of_nothing() -> None:
    empty = np.empty((0,), bool)
    assert not reduce("any", BOOL, empty, (0,))
    assert reduce("all", BOOL, empty, (0,))


@pytest.mark.parametrize("dtype", [F32, F64, BF16, F16], ids=str)
def test_maximum_and_arg_max_propagate_the_first_nan(dtype) -> None:
    x = np.array([[1, 7, 7, 2], [np.nan, 9, np.nan, 0]]).astype(NUMPY[dtype])
    assert np.isnan(reduce("maximum", dtype, x, (1,))[1].astype(float))
    values, positions = arg_max(dtype, x, 1)
    assert positions.tolist() == [1, 0]
    assert values.astype(float)[0] == 7
    assert np.isnan(values.astype(float)[1])


def test_arg_max_of_nothing() -> None:
    values, positions = arg_max(F32, np.empty((3, 0), np.float32), 1)
    assert values.tolist() == [-np.inf] * 3
    assert positions.tolist() == [NO_POSITION] * 3


def test_sums_wrap() -> None:
    assert reduce("add", I32, np.full((3,), 2**31 - 1, np.int32), (0,)) == 2**31 - 3


def test_contraction_keeps_batch_axes_where_the_left_operand_has_them() -> None:
    rng = np.random.default_rng(0)
    lhs, rhs = rng.integers(-9, 9, (3, 5, 2, 4)), rng.integers(-9, 9, (5, 6, 4, 7, 2))
    result = contract(lhs.astype(np.int8), rhs.astype(np.int8), I8, I32, ((2, 4), (3, 2)), ((1, 0),))
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, np.einsum("abcd,bedfc->abef", lhs, rhs))


def test_contraction_accumulates_in_the_wide_type() -> None:
    ones = np.ones((4096,), np.float16)
    assert contract(ones, ones, F16, F32, ((0, 0),), ()) == 4096
    assert contract(np.full(3, 100, np.int8), np.full(3, 100, np.int8), I8, I32, ((0, 0),), ()) == 30000


def test_contraction_over_nothing_is_zero() -> None:
    result = contract(np.empty((2, 0), np.float32), np.empty((0, 3), np.float32), F32, F32, ((1, 0),), ())
    assert result.tolist() == [[0, 0, 0]] * 2


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_every_addition_of_a_sum_rounds_to_its_dtype(dtype) -> None:
    large = {F16: 2048.0, BF16: 256.0}[dtype]
    x = np.array([[large, 1.0], [0.0, 0.0]]).astype(NUMPY[dtype])
    assert reduce("add", dtype, x, (0,)).astype(float).tolist() == [large, 1]
    assert reduce("add", dtype, x, (0, 1)).astype(float) == large
    four = np.array([large, 0, 1, 1]).astype(NUMPY[dtype])  # in f32 the last two would raise the first
    assert reduce("add", dtype, four, (0,)).astype(float) == large
    assert reduce("add", dtype, x[:0], (0,)).astype(float).tolist() == [0, 0]
