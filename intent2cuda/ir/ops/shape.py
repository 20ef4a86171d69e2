"""Changes of shape. Each states an exact map from result coordinates to source coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value


@dataclass(frozen=True, eq=False)
class Broadcast(Op):
    """`axes[i]` is the source axis that result axis `i` reads, or None for a new axis. Every source axis occurs once,
    in order.

    Where the extents of a mapped pair are not the same expression, the source extent is 1 (statically, or to be
    checked at run time:
    then the source axis is one of `guarded`, and it must equal 1 or the result extent; it reads position 0 when it is
    1).
    """

    source: Value
    axes: tuple[int | None, ...]
    result: Value
    guarded: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Reshape(Op):
    """The same elements in row-major order under another shape of the same count."""

    source: Value
    result: Value


@dataclass(frozen=True, eq=False)
class Transpose(Op):
    """Result axis `i` is source axis `permutation[i]`."""

    source: Value
    permutation: tuple[int, ...]
    result: Value


@dataclass(frozen=True, eq=False)
class Join(Op):
    """Two tensors of one type side by side on a new last axis of extent 2."""

    lhs: Value
    rhs: Value
    result: Value
