"""Numbers that stand in memory byte by byte: `intent::from_bytes<float>(b0, b1, b2, b3)` for what shifts assemble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from intent2cuda.ir.constants import constant_of
from intent2cuda.ir.ops import Bitcast, Cast, Pointwise
from intent2cuda.ir.value import Value
from intent2cuda.lower.definitions import Definitions
from intent2cuda.lower.nodes import Make
from intent2cuda.lower.scalars import bitcast, ctype
from intent2cuda.machine.expressions import Call, Expression
from intent2cuda.types.dtype import U8, DType


@dataclass(frozen=True)
class Bits:
    """The values whose elements the bits of another type are made of, and how."""

    sources: tuple[Value, ...]
    make: Make


def bits(definitions: Definitions, op: Bitcast) -> Bits:
    """How the result of a cast of bits is written."""
    dtype = op.result.tensor.dtype
    parts = _bytes(definitions, op.source, 0)
    if sorted(parts) == list(range(0, dtype.bits, 8)) and dtype.bits > 8:
        return Bits(tuple(parts[place] for place in sorted(parts)), lambda args: _from_bytes(dtype, args))
    return Bits((op.source,), lambda args: bitcast(dtype, args[0]))


def _from_bytes(dtype: DType, parts: Sequence[Expression]) -> Expression:
    return Call("intent::from_bytes", tuple(parts), (ctype(dtype),))


def _bytes(definitions: Definitions, value: Value, place: int) -> Mapping[int, Value]:
    """The bytes that a number is assembled from, by the bit where each begins; nothing where it is made otherwise."""
    op = definitions.op(value)
    match op:
        case Cast(source=source) if source.tensor.dtype == U8 and not value.name:
            return {place: source}
        case Pointwise(fn="shl", args=(shifted, amount)) if (by := constant_of(amount, definitions.op)) is not None:
            return _bytes(definitions, shifted, place + int(by.value))
        case Pointwise(fn="bit_or", args=(low, high)):
            sides = _bytes(definitions, low, place), _bytes(definitions, high, place)
            return {} if not all(sides) or sides[0].keys() & sides[1].keys() else {**sides[0], **sides[1]}
        case _:
            return {}
