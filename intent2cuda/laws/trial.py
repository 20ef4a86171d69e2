"""One attempt at an operation's laws: values for everything that is given, and both sides of an equation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from intent2cuda.interpret.part import Part
from intent2cuda.ir.ops import ReduceBy, RegionScan, Yield
from intent2cuda.language.bodies.storage import NUMPY, Array
from intent2cuda.laws.equations import Call, Declared, Given, Joined, Law, Term, region_of
from intent2cuda.types.dtype import BF16, F16, F32, F64, DType

Product: TypeAlias = tuple[Array, ...]

TOLERANCE: Mapping[DType, float] = {F64: 2.0**-26, F32: 2.0**-12, F16: 2.0**-5, BF16: 2.0**-4}
"""Half of the bits of the significand: how far floats may be apart, for the greatest number of 1 and both sides."""


class Trial:
    """The operation among the values of its setting.

    given: what the terms name. summarized: by name of a summary the slices that it comes from.
    """

    def __init__(self, op: Declared, part: Part) -> None:
        self.op = op
        self.part = part
        self.given: dict[str, Product] = {}
        self.summarized: dict[str, Product] = {}

    def sides(self, law: Law) -> tuple[Product, Product]:
        """Both sides of an equation. Raises IntentError where a helper leaves what is defined."""
        return self.value(law.lhs), self.value(law.rhs)

    def value(self, term: Term) -> Product:
        match term:
            case Given(name):
                return self.given[name]
            case Call(role, arguments):
                return self.called(role, *(self.value(argument) for argument in arguments))
            case Joined(lhs, rhs):
                left, right = self.value(lhs), self.value(rhs)
                axes = [self._axis] * len(left) if isinstance(lhs, Given) else self._axes_of_outputs
                return tuple(np.concatenate(pair, axis) for *pair, axis in zip(left, right, axes, strict=True))

    def called(self, role: str, *arguments: Product) -> Product:
        """A helper's result."""
        return self.part.call(region_of(self.op, role), self.flat(role, arguments))

    def flat(self, role: str, arguments: Sequence[Product]) -> Product:
        """The arguments of a region; one that takes slices gets their extent first."""
        arrays = [array for argument in arguments for array in argument]
        if role in ("summarize", "emit"):
            arrays.insert(0, np.asarray(arrays[0].shape[self._axis], np.int64))
        return tuple(arrays)

    @property
    def _axis(self) -> int:
        assert not isinstance(self.op, ReduceBy)
        return self.op.axis

    @property
    def _axes_of_outputs(self) -> list[int]:
        assert isinstance(self.op, RegionScan)
        extent, last = self.op.emit.args[0].as_symbol, self.op.emit.ops[-1]
        assert isinstance(last, Yield)
        return [value.tensor.shape.index(extent) for value in last.values]


def agree(lhs: Product, rhs: Product) -> bool:
    """Whether all components are equal: NaN as NaN, floats within the tolerance."""
    return all(_close(a, b) for a, b in zip(lhs, rhs, strict=True))


def _close(lhs: Array, rhs: Array) -> bool:
    if lhs.shape != rhs.shape:
        return False
    tolerance = next((t for dtype, t in TOLERANCE.items() if NUMPY[dtype] == lhs.dtype), 0.0)
    if not tolerance:
        return bool(np.all((lhs == rhs) | ((lhs != lhs) & (rhs != rhs))))
    left, right = lhs.astype(np.float64), rhs.astype(np.float64)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    sizes = np.abs(np.stack([left, right]))
    greatest = max(1.0, float(np.max(sizes, where=np.isfinite(sizes), initial=0.0)))
    with np.errstate(invalid="ignore"):
        return bool(np.all(same | (np.abs(left - right) <= tolerance * greatest)))
