"""Values whose dtype nobody chose: a literal before a loop that carries it is i64, f64 or bool for good."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from intent2cuda.ir.value import Value
from intent2cuda.parse import folding
from intent2cuda.parse.values import Literal, Val
from intent2cuda.types.dtype import DType


@dataclass(frozen=True)
class Beginning:
    """The literal that a name, or a `part` of it, is before the loop."""

    name: str
    literal: Literal
    part: bool

    def suits(self, dtype: DType) -> bool:
        """Whether the author may have meant a number of the dtype."""
        is_number = not isinstance(self.literal.value, bool) and not dtype.is_bool
        return is_number and (dtype.is_float or isinstance(self.literal.value, int))

    def advice(self, dtype: DType) -> str:
        """What the author writes to begin with the dtype."""
        number = _written(self.literal)
        if self.part:
            return f"a part of `{self.name}` begins as the literal {number}: begin with I.cast({number}, I.{dtype})"
        return f"`{self.name}` begins as the literal {number}: begin with {self.name} = I.cast({number}, I.{dtype})"


class Beginnings:
    """Which values began as a literal."""

    def __init__(self) -> None:
        self._found: dict[Value, Beginning] = {}

    def begin(self, value: Value, beginning: Beginning) -> None:
        self._found[value] = beginning

    def follow(self, value: Value, *before: Val) -> None:
        """The value has its dtype from those before it: one that began as a literal and, at most, literals."""
        origins = [self._found.get(each) if isinstance(each, Value) else None for each in before]
        known = [origin for origin in origins if origin is not None]
        if known and all(origin or isinstance(each, Literal) for origin, each in zip(origins, before, strict=True)):
            self._found[value] = known[0]

    def advice(self, values: Sequence[Val | None], dtypes: Sequence[DType | None]) -> str | None:
        """How the first of the values that began as a literal would begin with the dtype of another one."""
        for value, dtype in zip(values, dtypes, strict=True):
            beginning = self._found.get(value) if isinstance(value, Value) else None
            other = next((found for found in dtypes if found not in (dtype, None)), None)
            if beginning is not None and other is not None and beginning.suits(other):
                return beginning.advice(other)
        return None


def _written(literal: Literal) -> str:
    if isinstance(literal.value, float) and math.isinf(literal.value):
        return "I.inf" if literal.value > 0 else "-I.inf"
    return folding.shown(literal)
