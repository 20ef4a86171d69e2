"""Parts of a kernel, run on values that a caller gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from intent2cuda.interpret.machine import Machine
from intent2cuda.interpret.state import State
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import Array
from intent2cuda.types.value_type import Shape


class Part:
    """Single ops and regions outside of parallel loops. What they read must be defined; `dims` are the extents."""

    def __init__(self, dims: Mapping[str, int]) -> None:
        self._state = State(dims)
        self._machine = Machine(self._state, None)

    def define(self, value: Value, array: Array) -> None:
        """Sets a value; the array has the NumPy dtype of its element type."""
        self._state.define(value, array, None)

    def value(self, value: Value) -> Array:
        return self._state.read(value, None).array

    def extents(self, shape: Shape) -> tuple[int, ...]:
        return self._state.shape(shape, None)

    def perform(self, op: Op) -> None:
        """Defines the results of an op. Raises IntentError as `run` does."""
        with np.errstate(all="ignore"):
            self._machine.run(Region((), (op,)), None)

    def call(self, region: Region, arguments: Sequence[Array]) -> tuple[Array, ...]:
        """What a region yields for its arguments. Raises IntentError as `run` does."""
        for argument, array in zip(region.args, arguments, strict=True):
            self.define(argument, array)
        with np.errstate(all="ignore"):
            return tuple(slot.array for slot in self._machine.run(region, None).values)
