"""Work and traffic of operations, exactly as the kernel states them: how often each runs, how many elements it
touches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from intent2cuda.base.intexpr import IntExpr, maximum
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, regions, results
from intent2cuda.ir.ops import (
    ArgReduce,
    Bitcast,
    Cast,
    Combiner,
    Contract,
    For,
    If,
    Load,
    Parallel,
    Philox,
    Pointwise,
    Reduce,
    Store,
    While,
)
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.plan.checks import known_at_call
from intent2cuda.plan.effects import EFFECTS, EffectOp
from intent2cuda.plan.portable import Count, WorkloadFacts
from intent2cuda.types.dtype import DType
from intent2cuda.types.scalar_fn import SCALAR_FNS
from intent2cuda.types.value_type import Shape, TensorType, ViewType

COMBINES = {
    Combiner.ADD: "add", Combiner.MAXIMUM: "cmp", Combiner.MINIMUM: "cmp", Combiner.ANY: "int", Combiner.ALL: "int",
}  # fmt: skip
NOTHING = Count(IntExpr.of(0))


class Counts:
    """Knows for each op how often it runs, and which loop gives each index scalar its values."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._runs: dict[Op, Count] = {}
        self._domains: dict[Value, Value] = {}
        self._region(kernel.body, Count(IntExpr.of(1)))

    def facts(self, ops: Sequence[Op]) -> WorkloadFacts:
        totals: dict[tuple[str, str], Count] = {}
        for op in ops:
            for kind, dtype, count in self._work(op):
                totals[kind, dtype.name] = add(totals.get((kind, dtype.name), NOTHING), count)
        operations = tuple((kind, dtype, totals[kind, dtype]) for kind, dtype in sorted(totals))
        reads = self._bytes([op for op in ops if isinstance(op, Load)])
        writes = self._bytes([op for op in ops if isinstance(op, EFFECTS)])
        return WorkloadFacts(operations, reads, writes, NOTHING)

    def elements(self, value: Value) -> Count:
        return self._size(value.tensor.shape) if isinstance(value.type, TensorType) else NOTHING

    def _region(self, region: Region, runs: Count) -> None:
        for op in region.ops:
            self._runs[op] = runs
            inside = self._inside(op, runs)
            for inner in regions(op):
                self._region(inner, inside)

    def _inside(self, op: Op, runs: Count) -> Count:
        match op:
            case For():
                self._domains[op.body.args[0]] = op.domain
                return times(runs, self._size((op.domain.domain.extent,)))
            case Parallel():
                self._domains |= dict(zip(op.body.args, op.domains, strict=True))
                return times(runs, self._size(tuple(domain.domain.extent for domain in op.domains)))
            case While():
                return Count(None, "the rounds of a while depend on data")
            case If():
                return Count(None, "a branch is taken or not")
            case _:
                return runs

    def _size(self, shape: Shape) -> Count:
        """The number of elements; extents that may be negative count as 0 then."""
        extents = tuple(_not_negative(extent) for extent in shape)
        if known_at_call(self._kernel, *shape):
            return Count(prod(extents, start=IntExpr.of(1)))
        return Count(None, "an extent is known only inside the kernel")

    def _work(self, op: Op) -> Iterator[tuple[str, DType, Count]]:
        runs = self._runs[op]
        match op:
            case Pointwise():
                each = times(runs, self.elements(op.result))
                yield SCALAR_FNS[op.fn].work.value, op.args[-1].tensor.dtype, each
            case Cast() | Bitcast():
                yield "cvt", op.result.tensor.dtype, times(runs, self.elements(op.result))
            case Philox():
                yield "rng", op.result.tensor.dtype, times(runs, self.elements(op.result))
            case Reduce():
                yield COMBINES[op.combiner], op.result.tensor.dtype, times(runs, self.elements(op.source))
            case ArgReduce():
                yield "cmp", op.source.tensor.dtype, times(runs, self.elements(op.source))
            case Contract():
                depth = self._size(tuple(op.lhs.tensor.shape[pair[0]] for pair in op.reduce))
                yield "fma", op.result.tensor.dtype, times(runs, times(self.elements(op.result), depth))
            case _:
                pass

    def _bytes(self, ops: Sequence[Load | EffectOp]) -> Count:
        total = NOTHING
        for resource in dict.fromkeys(op.resource for op in ops):
            if isinstance(resource.type, ViewType):
                touched = self._distinct(resource, [op for op in ops if op.resource is resource])
                total = add(total, times(touched, Count(IntExpr.of(resource.type.dtype.bytes))))
        return total

    def _distinct(self, resource: Value, ops: Sequence[Load | EffectOp]) -> Count:
        shape = resource.resource.shape
        for op in ops:
            if self._runs[op].exact is not None and all(map(self._covers, op.terms, shape)) and _is_certain(op):
                return self._size(shape)
        if len(ops) == 1 and _is_certain(ops[0]) and self._runs[ops[0]].exact is not None:
            parts = [self._part(term, extent) for term, extent in zip(ops[0].terms, shape, strict=True)]
            if all(part is not None for part in parts):
                return self._size(tuple(part for part in parts if part is not None))
        return Count(None, f"which elements of {resource.name} are touched depends on data")

    def _covers(self, term: Term, extent: IntExpr) -> bool:
        match term:
            case Whole():
                return True
            case Along():
                return self._is_whole(term.domain, extent)
            case Point():
                return term.index in self._domains and self._is_whole(self._domains[term.index], extent)
            case Slice() | Lanes():
                return False

    def _is_whole(self, domain: Value, extent: IntExpr) -> bool:
        kind = domain.domain
        return kind.begin.constant == 0 and kind.step.constant == 1 and kind.extent == extent

    def _part(self, term: Term, extent: IntExpr) -> IntExpr | None:
        """How many positions of an axis a term selects in all, when that has an exact answer."""
        match term:
            case Whole():
                return extent
            case Slice():
                return term.extent
            case Along():
                return term.domain.domain.extent
            case Point():
                return self._domains[term.index].domain.extent if term.index in self._domains else None
            case Lanes():
                return None


def add(one: Count, other: Count) -> Count:
    if one.exact is None or other.exact is None:
        return Count(None, one.unknown or other.unknown)
    return Count(one.exact + other.exact)


def times(one: Count, other: Count) -> Count:
    if one.exact is None or other.exact is None:
        return Count(None, one.unknown or other.unknown)
    return Count(one.exact * other.exact)


def _not_negative(extent: IntExpr) -> IntExpr:
    plain_symbol = extent.as_symbol is not None and not (extent.as_symbol.serial)
    products = all(c > 0 and all(not getattr(a, "serial", 1) for a in monomial) for monomial, c in extent.terms)
    return extent if plain_symbol or products else maximum(extent, 0)


def results_of(ops: Sequence[Op]) -> Iterator[Value]:
    for op in ops:
        yield from results(op)


def _is_certain(op: Load | EffectOp) -> bool:
    """Whether the access happens whatever the data."""
    return not isinstance(op, Load | Store) or op.valid is None
