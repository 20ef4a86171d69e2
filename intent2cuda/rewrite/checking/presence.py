"""Inspections of reads that may find nothing: each element has a flag beside the memory, set by who writes it."""

from __future__ import annotations

from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Load, Rule, Store
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.checking.elements import allowed, both, coordinates, everywhere
from intent2cuda.rewrite.checking.meetings import element
from intent2cuda.rewrite.checking.positions import Place, inspect
from intent2cuda.types.dtype import I32
from intent2cuda.types.value_type import TensorType


def flags_of(builder: Builder, resource: Value) -> Value:
    """No element has been written yet."""
    return builder.allocate(I32, resource.resource.shape, builder.constant(0, I32), f"{resource.name}_written")


def wrote(builder: Builder, flags: Value, place: Place, mask: Value | None) -> None:
    """The elements of the mask are written from here on."""
    builder.emit(Store(flags, place.terms, everywhere(builder, 1, I32, place.shape), mask, promised_unique=True))


def present(builder: Builder, flags: Value, place: Place, mask: Value | None) -> Value:
    """The mask without elements that nobody has written."""
    result = builder.fresh(TensorType(I32, place.shape, not place.shape))
    fill = None if mask is None else everywhere(builder, 1, I32, place.shape)
    builder.emit(Load(flags, place.terms, result, mask, fill))
    written = builder.pointwise("ne", result, everywhere(builder, 0, I32, place.shape))
    text = f"{element(place)} is read before it is written"
    kept = inspect(builder, Rule.UNINITIALISED, allowed(builder, written, mask), coordinates(builder, place), text)
    return both(builder, mask, kept)
