"""Operations with a declared algebra, in an order, a grouping and with cuts of chance wherever the language lets go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from intent2cuda.ir import ops
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import Combiner
from intent2cuda.types.dtype import F8E4M3FN, DType

from .scalars import Number, converted, fit
from .scalars import evaluate as apply
from .state import Place, State, Table, View, places

Product = list[Table | View]
Combine = Callable[[Product, Product], Product]

COMBINE = {
    Combiner.ADD: "add",
    Combiner.MAXIMUM: "maximum",
    Combiner.MINIMUM: "minimum",
    Combiner.ANY: "or",
    Combiner.ALL: "and",
}


def neutral(combiner: Combiner, dtype: DType) -> Number:
    match combiner:
        case Combiner.ADD | Combiner.ANY:
            return fit(dtype, 0)
        case Combiner.ALL:
            return True
        case Combiner.MAXIMUM | Combiner.MINIMUM:
            bound = 448.0 if dtype == F8E4M3FN else float("inf")
            least, greatest = (-bound, bound) if dtype.is_float else dtype.integer_range
            return least if combiner is Combiner.MAXIMUM else greatest


def without(place: Place, axes: Sequence[int]) -> Place:
    return tuple(c for axis, c in enumerate(place) if axis not in axes)


def reduce(state: State, op: ops.Reduce) -> None:
    source, dtype = state.table(op.source), op.source.tensor.dtype
    totals: dict[Place, Number] = {}
    for place in places(source.shape):
        at, member = without(place, op.axes), source.get(place)
        totals[at] = apply(COMBINE[op.combiner], dtype, totals[at], member) if at in totals else member
    state.define(op.result, without(source.shape, op.axes), lambda at: totals.get(at, neutral(op.combiner, dtype)))


def scan(state: State, op: ops.Scan) -> None:
    source, dtype, axis = state.table(op.source), op.source.tensor.dtype, op.axis

    def element(at: Place) -> Number:
        total = neutral(op.combiner, dtype)
        for k in _reached(at[axis], source.shape[axis], op):
            total = apply(COMBINE[op.combiner], dtype, total, source.get((*at[:axis], k, *at[axis + 1 :])))
        return total

    state.define(op.result, source.shape, element)


def _reached(position: int, extent: int, op: ops.Scan | ops.ScanBy) -> range:
    """The members that a position of a scan combines, in order."""
    if op.reverse:
        return range(position if op.inclusive else position + 1, extent)
    return range(position + 1 if op.inclusive else position)


def arg_reduce(state: State, op: ops.ArgReduce) -> None:
    source, axis = state.table(op.source), op.axis
    shape = without(source.shape, [axis])
    best: dict[Place, tuple[Number, int]] = {}
    for at in places(shape):
        best[at] = neutral(Combiner.MAXIMUM, op.source.tensor.dtype), (1 << 63) - 1
        for k in reversed(range(source.shape[axis])):
            member = source.get((*at[:axis], k, *at[axis:]))
            held = best[at][0]
            if member != member or (held == held and not held > member):
                best[at] = member, k
    for result, part in zip(op.results, (0, 1), strict=True):
        state.define(result, shape, lambda at, part=part: best[at][part])


def combination(state: State, region: Region) -> Combine:
    return lambda lhs, rhs: state.region(region, [*lhs, *rhs])[0]


def grouped(state: State, members: Sequence[Product], identity: Product, combine: Combine) -> Product:
    """The members combined in order, in a grouping of chance, with identities between them as chance has it."""
    left = list(members) or [identity]
    for _ in range(state.shuffle.randrange(3)):
        left.insert(state.shuffle.randint(0, len(left)), identity)
    while len(left) > 1:
        first = state.shuffle.randrange(len(left) - 1)
        left[first : first + 2] = [combine(left[first], left[first + 1])]
    return left[0]


@dataclass
class Members:
    """The sources of a generic reduction or scan: what its combine sees.

    kept: the extents that are not combined over. elementwise: the combine sees elements, once for each place of
    `kept`; else it sees whole slices.
    """

    sources: Product
    axes: Sequence[int]
    elementwise: bool

    @property
    def kept(self) -> Place:
        return without(self.sources[0].shape, self.axes)

    @property
    def lanes(self) -> Iterator[Place]:
        return places(self.kept if self.elementwise else ())

    def at(self, member: Place, lane: Place) -> Product:
        """One member: its elements at a lane, or its whole slices."""
        given = [(source, without(source.shape, self.axes)) for source in self.sources]
        if self.elementwise:
            return [Table.scalar(source.get(self._place(member, lane))) for source, _ in given]
        return [
            Table.of(kept, lambda rest, source=source: source.get(self._place(member, rest))) for source, kept in given
        ]

    def _place(self, member: Place, rest: Place) -> Place:
        along, others = iter(member), iter(rest)
        return tuple(next(along if axis in self.axes else others) for axis in range(len(member) + len(rest)))


def _members(state: State, op: ops.ReduceBy | ops.ScanBy, axes: Sequence[int]) -> Members:
    elementwise = all(not identity.tensor.shape for identity in op.identity)
    return Members([state.table(source) for source in op.sources], axes, elementwise)


def reduce_by(state: State, op: ops.ReduceBy) -> None:
    members = _members(state, op, op.axes)
    identity, combine = [state.table(v) for v in op.identity], combination(state, op.combine)
    extents = [members.sources[0].shape[axis] for axis in op.axes]
    found: dict[Place, Product] = {}
    for lane in members.lanes:
        parts = [members.at(member, lane) for member in places(extents)]
        state.shuffle.shuffle(parts)
        found[lane] = grouped(state, parts, identity, combine)
    for part, (result, source) in enumerate(zip(op.results, members.sources, strict=True)):
        state.define(result, without(source.shape, op.axes), lambda at, part=part: _element(found, part, at))


def scan_by(state: State, op: ops.ScanBy) -> None:
    members, axis = _members(state, op, [op.axis]), op.axis
    identity, combine = [state.table(v) for v in op.identity], combination(state, op.combine)
    found: dict[Place, Product] = {}
    extent = members.sources[0].shape[axis]
    for k in range(extent):
        for lane in members.lanes:
            parts = [members.at((member,), lane) for member in _reached(k, extent, op)]
            found[(k, *lane)] = grouped(state, parts, identity, combine)
    for part, (result, source) in enumerate(zip(op.results, members.sources, strict=True)):
        state.define(
            result, source.shape, lambda at, part=part: _element(found, part, (at[axis], *without(at, [axis])), lead=1)
        )


def _element(found: dict[Place, Product], part: int, at: Place, lead: int = 0) -> Number:
    """The element of a combined product at a place: of its lane's scalar, or of its slice, after `lead` coordinates."""
    if at in found:
        return found[at][part].get(())
    return found[at[:lead]][part].get(at[lead:])


