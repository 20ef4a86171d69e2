"""Counter-based random numbers."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.ir.ops import Philox
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.literals import dtype_of, no_tensor, tensor
from intent2cuda.parse.operators import binary
from intent2cuda.parse.static import dtype_argument
from intent2cuda.parse.values import Literal, Val
from intent2cuda.types.dtype import F32, INDEX, U32, U64
from intent2cuda.types.value_type import TensorType

Arguments = Mapping[str, Val]

_UNUSED_BITS = 8
"""Low bits that a uniform number leaves out: f32 holds the other 24 exactly."""


def bits(cx: Context, path: str, given: Arguments) -> Val:
    """`random.bits`: u32 of the shape of the counters."""
    return _philox(cx, path, given)


def uniform(cx: Context, path: str, given: Arguments) -> Val:
    """`random.uniform`: f32 in [0, 1), the high bits of a word times a power of two."""
    dtype = dtype_argument(cx, given["dtype"], "dtype", "kir.rng.dtype")
    if dtype != F32:
        cx.refuse(
            "kir.rng.dtype",
            f"I.{path} gives f32, not {dtype}",
            f"write dtype=I.f32, and convert with I.cast(..., I.{dtype})",
        )
    high = binary(cx, "shr", _philox(cx, path, given), Literal(_UNUSED_BITS))
    assert isinstance(high, Value)
    return binary(cx, "mul", cx.emitter.cast(high, F32), Literal(2.0 ** (_UNUSED_BITS - 32)))


def _philox(cx: Context, path: str, given: Arguments) -> Value:
    seed, counter = _seed(cx, path, given["seed"]), _counter(cx, path, given["logical_counter"])
    result = cx.emitter.value(TensorType(U32, counter.tensor.shape, counter.tensor.is_scalar))
    cx.emitter.emit(Philox(seed, counter, result))
    return result


def _seed(cx: Context, path: str, given: Val) -> Value:
    role = f"the seed of I.{path}"
    found = dtype_of(given)
    if found is not None and found != U64:
        cx.refuse("kir.rng.seed", f"{role} is a scalar of u64, not {found}", "convert with I.cast(..., I.u64)")
    seed = tensor(cx, given, U64, role)
    if seed.tensor.shape:
        cx.refuse("kir.rng.seed", f"{role} is a scalar of u64, not {described(seed)}", "use one element of the tensor")
    return seed


def _counter(cx: Context, path: str, given: Val) -> Value:
    role = f"the logical_counter of I.{path}"
    found = dtype_of(given)
    if found is None and not isinstance(given, Literal):
        no_tensor(cx, given, role)
    if found not in (None, U64, INDEX):
        cx.refuse("kir.rng.counter", f"{role} is u64 or index, not {found}", "convert with I.cast(..., I.index)")
    return tensor(cx, given, U64, role)
