"""Who defines each value of a kernel, and what an integer scalar is worth as an expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import NAMELESS, IntExpr, Symbol
from intent2cuda.ir.constants import Number, constant_of
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, operands, regions, results
from intent2cuda.ir.ops import Constant, Dim, For, If, Store, While, Yield
from intent2cuda.ir.value import Value


class Definitions:
    """The defining op of each result; values without one are parameters and arguments of regions."""

    def __init__(self, kernel: Kernel) -> None:
        self._ops: dict[Value, Op] = {}
        self._by_serial: dict[int, Value] = {}
        self._users: dict[Value, list[Op]] = {}
        self._merged: dict[Op, Sequence[Value]] = {}
        for value in (*kernel.parameters, *_arguments(kernel.body)):
            self._by_serial[value.serial] = value
        for op in walk(kernel.body):
            for result in results(op):
                self._ops[result] = op
                self._by_serial[result.serial] = result
            for operand in operands(op):
                self._users.setdefault(operand, []).append(op)
            for body in _bodies(op):
                self._merged[body.ops[-1]] = results(op)

    def op(self, value: Value) -> Op | None:
        return self._ops.get(value)

    def constant(self, value: Value) -> Number | None:
        """What a value is everywhere, where that is a constant."""
        found = constant_of(value, self._ops.get)
        return None if found is None else found.value

    def users(self, value: Value) -> Sequence[Op]:
        """The ops that read a value, each as often as it does."""
        return self._users.get(value, ())

    def user_name(self, value: Value) -> str:
        """The author's name of the first value that is made from this one, or of the memory it is stored to."""
        for user in self._users.get(value, ()):
            if isinstance(user, Store) and user.resource is not value and user.resource.name:
                return user.resource.name
            for result in self._made(user, value):
                if found := result.name or self.user_name(result):
                    return found
        return ""

    def _made(self, user: Op, value: Value) -> Sequence[Value]:
        """What an op makes of a value; what a body yields comes out of the loop or branch around it."""
        if not isinstance(user, Yield):
            return results(user)
        pairs = zip(user.values, self._merged.get(user, ()), strict=False)
        return [merged for one, merged in pairs if one is value]

    def scalar(self, symbol: Symbol) -> Value:
        """The scalar that a symbol of an expression stands for."""
        found = self._by_serial.get(symbol.serial)
        if found is None:
            raise InternalError(f"no value stands behind the symbol {symbol.name}%{symbol.serial}")
        return found

    def expression(self, value: Value) -> IntExpr:
        """An integer scalar as an expression: itself where it has a name or is computed at run time."""
        match self._ops.get(value):
            case Dim(expression=expression) as op if (
                not value.name or expression.as_symbol or expression.constant is not None
            ):
                return in_names(op)
            case Constant() as op if not value.name:
                return in_names(op)
            case _:
                return value.as_symbol


def in_names(op: Dim | Constant) -> IntExpr:
    """An integer as an expression, in the names of Constexpr parameters where it was made of them."""
    if op.named != NAMELESS:
        return op.named
    return op.expression if isinstance(op, Dim) else IntExpr.of(int(op.value))


def _bodies(op: Op) -> Sequence[Region]:
    """The regions of an op that yield its results."""
    match op:
        case For() | While():
            return (op.body,)
        case If():
            return (op.then_body, op.else_body)
        case _:
            return ()


def _arguments(region: Region) -> Iterator[Value]:
    yield from region.args
    for op in walk(region):
        for inner in regions(op):
            yield from inner.args
