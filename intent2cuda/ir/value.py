"""SSA values. Identity is the value: two values are the same only when they are one object."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.base.span import Span
from intent2cuda.types.value_type import BufferType, DomainType, TensorType, ValueType, ViewType


@dataclass(frozen=True, eq=False, repr=False)
class Value:
    """A result of an op, an argument of a region, or a parameter of the kernel.

    `serial` is unique within the kernel and starts at 1, in order of creation. `name` is the author's name, or empty:
    it is
    for readers and takes no part in digests.
    """

    type: ValueType
    serial: int
    name: str = ""
    span: Span | None = None

    @property
    def tensor(self) -> TensorType:
        assert isinstance(self.type, TensorType)
        return self.type

    @property
    def domain(self) -> DomainType:
        assert isinstance(self.type, DomainType)
        return self.type

    @property
    def resource(self) -> ViewType | BufferType:
        assert isinstance(self.type, ViewType | BufferType)
        return self.type

    @property
    def as_symbol(self) -> IntExpr:
        """The integer expression that stands for this scalar wherever an extent or a bound depends on it."""
        return IntExpr.symbol(self.name, self.serial)

    def __repr__(self) -> str:
        return f"%{self.name or 'v'}.{self.serial}"
