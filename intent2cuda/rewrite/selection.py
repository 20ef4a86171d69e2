"""Reads elements where they are used: a selection from a selected part becomes one selection.

Before:                                              After:
    %row: f32[N] = load %x[%i, :]                        %0: f32 = load %x[%i, %j]
    parallel %columns body(%j: index) {                  (inside the loop)
      %0: f32 = gather %row[%j]

Only when every use of the part is such a selection and, for a read, nothing in between writes the memory that it reads.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from intent2cuda.analysis.effects import access
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.structure import structure
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, operands
from intent2cuda.ir.ops import Dim, For, Gather, If, Load, Parallel, While
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import next_serial, with_regions
from intent2cuda.types.dtype import INDEX
from intent2cuda.types.value_type import BufferType, scalar


@dataclass(frozen=True)
class At:
    """A position that a scalar has to be made for; with an extent, the begin of a slice."""

    position: IntExpr
    extent: IntExpr | None = None


Part: TypeAlias = Load | Gather
Planned: TypeAlias = Term | At


def run(kernel: Kernel) -> Kernel:
    """The kernel with composed selections; the parts that became unused stay for the removal of dead code."""
    return replace(kernel, body=_Composing(kernel).region(kernel.body))


def composed_parts(kernel: Kernel) -> Mapping[Value, Part]:
    """The parts whose selections become selections of what they are parts of."""
    return _Composing(kernel).parts


class _Composing:
    def __init__(self, kernel: Kernel) -> None:
        self._structure = structure(kernel)
        self._relations = Relations(self._structure)
        self._serial = next_serial(kernel)
        self._writes: dict[Value | None, list[int]] = {}
        self._orders: list[int] = []
        for op, number in self._structure.order.items():
            if (made := access(op)) is not None and made.writes:
                self._writes.setdefault(_memory(made.resource), []).append(number)
            if made is not None and (made.acquires or made.releases):
                self._orders.append(number)
        self._users: dict[Value, list[Op]] = {}
        for op in walk(kernel.body):
            for used in dict.fromkeys(operands(op)):
                self._users.setdefault(used, []).append(op)
        self.parts = {
            value: op
            for value, op in self._structure.defining.items()
            if isinstance(op, Part) and op.valid is None and self._can_go(value, op)
        }

    def region(self, region: Region) -> Region:
        ops: list[Op] = []
        for op in region.ops:
            part = self.parts.get(op.source) if isinstance(op, Gather) else None
            planned = self._planned(part, op) if part is not None and isinstance(op, Gather) else None
            if part is None or planned is None or not isinstance(op, Gather):
                ops.append(with_regions(op, self.region))
                continue
            terms = tuple(self._made(term, ops) for term in planned)
            places = {"span": op.span, "statement": op.statement, "origin": op.origin}
            ops.append(replace(part, terms=terms, result=op.result, valid=op.valid, fill=op.fill, **places))
        return Region(region.args, tuple(ops))

    def _can_go(self, value: Value, part: Part) -> bool:
        """Whether every use of a part is a selection that can be composed, with no write of its memory in between."""
        users = self._users.get(value, [])
        return bool(users) and all(
            isinstance(user, Gather)
            and user.source is value
            and operands(user).count(value) == 1
            and self._planned(part, user) is not None
            and (isinstance(part, Gather) or self._is_unchanged(part, user))
            for user in users
        )

    def _is_unchanged(self, part: Load, use: Gather) -> bool:
        """Whether a read may stand where it is used.

        Nothing between the two, nor in a loop around the use, may write what was read, or order memory; and what a
        structured operation calls reads no memory.
        """
        around = self._structure.frames[use][len(self._structure.frames[part]) :]
        if any(not isinstance(frame.owner, Parallel | For | While | If) for frame in around):
            return False
        first, last = self._structure.order[part], self._structure.last[around[0].owner if around else use]
        return not any(
            _holds_between(found, first, last) for found in (self._writes.get(_memory(part.resource), []), self._orders)
        )

    def _planned(self, part: Part, use: Gather) -> tuple[Planned, ...] | None:
        """The terms of the composed selection; None where it has no exact form."""
        rest = list(use.terms)
        planned: list[Planned] = []
        lanes = [term for term in part.terms if isinstance(term, Lanes)]
        if lanes and any(isinstance(term, Lanes) for term in rest):
            return None
        for term in part.terms:
            if isinstance(term, Point) or (isinstance(term, Lanes) and term is not lanes[0]):
                planned.append(term)
            elif isinstance(term, Lanes):
                rank = term.index.tensor.rank
                if any(not isinstance(inner, Whole) for inner in rest[:rank]):
                    return None
                planned.append(term)
                rest = rest[rank:]
            else:
                composed = self._composed(term, rest.pop(0))
                if composed is None:
                    return None
                planned.append(composed)
        return tuple(planned)

    def _composed(self, outer: Whole | Slice | Along, inner: Term) -> Planned | None:
        """One axis selected from a selected axis."""
        if isinstance(outer, Whole) or isinstance(inner, Whole):
            return inner if isinstance(outer, Whole) else outer
        if isinstance(outer, Slice):
            begin, step = self._relations.scalar(outer.begin), IntExpr.of(1)
        else:
            domain = self._relations.domain(outer.domain)
            begin, step = domain.begin, domain.step
        if begin == IntExpr.of(0) and step == IntExpr.of(1):
            return inner
        if isinstance(inner, Point):
            return At(begin + self._relations.scalar(inner.index) * step)
        if isinstance(inner, Slice) and step == IntExpr.of(1):
            return At(begin + self._relations.scalar(inner.begin), inner.extent)
        return None

    def _made(self, term: Planned, ops: list[Op]) -> Term:
        if not isinstance(term, At):
            return term
        index = Value(scalar(INDEX), self._serial)
        self._serial += 1
        ops.append(Dim(term.position, index))
        return Point(index) if term.extent is None else Slice(index, term.extent)


def _memory(resource: Value) -> Value | None:
    """A buffer by itself; all views are one memory, since they may overlap."""
    return resource if isinstance(resource.type, BufferType) else None


def _holds_between(numbers: list[int], first: int, last: int) -> bool:
    """Whether one of the numbers, which rise, lies behind `first` and not behind `last`."""
    following = bisect_right(numbers, first)
    return following < len(numbers) and numbers[following] <= last
