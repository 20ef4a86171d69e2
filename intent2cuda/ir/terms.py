"""Index terms: one for each axis of what is indexed, in axis order.

The result axes of an access follow the order of the terms: a whole axis, a slice and a region give one axis each, a
point gives none,
and all lane terms together give the axes of their (common) shape at the place of the first of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.value import Value


@dataclass(frozen=True)
class Whole:
    """Every position of the axis."""


@dataclass(frozen=True)
class Slice:
    """`extent` positions from `begin` (an index scalar) on."""

    begin: Value
    extent: IntExpr


@dataclass(frozen=True)
class Along:
    """The coordinates of a domain: position `begin + ordinal * step` of the domain's type."""

    domain: Value


@dataclass(frozen=True)
class Point:
    """One position, an integer scalar (already counted from the start: negative author indices are resolved)."""

    index: Value


@dataclass(frozen=True)
class Lanes:
    """Positions from an integer tensor; all lane terms of one access have been broadcast to one shape."""

    index: Value


Term: TypeAlias = Whole | Slice | Along | Point | Lanes
