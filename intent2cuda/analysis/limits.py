"""Lower and upper bounds of integers, and those of the coordinates of a shape."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.types.value_type import Shape


@dataclass(frozen=True)
class Bounds:
    """Every lower and every upper bound (included) that is known, best first."""

    lower: tuple[IntExpr, ...] = ()
    upper: tuple[IntExpr, ...] = ()


def axis_symbol(axis: int) -> Symbol:
    """The symbol of `coordinate(axis)`."""
    return Symbol(f"#{axis}", -1 - axis)


def coordinate_bounds(shape: Shape) -> dict[Symbol, Bounds]:
    """0 <= coordinate(k) < extent of axis k."""
    return {axis_symbol(axis): Bounds((IntExpr.of(0),), (extent - 1,)) for axis, extent in enumerate(shape)}
