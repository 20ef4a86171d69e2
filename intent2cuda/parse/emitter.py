"""Makes the ops of a kernel in program order, each with its place in the author's text."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from intent2cuda.base.intexpr import NAMELESS, IntExpr, Symbol, maximum, minimum, symbols
from intent2cuda.base.span import Span
from intent2cuda.ir import infer
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import (
    AssumeInBounds,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Cast,
    CompareExchange,
    Constant,
    Dim,
    Load,
    Pointwise,
    RequireEqual,
    ScatterReduce,
    Store,
    Yield,
)
from intent2cuda.ir.value import Value
from intent2cuda.parse.sizes import holds
from intent2cuda.types.dtype import INDEX, DType
from intent2cuda.types.value_type import TensorType, ValueType, scalar

ARITHMETIC: Mapping[str, Callable[..., IntExpr]] = {
    "add": IntExpr.__add__,
    "sub": IntExpr.__sub__,
    "mul": IntExpr.__mul__,
    "floordiv": IntExpr.__floordiv__,
    "mod": IntExpr.__mod__,
    "maximum": maximum,
    "minimum": minimum,
    "neg": IntExpr.__neg__,
}
"""Scalar functions that an integer expression holds."""

EFFECTS = (Store, AssumeInBounds, AtomicLoad, AtomicStore, AtomicUpdate, CompareExchange, ScatterReduce)
"""Ops that an author may write for what they do rather than for a value."""

MAX_SYMBOLS = 40
"""How many symbols an expression may mention: products of sums would otherwise grow without end."""


def arithmetic(fn: str, *operands: IntExpr) -> IntExpr | None:
    """The expression of a function of expressions; None where it would be unwieldy, or its numbers are no index."""
    sizes = [sum(1 for _ in symbols(operand)) for operand in operands]
    product = fn == "mul" and len(operands[0].terms) * len(operands[1].terms) > MAX_SYMBOLS
    if product or (sum(sizes) > MAX_SYMBOLS and min(sizes) > 0):
        return None
    found = ARITHMETIC[fn](*operands)
    if found.constant is None and not all(holds(coefficient) for _, coefficient in found.terms):
        return None
    return found if sum(1 for _ in symbols(found)) <= 2 * MAX_SYMBOLS else None


@dataclass(eq=False)
class Block:
    """Ops of one region, and what may be used again there: scalars already made, extents already required equal."""

    ops: list[Op] = field(default_factory=list[Op])
    made: dict[Hashable, Value] = field(default_factory=dict[Hashable, Value])
    equal: set[frozenset[IntExpr]] = field(default_factory=set[frozenset[IntExpr]])


class Emitter:
    """The ops made so far. `statement`, `place` and `routine` are put on every op."""

    def __init__(self) -> None:
        self.blocks: list[Block] = [Block()]
        self.statement: Span | None = None
        self.place: Span | None = None
        self.routine = ""
        self.call_time: set[Symbol] = set()
        self.effects = 0
        self.loads: dict[int, Load] = {}
        """What reads one element, as it stands or converted, by the serial of the element."""
        self._serial = 0
        self._expressions: dict[Value, IntExpr] = {}
        self._named: dict[Value, IntExpr] = {}
        self._arithmetic: dict[Value, tuple[str, tuple[Value, ...]]] = {}
        self._by_symbol: dict[Symbol, Value] = {}
        self._constants: dict[Value, bool | int | float] = {}

    def value(self, type_: ValueType, name: str = "") -> Value:
        self._serial += 1
        return Value(type_, self._serial, name, self.place)

    def emit(self, op: Op) -> None:
        self.effects += isinstance(op, EFFECTS)
        if isinstance(op, Load) and op.result.tensor.is_scalar:
            self.loads[op.result.serial] = op
        elif isinstance(op, Cast) and (load := self.loads.get(op.source.serial)) is not None:
            self.loads[op.result.serial] = load
        self.blocks[-1].ops.append(replace(op, span=self.place, statement=self.statement, routine=self.routine))

    @property
    def mark(self) -> int:
        """The serial of the newest value: values made later are above it."""
        return self._serial

    @contextmanager
    def block(self, again: Block | None = None) -> Generator[Block]:
        """A new region's ops, or more of one made before; they are in the block that is given."""
        inner = Block() if again is None else again
        self.blocks.append(inner)
        try:
            yield inner
        finally:
            self.blocks.pop()

    @staticmethod
    def region(args: tuple[Value, ...], block: Block, values: tuple[Value, ...], stop: Value | None = None) -> Region:
        return Region(args, (*block.ops, Yield(values, stop)))

    def known(self, key: Hashable) -> Value | None:
        """A scalar made before, here or in a region around."""
        return next((b.made[key] for b in reversed(self.blocks) if key in b.made), None)

    def constant(
        self,
        value: bool | int | float,
        dtype: DType,
        literal: str = "",
        fresh: bool = False,
        named: IntExpr = NAMELESS,
    ) -> Value:
        """The constant; one made before serves again unless the author gives this one a name."""
        key = ("constant", repr(value), dtype, literal, named)
        if not fresh and (made := self.known(key)) is not None:
            return made
        result = self.value(scalar(dtype))
        if dtype.is_integer:
            self._expressions[result] = IntExpr.of(int(value))
        self._constants[result] = value
        self.emit(Constant(value, result, literal, named=named))
        if not fresh:
            self.blocks[-1].made[key] = result
        return result

    def constant_of(self, value: Value) -> bool | int | float | None:
        """The number or truth value of a constant; None for other values."""
        return self._constants.get(value)

    def expression(self, value: Value) -> IntExpr:
        """What is known of an integer scalar: its expression, else the symbol that stands for it."""
        found = self._expressions.get(value)
        if found is None and (definition := self._arithmetic.get(value)) is not None:
            fn, args = definition
            found = arithmetic(fn, *(self.expression(arg) for arg in args))
        if found is None:
            found = value.as_symbol
            self._by_symbol[Symbol(value.name, value.serial)] = value
        self._expressions[value] = found
        return found

    def in_names(self, value: Value) -> IntExpr:
        """An index scalar in the names of Constexpr parameters, where it was made of them."""
        return self._named.get(value, NAMELESS)

    def is_settled(self, value: Value) -> bool:
        """Whether the name of the value is already part of an expression."""
        return Symbol(value.name, value.serial) in self._by_symbol

    def dim(self, expression: IntExpr, named: IntExpr = NAMELESS) -> Value:
        """An index scalar that holds the expression."""
        number = expression.constant
        if number is not None:
            return self.constant(number, INDEX, named=named)
        symbol = expression.as_symbol
        if symbol is not None and symbol.serial and (same := self._by_symbol[symbol]).tensor.dtype == INDEX:
            return same
        key = ("dim", expression, named)
        made = self.known(key)
        if made is None:
            made = self.value(scalar(INDEX))
            self._expressions[made] = expression
            self._named[made] = named
            self.emit(Dim(expression, made, named))
            self.blocks[-1].made[key] = made
        return made

    def pointwise(self, fn: str, *args: Value, approximate: bool = False, flush_to_zero: bool = False) -> Value:
        """The function of operands whose shapes already agree; an integer scalar made before is not made again."""
        type_ = infer.pointwise_type(fn, [a.tensor for a in args])
        key = (fn, args) if type_.is_scalar and type_.dtype.is_integer else None
        if key is not None and (made := self.known(key)) is not None:
            return made
        result = self.value(type_)
        self.emit(Pointwise(fn, args, result, approximate, flush_to_zero))
        if key is not None:
            self.blocks[-1].made[key] = result
            if fn in ARITHMETIC and type_.dtype.is_signed:
                self._arithmetic[result] = (fn, args)
        return result

    def cast(self, source: Value, dtype: DType) -> Value:
        if source.tensor.dtype == dtype:
            return source
        type_ = TensorType(dtype, source.tensor.shape, source.tensor.is_scalar)
        key = ("cast", source, dtype) if type_.is_scalar and dtype.is_integer else None
        if key is not None and (made := self.known(key)) is not None:
            return made
        result = self.value(type_)
        self.emit(Cast(source, result))
        if key is not None:
            self.blocks[-1].made[key] = result
        return result

    def christen(self, value: Value, name: str) -> None:
        """Gives a nameless value the author's name; a value is nameless only until its statement ends."""
        if not value.name and not self.is_settled(value):
            object.__setattr__(value, "name", name)

    def is_call_time(self, expression: IntExpr) -> bool:
        """Whether a call decides the value: it is made of extents of the signature and runtime scalars."""
        return all(not s.serial or s in self.call_time for s in symbols(expression))

    def are_equal(self, lhs: IntExpr, rhs: IntExpr) -> bool:
        """Whether two extents are one, or have been required to be equal on every way to here."""
        if lhs == rhs:
            return True
        stated = [block.equal for block in self.blocks if block.equal]
        return bool(stated) and any(frozenset((lhs, rhs)) in equal for equal in stated)

    def require_equal(self, lhs: IntExpr, rhs: IntExpr, text: str) -> None:
        if not self.are_equal(lhs, rhs):
            self.emit(RequireEqual(lhs, rhs, text))
            self.blocks[-1].equal.add(frozenset((lhs, rhs)))