def contract(state: State, op: ops.Contract) -> None:
    element, shape = contraction(state.table(op.lhs), state.table(op.rhs), op)
    state.define(op.result, shape, element)


def contraction(
    lhs: Table | View, rhs: Table | View, op: ops.Contract | ops.SparseContract
) -> tuple[Callable[[Place], Number], Place]:
    """The elements of a sum of products, and its shape."""
    source, dtype = op.rhs.tensor.dtype, op.result.tensor.dtype
    free = [axis for axis in range(len(rhs.shape)) if axis not in [b for _, b in (*op.reduce, *op.batch)]]
    kept = [axis for axis in range(len(lhs.shape)) if axis not in [a for a, _ in op.reduce]]

    def element(at: Place) -> Number:
        left, right = dict(zip(kept, at, strict=False)), dict(zip(free, at[len(kept) :], strict=True))
        right |= {b: left[a] for a, b in op.batch}
        total = fit(dtype, 0)
        for summed in places([lhs.shape[a] for a, _ in op.reduce]):
            left |= {a: k for (a, _), k in zip(op.reduce, summed, strict=True)}
            right |= {b: k for (_, b), k in zip(op.reduce, summed, strict=True)}
            pair = (
                lhs.get(tuple(v for _, v in sorted(left.items()))),
                rhs.get(tuple(v for _, v in sorted(right.items()))),
            )
            product = apply("mul", dtype, *(converted(v, source, dtype) for v in pair))
            total = apply("add", dtype, total, product)
        return total

    return element, (*(lhs.shape[a] for a in kept), *(rhs.shape[b] for b in free))


def histogram(state: State, op: ops.Histogram) -> None:
    values = state.table(op.values)
    seen = [values.get(at) for at in places(values.shape) if op.valid is None or state.table(op.valid).get(at)]
    state.define(op.result, state.shape(op.result), lambda at: fit(op.result.tensor.dtype, seen.count(at[0])))
