"""What must be known before an operation can be tried by itself: what to draw, and which ops to perform."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.interpret.captures import captured
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, operands, regions, results
from intent2cuda.ir.ops import (
    Allocate,
    AtomicLoad,
    AtomicUpdate,
    CompareExchange,
    For,
    Gather,
    If,
    Load,
    ReduceBy,
    RequireEqual,
    While,
)
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import attributes, extents
from intent2cuda.laws.equations import Declared, regions_by_role
from intent2cuda.types.value_type import TensorType

DRAWN = (Load, Gather, AtomicLoad, AtomicUpdate, CompareExchange, Allocate, For, While, If)
"""Ops whose results are drawn: memory, accesses that may miss, and control."""


@dataclass(frozen=True)
class Entry:
    """The way into a helper: the arguments of a region of an operation around are to be drawn from its own sources."""

    op: Declared
    role: str


Step: TypeAlias = Value | Op | Entry
"""A value to draw, an op to perform, or the arguments of a helper."""


@dataclass(frozen=True)
class Setting:
    """An operation of a kernel and the way to its operands.

    dims: the extents of the signature that matter. cut: those of them along which the operation and those around it
    work. steps: in program order; shapes and operands of each are known from those before it. required: conditions on
    extents that hold before.
    """

    op: Declared
    dims: tuple[str, ...]
    cut: frozenset[str]
    steps: tuple[Step, ...]
    required: tuple[RequireEqual, ...]

    @property
    def draws_floats(self) -> bool:
        return any(isinstance(step, Value) and step.tensor.dtype.is_float for step in self.steps)


def settings_of(kernel: Kernel) -> Iterator[Setting]:
    """A setting for each operation of the kernel whose laws are the author's."""
    table = _Table(kernel)
    for op in walk(kernel.body):
        if isinstance(op, Declared):
            yield table.setting(op)


class _Table:
    """Every value of a kernel: where it is defined, in program order."""

    def __init__(self, kernel: Kernel) -> None:
        self._order: dict[Value, int] = {}
        self._by_serial: dict[int, Value] = {}
        self._made_by: dict[Value, Op] = {}
        self._entries: dict[Value, Entry] = {}
        self._required = [op for op in walk(kernel.body) if isinstance(op, RequireEqual)]
        self._add(kernel.parameters)
        self._region(kernel.body)

    def _add(self, values: Iterable[Value]) -> None:
        for value in values:
            self._order[value] = len(self._order)
            self._by_serial[value.serial] = value

    def _region(self, region: Region) -> None:
        self._add(region.args)
        for op in region.ops:
            for role, inner in regions_by_role(op):
                self._region(inner)
                if isinstance(op, Declared):
                    self._entries |= dict.fromkeys(inner.args, Entry(op, role))
            self._add(results(op))
            self._made_by |= dict.fromkeys(results(op), op)

    def setting(self, op: Declared) -> Setting:
        needed = self._needed(op)
        in_order = sorted(needed, key=self._order.__getitem__)
        steps = dict.fromkeys(self._step(value) for value in in_order if isinstance(value.type, TensorType))
        inner = (one for region in regions(op) for one in walk(region))
        shaped = [*needed, *results(op), *(value for one in inner for value in results(one))]
        dims = tuple(sorted({s.name for e in _extents(shaped) for s in symbols(e) if not s.serial}))
        around = [op, *(step.op for step in steps if isinstance(step, Entry))]
        cut = frozenset(s.name for one in around for e in _along(one) for s in symbols(e) if not s.serial)
        return Setting(op, dims, cut, tuple(steps), tuple(r for r in self._required if _is_about(r, dims)))

    def _step(self, value: Value) -> Step:
        """How a value comes about."""
        op = self._made_by.get(value)
        if op is None or isinstance(op, DRAWN):
            return self._entries.get(value, value)
        return op

    def _needed(self, op: Declared) -> set[Value]:
        """Everything that the operands of an op, and what its regions use, come from."""
        needed: set[Value] = set()
        waiting = list(self._read_by(op))
        while waiting:
            value = waiting.pop()
            if value in needed:
                continue
            needed.add(value)
            waiting += self._of_extents(extents(value.type))
            if not isinstance(value.type, TensorType):
                continue
            match self._step(value):
                case Op() as made_by:
                    waiting += self._read_by(made_by)
                case Entry(op=around):
                    waiting += self._read_by(around)
                case _:
                    pass
        return needed

    def _read_by(self, op: Op) -> Iterator[Value]:
        """What an op reads, in its regions too, and what its shapes are made of."""
        yield from operands(op)
        for region in regions(op):
            yield from (self._by_serial[serial] for serial in captured(region))
        yield from self._of_extents((*attributes(op), *_extents(results(op))))

    def _of_extents(self, expressions: Iterable[IntExpr]) -> list[Value]:
        return [self._by_serial[s.serial] for e in expressions for s in symbols(e) if s.serial]


def _is_about(op: RequireEqual, dims: tuple[str, ...]) -> bool:
    """Whether a condition is made of these extents alone."""
    return all(not s.serial and s.name in dims for side in (op.lhs, op.rhs) for s in symbols(side))


def _along(op: Declared) -> list[IntExpr]:
    shape = op.sources[0].tensor.shape
    return [shape[axis] for axis in (op.axes if isinstance(op, ReduceBy) else (op.axis,))]


def _extents(values: Iterable[Value]) -> Iterator[IntExpr]:
    return (e for value in values for e in extents(value.type))
