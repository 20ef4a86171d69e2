"""Folds over the members that may leave something: what a mask on coordinates keeps out at the ends is not visited.

Before (keys up to the query):                  After:
    region_fold %key, %value, %place                %end = min(K, %row + r)
                                                    region_fold %key[0 .. %end], %value[..], %place[..]

A slice of which the mask keeps no member must be summed up as the identity: then the fold may leave it out by the laws
of its author. Where that takes finite values (a weight of 0 times a value), those left out are looked at first.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace

from intent2cuda.analysis.expressions import coordinate_axis
from intent2cuda.analysis.ranges import Facts, factor
from intent2cuda.analysis.relations import COMPARISONS, Relations
from intent2cuda.analysis.structure import Structure, segment_begin, structure
from intent2cuda.analysis.surroundings import implied
from intent2cuda.base.intexpr import IntExpr, Symbol, maximum, minimum, substitute, symbols
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.constants import Number, constant_of, is_same
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import Broadcast, Cast, Combiner, Pointwise, RegionFold, Reshape, Transpose
from intent2cuda.ir.terms import Slice
from intent2cuda.ir.value import Value
from intent2cuda.plan.emptied import PURE, emptied
from intent2cuda.rewrite.copying import next_serial, with_regions
from intent2cuda.rewrite.expansion import axis_extent, in_one_piece, part_of
from intent2cuda.types.dtype import DType

MOST_SYMBOLS = 6
"""A bound of more symbols is no bound that a reader follows."""

LARGEST = 1 << 20
"""A coefficient of extents and loop variables with which a bound never overflows."""


@dataclass(frozen=True)
class Range:
    """The members of a fold that may leave something: `begin` <= position < `end`. `finite`: the sources whose other
    members leave nothing only if they are finite. `masks`: the comparisons that say so.
    """

    begin: IntExpr
    end: IntExpr
    finite: tuple[Value, ...] = ()
    masks: tuple[Pointwise, ...] = ()

    @property
    def origin(self) -> str:
        """What keeps the other members out: `the mask of line 17`."""
        lines = sorted({str(mask.span.line) for mask in self.masks if mask.span is not None})
        return f"the mask of line {', '.join(lines)}"


def narrowable(kernel: Kernel) -> Mapping[RegionFold, Range]:
    """What the folds of a kernel that run slice by slice may be narrowed to."""
    folds = [op for op in walk(kernel.body) if isinstance(op, RegionFold) and not in_one_piece(op)]
    if not folds:
        return {}
    finder = _Finder(structure(kernel))
    return {fold: found for fold in folds if (found := finder.range(fold)) is not None}


def narrowed(kernel: Kernel, found: Mapping[RegionFold, Range]) -> Kernel:
    """The kernel whose folds visit those members alone."""
    return replace(kernel, body=_Narrowing(kernel, found).body(kernel.body)) if found else kernel


class _Finder:
    def __init__(self, found: Structure) -> None:
        self._structure = found
        self._relations = Relations(found)
        self._facts = Facts(found)

    def range(self, fold: RegionFold) -> Range | None:
        if not all(isinstance(op, PURE) for op in fold.summarize.ops):
            return None
        found = Range(IntExpr.of(0), axis_extent(fold))
        for op in fold.summarize.ops:
            if isinstance(op, Pointwise) and op.fn in COMPARISONS:
                found = self._without(fold, op, found)
        return None if (found.begin.constant, found.end) == (0, axis_extent(fold)) else found

    def _without(self, fold: RegionFold, mask: Pointwise, before: Range) -> Range:
        """A range without the members that the mask keeps out, if nothing is left of them."""
        begins, ends = self._limits(fold, mask.result)
        if not begins and not ends:
            return before
        left, needs = emptied(fold.summarize, mask.result, self._structure.defining.get)
        sources = [self._source(fold, value) for value in needs]
        if not all(map(self._is_identity, left, fold.identity)) or None in sources:
            return before
        facts = self._facts.with_bounds({}, [extent + 1 for extent in mask.result.tensor.shape])
        begin = facts.simplify(minimum(axis_extent(fold), functools.reduce(maximum, (before.begin, *begins))))
        end = facts.simplify(functools.reduce(minimum, (before.end, *ends)))
        end = facts.simplify(maximum(begin, end))
        floats = (source for source in sources if source is not None and source.tensor.dtype.is_float)
        finite = dict.fromkeys((*before.finite, *floats))
        return Range(begin, end, tuple(finite), (*before.masks, mask))

    def _is_identity(self, left: Number | None, identity: Value) -> bool:
        """Whether what is left of a slice is the identity: that of a sum is 0, and what is left as 0 is no -0."""
        constant = constant_of(identity, self._structure.defining.get)
        return left is not None and constant is not None and is_same(left, constant.value)

    def _limits(self, fold: RegionFold, mask: Value) -> tuple[list[IntExpr], list[IntExpr]]:
        """The positions before which, and those from which on, a comparison holds for no member."""
        condition = self._relations.condition(mask)
        begins: list[IntExpr] = []
        ends: list[IntExpr] = []
        for positive in implied(condition):
            bound = self._bound(fold, mask, positive - 1)
            if bound is not None:
                (begins if bound[0] > 0 else ends).append(bound[1])
        return begins, ends

    def _bound(self, fold: RegionFold, mask: Value, slack: IntExpr) -> tuple[int, IntExpr] | None:
        """(1, first position) or (-1, the position behind the last one) at which `slack` may be 0 or more."""
        extent = fold.summarize.args[0]
        axes = [n for n, e in enumerate(mask.tensor.shape) if e == extent.as_symbol]
        if len(axes) != 1:
            return None
        begin, place = segment_begin(extent), Symbol(f"#{axes[0]}", -1 - axes[0])
        sign = factor(slack, begin).constant
        if sign not in (1, -1) or factor(slack, place).constant != sign:
            return None
        rest = slack - (IntExpr.symbol(begin.name, begin.serial) + IntExpr.symbol(place.name, place.serial)) * sign
        greatest = self._greatest(rest, mask)
        if greatest is None:
            return None
        bound = greatest * -1 if sign > 0 else greatest + 1
        return (sign, bound) if self._is_outside(bound, fold, mask) else None

    def _greatest(self, expression: IntExpr, mask: Value) -> IntExpr | None:
        """The greatest value over all coordinates, where they play a part of their own."""
        ends: dict[Symbol, IntExpr] = {}
        for symbol in symbols(expression):
            axis = coordinate_axis(symbol)
            if axis is None:
                continue
            share = factor(expression, symbol).constant
            if share is None or symbol in symbols(expression - IntExpr.symbol(symbol.name, symbol.serial) * share):
                return None
            ends[symbol] = mask.tensor.shape[axis] - 1 if share > 0 else IntExpr.of(0)
        return self._relations.written(substitute(expression, ends))

    def _is_outside(self, bound: IntExpr, fold: RegionFold, mask: Value) -> bool:
        """Whether a bound is known before the fold begins, cannot overflow, and is short."""
        used = dict.fromkeys(symbols(bound))
        extents = {s for extent in mask.tensor.shape for s in symbols(extent)}
        values = {s: self._structure.by_serial.get(s.serial) for s in used if s.serial != 0}
        known = all(v is not None and not self._structure.is_inside(v, fold) for v in values.values())
        sizes = all(s in extents or (v and self._structure.loop_domain(v)) for s, v in values.items())
        small = all(abs(coefficient) <= LARGEST for _, coefficient in bound.terms)
        fits = bound.as_symbol is not None or (sizes and small)
        return known and fits and len(used) <= MOST_SYMBOLS

    def _source(self, fold: RegionFold, value: Value) -> Value | None:
        """The source of which a value of the summary is the slice, in another shape or a dtype that holds it all."""
        while True:
            op = self._structure.defining.get(value)
            if isinstance(op, Cast) and not _is_wider(op.result.tensor.dtype, op.source.tensor.dtype):
                return None
            if not isinstance(op, Broadcast | Cast | Reshape | Transpose):
                break
            value = op.source
        found = self._structure.segment(value)
        return found.source if found is not None and value in fold.summarize.args else None


def _is_wider(dtype: DType, than: DType) -> bool:
    """Whether no finite number becomes infinite as it is cast."""
    if not than.is_float:
        return dtype.is_float and dtype.bits >= 32
    return dtype.is_float and dtype.bits >= than.bits and dtype.bits >= 32


def _number(meaning: IntExpr, value: Value) -> IntExpr:
    """A number as it is, else the symbol of the value that has it."""
    return value.as_symbol if meaning.constant is None else meaning


class _Narrowing:
    def __init__(self, kernel: Kernel, found: Mapping[RegionFold, Range]) -> None:
        self._builder = Builder(kernel.name, next_serial(kernel))
        self._found = found

    def body(self, region: Region) -> Region:
        def ops() -> None:
            for op in region.ops:
                if isinstance(op, RegionFold) and op in self._found:
                    self._builder.emit(self._fold(op, self._found[op]))
                else:
                    self._builder.emit(with_regions(op, self.body))

        return Region(region.args, self._builder.collect(ops))

    def _fold(self, fold: RegionFold, found: Range) -> RegionFold:
        """The fold over the members of the range, or over all where some of the others are not finite."""
        builder = self._builder
        builder.origin = fold
        builder.reason = f"{found.origin} keeps no member before this one"
        first = builder.dim(found.begin, "start")
        builder.reason = f"{found.origin} keeps no member from this one on"
        last = builder.dim(found.end, "reach")
        builder.reason = ""
        if found.finite:
            finite, all_members = self._are_finite(fold, found, first, last), builder.dim(axis_extent(fold))
            builder.reason = "what is masked counts 0 times, which changes a result only where it is inf or NaN"
            last = builder.pointwise("select", finite, last, all_members, name="end")
            if found.begin.constant != 0:
                first = builder.pointwise("select", finite, first, builder.constant(0), name="begin")
            builder.reason = ""
        place = Slice(first, last.as_symbol - _number(found.begin, first))
        sources = tuple(part_of(builder, source, fold.axis, place) for source in fold.sources)
        builder.origin = None
        return replace(fold, sources=sources, origin=fold.author)

    def _are_finite(self, fold: RegionFold, found: Range, first: Value, last: Value) -> Value:
        """Whether the members outside of the range are finite: then the sum of each times 0 is 0."""
        builder = self._builder
        before = Slice(builder.constant(0), _number(found.begin, first))
        behind = Slice(last, axis_extent(fold) - last.as_symbol)
        answers = [
            self._is_zero(part_of(builder, source, fold.axis, place))
            for source in found.finite
            for place in (before, behind)
            if place.extent.constant != 0
        ]
        every = answers[0]
        for answer in answers[1:]:
            every = builder.pointwise("and", every, answer)
        return every

    def _is_zero(self, part: Value) -> Value:
        builder, kind = self._builder, part.tensor
        zero = builder.constant(0.0, kind.dtype)
        zeros = builder.pointwise("mul", part, builder.broadcast(zero, (None,) * kind.rank, kind.shape))
        return builder.pointwise("eq", builder.reduce(Combiner.ADD, zeros, tuple(range(kind.rank))), zero)
