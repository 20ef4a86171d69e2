"""The names of the language: what can be called and with which parameters, and what stands for itself."""

from __future__ import annotations

import math
from collections.abc import Mapping

from intent2cuda.parse.values import Element, Intrinsic, Literal, Val
from intent2cuda.types.dtype import BY_NAME

_UNARY = "exp log log1p lgamma sin asin cos floor erf erfc i0 rsqrt sqrt sigmoid abs"
_ATOMICS = "add max min exchange and_ or_ xor"

SIGNATURES: Mapping[str, str] = {
    "domain": "start, stop, step=",
    "parallel": "source",
    "indices": "region",
    "end": "region",
    "assume_in_bounds": "index, view, axis",
    "ragged": "outer, members, offsets, indices=",
    "members": "region",
    "full": "shape, fill, dtype",
    "zeros": "shape, dtype",
    "reshape": "value, shape",
    "transpose": "value, permutation=",
    "join": "lhs, rhs",
    "cast": "value, dtype",
    "bitcast": "value, dtype",
    "select": "condition, true_value, false_value",
    "mask": "value, valid, fill",
    "add": "lhs, rhs",
    "maximum": "lhs, rhs",
    "minimum": "lhs, rhs",
    "maximum_num": "lhs, rhs",
    "minimum_num": "lhs, rhs",
    "fdiv": "lhs, rhs, *, approximate=, flush_to_zero=",
    "exp2": "value, *, approximate=, flush_to_zero=",
    "tanh": "value, *, approximate=",
    **dict.fromkeys(_UNARY.split(), "value"),
    "reduce": "value, axis, identity, combine, combine_operands=, acc_dtype=",
    "reduce.sum": "value, *, axis, acc_dtype=",
    "reduce.max": "value, *, axis, acc_dtype=",
    "reduce.any": "value, *, axis",
    "reduce.all": "value, *, axis",
    "arg_reduce.max": "value, axis, acc_dtype=",
    "scan": "value, axis, identity, combine, combine_operands=, inclusive=, reverse=, acc_dtype=",
    "cumsum": "value, *, axis, inclusive=, reverse=, acc_dtype=",
    "cummax": "value, *, axis, inclusive=, reverse=, acc_dtype=",
    "region_fold": "source, axis, summarize, combine, identity, operands=",
    "region_scan": "source, axis, summarize, combine, identity, initial_state, apply, emit, operands=",
    "contract": "lhs, rhs, reduce, acc_dtype, batch=",
    "dot": "lhs, rhs, *, acc_dtype",
    "matvec": "matrix, vector, *, acc_dtype, transpose=",
    "vecmat": "vector, matrix, *, acc_dtype, transpose=",
    "matmul": "lhs, rhs, *, acc_dtype, transpose_lhs=, transpose_rhs=",
    "outer": "lhs, rhs",
    "scaled_contract": "lhs, lhs_scale, rhs, rhs_scale, lhs_format, rhs_format, lhs_group_size, rhs_group_size, "
    "reduce, batch=, *, acc_dtype",
    "scaled_matmul": "lhs, lhs_scale, rhs, rhs_scale, *, lhs_format, rhs_format, group_size, acc_dtype",
    "sparse_contract": "compressed, metadata, dense_rhs, format, reduce, batch=, *, acc_dtype",
    "sparse_matmul": "compressed, metadata, rhs, *, format, acc_dtype",
    "sparse_contract_2to4": "compressed_lhs, metadata, rhs, acc_dtype",
    "sparse.one_of_two": "compression_axis, logical_extent",
    "sparse.two_of_four": "compression_axis, logical_extent",
    "histogram": "values, bins, valid, count_dtype",
    "quantize": "values, *, format",
    "quantized_dot": "lhs, rhs, *, lhs_format, rhs_format, acc_dtype",
    "gather": "source, index, valid=, fill=",
    "scatter_unique": "destination, index, value",
    "scatter_reduce": "destination, index, value, combine",
    "buffer": "shape, dtype, init=",
    "store": "target, index, value",
    "mutable_load": "target, index",
    "atomic.load": "target, index, order",
    "atomic.store": "target, index, value, order",
    **{f"atomic.{name}": "target, index, value, order" for name in _ATOMICS.split()},
    "atomic.compare_exchange": "target, index, expected, desired, order",
    "random.bits": "seed, logical_counter",
    "random.uniform": "seed, logical_counter, dtype",
}

FREE_FORM = ("record",)
"""Intrinsics whose keywords are names of the author."""

TYPES = ("In", "Out", "InOut", "constraints", "Constexpr", "Enum")

FORMATS = ("e2m1", "e4m3", "e8m0", "quant.q4_k", "quant.q8_k")

CONSTANTS: Mapping[str, float] = {"inf": math.inf, "LOG2E": math.log2(math.e)}

PATHS = frozenset({*SIGNATURES, *FREE_FORM, *TYPES, *FORMATS})

ROOTS = frozenset(path.split(".")[0] for path in PATHS)


def language_attribute(name: str) -> Val | None:
    """What `I.name` is, or None where the language has no such name."""
    if name in BY_NAME:
        return Element(BY_NAME[name])
    if name in CONSTANTS:
        return Literal(CONSTANTS[name])
    return Intrinsic(name) if name in ROOTS else None


def is_name(path: str) -> bool:
    """Whether a dotted path after `I.` is a name of the language, or the beginning of one."""
    return path in PATHS or any(known.startswith(f"{path}.") for known in PATHS)


def visible_names() -> tuple[str, ...]:
    """Every name of the language, for suggestions."""
    return (*sorted(PATHS), *BY_NAME, *CONSTANTS)
