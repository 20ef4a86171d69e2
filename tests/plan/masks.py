"""Which elements of values matter in one execution of a region, found from the values themselves.

A scope is one turn of a loop, one branch, or a kernel's body. While its ops are executed it notes what coordinates
decide, and where a mask put a constant; at the end it goes backwards from the effects to what they need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir import ops
from intent2cuda.ir.constants import neutral
from intent2cuda.ir.op import Op, operands, results
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import keeps_extent
from intent2cuda.plan.fills import ABSORBING, of_one

Array = Any
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
ARITHMETIC = ("add", "sub", "mul", "floordiv", "mod", "maximum", "minimum", "neg")


@dataclass(frozen=True, eq=False)
class Mask:
    """True for some elements. `axes`: those on which it depends; along the others it is the same."""

    where: Array
    axes: frozenset[int]

    def __and__(self, other: Mask) -> Mask:
        return Mask(self.where & other.where, self.axes | other.axes)

    def __or__(self, other: Mask) -> Mask:
        return Mask(self.where | other.where, self.axes | other.axes)

    def __invert__(self) -> Mask:
        return Mask(~self.where, self.axes)


def meet(one: Mask | None, other: Mask | None) -> Mask | None:
    """Both; None stands for everywhere."""
    return one & other if one and other else one or other


def join(one: Mask | None, other: Mask | None) -> Mask | None:
    return one | other if one and other else None


@dataclass(frozen=True, eq=False)
class Filled:
    where: Mask
    number: float


class Scope:
    """`array` gives the present value of an SSA value; `around` is the scope in which this one stands."""

    def __init__(self, array: Callable[[Value], Array], around: Scope | None = None) -> None:
        self._array = array
        self._around = around
        self._own: set[Value] = set()
        self._known: dict[int, Mask] = {}  # by serial: where coordinates decide an integer or bool
        self._filled: dict[Value, Filled] = {}
        self._numbers: dict[Value, float] = {}
        self._needs: dict[Value, Mask | None] = {}
        self.steps: list[Op] = []
        self.masks: dict[Op, tuple[Mask | None, ...]] = {}

    def enter(self, value: Value, like: Value | None = None) -> None:
        """An argument of a region; `like`: the source of which it is the whole."""
        self._own.add(value)
        if like is not None:
            known, filled = self._look("_known", like.serial), self._look("_filled", like)
            self._known |= {} if known is None else {value.serial: known}
            self._filled |= {} if filled is None else {value: filled}

    def decide(self, value: Value) -> None:
        """Coordinates decide a scalar."""
        self._own.add(value)
        self._known[value.serial] = Mask(np.True_, frozenset())

    def decides(self, *expressions: IntExpr) -> bool:
        """Whether expressions are of extents and of scalars that coordinates decide."""
        serials = {symbol.serial for expression in expressions for symbol in symbols(expression)} - {0}
        return all(self._look("_known", serial) is not None for serial in serials)

    def _look(self, table: str, key: Any) -> Any:
        scope: Scope | None = self
        while scope is not None:
            if key in getattr(scope, table):
                return getattr(scope, table)[key]
            scope = scope._around
        return None

    # forwards

    def note(self, op: Op) -> None:
        """An op has been executed."""
        self._own.update(results(op))
        self.steps.append(op)
        known, filled = self._knowledge(op), self._fill(op)
        if known is not None:
            self._known[results(op)[0].serial] = known
        if filled is not None:
            self._filled[results(op)[0]] = filled
        self.masks[op] = tuple(self._masks(op))

    def _knowledge(self, op: Op) -> Mask | None:
        every = Mask(np.True_, frozenset())
        match op:
            case ops.Constant():
                self._numbers[op.result] = op.value
                return every if not op.result.tensor.dtype.is_float else None
            case ops.Dim():
                return every if self.decides(op.expression) else None
            case ops.Indices():
                kind = op.domain.domain
                size = self._array(op.result).shape
                return Mask(np.ones(size, bool), frozenset({0})) if self.decides(kind.begin, kind.step) else None
            case ops.Pointwise():
                return self._pointwise(op)
            case ops.Cast() if op.source.tensor.dtype.is_integer and op.result.tensor.dtype.is_integer:
                return self._look("_known", op.source.serial)
            case ops.Broadcast() | ops.Transpose() | ops.Reshape():
                return self._spread(op, self._look("_known", op.source.serial))
            case _:
                return None

    def _pointwise(self, op: ops.Pointwise) -> Mask | None:
        known = [self._look("_known", argument.serial) for argument in op.args]
        integers = op.args[-1].tensor.dtype.is_integer
        if op.fn == "not":
            return known[0]
        if op.fn in ("and", "or"):
            decisive = [self._array(a) == (op.fn == "or") for a in op.args]
            found = [k and Mask(k.where & d, k.axes) for k, d in zip(known, decisive, strict=True)]
            alone = found[0] | found[1] if found[0] and found[1] else found[0] or found[1]
            return alone | (known[0] & known[1]) if known[0] and known[1] and alone else alone
        if integers and op.fn in (*COMPARISONS, *ARITHMETIC, "select") and all(k is not None for k in known):
            axes = frozenset[int]().union(*(k.axes for k in known))
            return Mask(np.ones(self._array(op.result).shape, bool), axes)
        return None

    def _spread(self, op: ops.Broadcast | ops.Transpose | ops.Reshape, mask: Mask | None) -> Mask | None:
        """The mask of the source as one of the result."""
        if mask is None:
            return None
        shape = self._array(op.result).shape
        where = np.broadcast_to(mask.where, self._array(op.source).shape)
        match op:
            case ops.Transpose():
                axes = frozenset(n for n, axis in enumerate(op.permutation) if axis in mask.axes)
                return Mask(np.transpose(where, op.permutation), axes)
            case ops.Reshape():
                return Mask(where.reshape(shape), frozenset(range(len(shape))) if mask.axes else frozenset())
            case ops.Broadcast():
                if op.guarded:
                    return None
                axes = frozenset(n for n, axis in enumerate(op.axes) if axis in mask.axes and keeps_extent(op, n))
                placed = [1 if axis is None else where.shape[axis] for axis in op.axes]
                return Mask(np.broadcast_to(where.reshape(placed), shape), axes)

    def _fill(self, op: Op) -> Filled | None:
        match op:
            case ops.Broadcast() | ops.Transpose() | ops.Reshape() | ops.Cast():
                number = self._look("_numbers", op.source)
                self._numbers |= {} if number is None else {op.result: number}
                filled = self._look("_filled", op.source)
                moved = filled and (filled.where if isinstance(op, ops.Cast) else self._spread(op, filled.where))
                return Filled(moved, filled.number) if moved else None
            case ops.Pointwise(fn="select"):
                return self._select(op)
            case ops.Pointwise():
                for position, argument in enumerate(op.args):
                    filled = self._look("_filled", argument)
                    if filled is not None:
                        key = (op.fn, position, filled.number)
                        number = of_one(op.fn, filled.number) if len(op.args) == 1 else ABSORBING.get(key)
                        if number is not None:
                            return Filled(filled.where, number)
                return None
            case ops.Load() | ops.Gather() if op.valid is not None:
                number = self._look("_numbers", op.fill)
                left = self._left_out(op.valid, True)
                return None if number is None or left is None else Filled(left, number)
            case _:
                return None

    def _select(self, op: ops.Pointwise) -> Filled | None:
        condition, one, other = op.args
        for side, opposite, holds in ((other, one, True), (one, other, False)):
            number = self._look("_numbers", side)
            if number is not None:
                inner = self._look("_filled", opposite)
                left = self._left_out(condition, holds)
                more = inner.where if inner is not None and inner.number == number else None
                left = left | more if left and more else left or more
                return None if left is None else Filled(left, number)
        return None

    def _left_out(self, condition: Value, holds: bool) -> Mask | None:
        """Where coordinates decide that a condition is not as said."""
        known = self._look("_known", condition.serial)
        return None if known is None else Mask(known.where & (self._array(condition) != holds), known.axes)

    def _taken(self, condition: Value, holds: bool) -> Mask | None:
        left = self._left_out(condition, holds)
        return None if left is None else ~left

    def _without(self, value: Value, number: float) -> Mask | None:
        filled = self._look("_filled", value)
        return ~filled.where if filled is not None and filled.number == number else None

    def _masks(self, op: Op) -> Iterator[Mask | None]:
        match op:
            case ops.Pointwise(fn="select"):
                yield from (self._taken(op.args[0], holds) for holds in (True, False))
            case ops.Load() | ops.Gather() | ops.Store() | ops.Histogram():
                yield None if op.valid is None else self._taken(op.valid, True)
            case ops.Reduce() | ops.Scan():
                yield self._without(op.source, neutral(op.combiner, op.source.tensor.dtype))
            case ops.Contract():
                yield from (self._without(side, 0) for side in (op.lhs, op.rhs))
            case _:
                pass

    # backwards

    def need(self, value: Value) -> Mask | None:
        return self._needs.get(value)

    def settle(self) -> Iterator[Op]:
        """The ops, last first, each when it is known where its results matter."""
        for op in reversed(self.steps):
            yield op
            for value, mask in self._demands(op):
                self._demand(value, mask)

    def _demand(self, value: Value, mask: Mask | None) -> None:
        if value in self._own:
            self._needs[value] = join(self._needs[value], mask) if value in self._needs else mask
        elif self._around is not None:
            self._around._demand(value, None)

    def members(self, op: ops.Reduce | ops.Scan) -> Mask | None:
        """Where the members of a reduction matter."""
        own = self.masks[op][0]
        mine = self.need(op.result)
        if isinstance(op, ops.Scan) or mine is None:
            return own
        kept = [axis for axis in range(op.source.tensor.rank) if axis not in op.axes]
        shape = self._array(op.source).shape
        where = np.broadcast_to(np.expand_dims(mine.where, op.axes), shape)
        return meet(Mask(where, frozenset(kept[axis] for axis in mine.axes)), own)

    def accessed(self, op: ops.Load | ops.Gather | ops.Store) -> Mask | None:
        valid = self.masks[op][0]
        return valid if isinstance(op, ops.Store) else meet(self.need(op.result), valid)

    def _demands(self, op: Op) -> Sequence[tuple[Value, Mask | None]]:
        match op:
            case ops.Pointwise(fn="select"):
                mine = self.need(op.result)
                return [
                    (op.args[0], mine),
                    *((a, meet(mine, m)) for a, m in zip(op.args[1:], self.masks[op], strict=True)),
                ]
            case ops.Pointwise() | ops.Cast() | ops.Bitcast():
                return [(operand, self.need(op.result)) for operand in operands(op)]
            case ops.Philox():
                return [(op.seed, None), (op.counter, self.need(op.result))]
            case ops.Broadcast() | ops.Transpose():
                places = op.permutation if isinstance(op, ops.Transpose) else _kept(op)
                return [(op.source, self._gathered(op.result, places, op.source))]
            case ops.Reshape():
                mine = self.need(op.result)
                shape = self._array(op.source).shape
                every = frozenset(range(len(shape)))
                return [
                    (
                        op.source,
                        mine and Mask(np.broadcast_to(mine.where, self._array(op.result).shape).reshape(shape), every),
                    )
                ]
            case ops.Store():
                return [(v, self.masks[op][0] if v is op.value else None) for v in operands(op)]
            case ops.Reduce() | ops.Scan():
                return [(op.source, self.members(op))]
            case ops.Contract():
                return list(zip((op.lhs, op.rhs), self.masks[op], strict=True))
            case ops.Histogram(valid=Value() as valid):
                return [(op.values, self.masks[op][0]), (valid, None)]
            case ops.RegionFold() | ops.RegionScan():
                cut = (op.summarize,) if isinstance(op, ops.RegionFold) else (op.summarize, op.emit)
                pairs = [(s, a) for region in cut for s, a in zip(op.sources, region.args[1:], strict=False)]
                asked = [(source, self.need(argument)) for source, argument in pairs if argument in self._needs]
                return [*asked, *((v, None) for v in operands(op) if v not in {source for source, _ in asked})]
            case _:
                return [(operand, None) for operand in operands(op)]

    def _gathered(self, result: Value, places: Sequence[int | None], source: Value) -> Mask | None:
        """The mask of a source whose axis `places[n]` is axis n of a result; None where other axes play a part."""
        mask, shape = self.need(result), self._array(source).shape
        if mask is None or any(places[axis] is None for axis in mask.axes):
            return None
        order = sorted(mask.axes)
        others = tuple(axis for axis in range(result.tensor.rank) if axis not in mask.axes)
        where = np.broadcast_to(mask.where, self._array(result).shape).any(axis=others)
        target = [place for axis in order if (place := places[axis]) is not None]
        spread = tuple(slice(None) if axis in target else None for axis in range(len(shape)))
        found = np.broadcast_to(np.transpose(where, np.argsort(target))[spread], shape)
        return Mask(found, frozenset(target))


def _kept(op: ops.Broadcast) -> list[int | None]:
    return [axis if axis is not None and keeps_extent(op, n) else None for n, axis in enumerate(op.axes)]
