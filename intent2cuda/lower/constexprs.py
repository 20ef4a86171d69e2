"""Constexpr parameters by name: `kWindow` where the author's expression has WINDOW."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from intent2cuda.base.intexpr import Symbol
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.ops import Constant as ConstantOp
from intent2cuda.lower.scalars import ctype
from intent2cuda.machine.expressions import Cast, Expression, Integer, Literal, Name
from intent2cuda.machine.names import RESERVED, first_free, identifier
from intent2cuda.machine.types import IndexT, Scalar
from intent2cuda.machine.unit import Constant
from intent2cuda.types.dtype import F32, F64, Kind


class Constexprs:
    """`declare` makes a constant of the file; it gives the name that the file has it under."""

    def __init__(self, kernel: Kernel, declare: Callable[[Constant], str]) -> None:
        self._declare = declare
        self._floats: dict[str, Scalar] = {}
        self.integers: dict[Symbol, int] = {}
        for name, value in kernel.constexprs:
            with suppress(ValueError):
                self.integers[Symbol(name)] = int(value)

    def name(self, symbol: Symbol) -> Name:
        """The constant of an integer."""
        value = Integer(self.integers[symbol])
        return Name(self._declare(Constant(IndexT(), _constant_name(symbol.name), value, _reason(symbol.name))))

    def constant(self, op: ConstantOp) -> Expression:
        """A number or truth value: by its name where it has one of its type."""
        named, dtype = self._named(op), op.result.tensor.dtype
        if named is not None:
            return named
        return Integer(int(op.value)) if dtype.kind is Kind.INDEX else Literal(op.value, dtype, op.literal)

    def _named(self, op: ConstantOp) -> Expression | None:
        symbol, dtype = op.named.as_symbol, op.result.tensor.dtype
        if symbol is None or not (dtype.is_float or dtype.is_integer) or (dtype.is_float and dtype not in (F32, F64)):
            return None
        if symbol in self.integers:
            name = self.name(symbol)
            return name if dtype.kind is Kind.INDEX else Cast(ctype(dtype), name)
        if self._floats.setdefault(symbol.name, Scalar(dtype)) != Scalar(dtype):
            return None
        value = Literal(op.value, dtype, op.literal)
        return Name(self._declare(Constant(Scalar(dtype), _constant_name(symbol.name), value, _reason(symbol.name))))


def _constant_name(name: str) -> str:
    words = (word.lower() if word.isupper() else word for word in identifier(name).split("_"))
    camel = "".join(word[:1].upper() + word[1:] for word in words)
    return first_free((f"k{camel}", f"k{camel}Value"), lambda candidate: candidate in RESERVED)


def _reason(name: str) -> str:
    return f"the Constexpr {name}"
