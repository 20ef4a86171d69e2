"""Kernel IR one element at a time: a second reading of the language, slow and plain."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intent2cuda.base.intexpr import IntExpr, evaluate, symbols
from intent2cuda.ir import ops
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import Combiner
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import ViewType

from .scalars import Number, converted, fit
from .scalars import evaluate as apply

Place = tuple[int, ...]


@dataclass
class Table:
    """Elements by their coordinates; of a view they lie in an array."""

    shape: Place
    elements: dict[Place, Number]

    @staticmethod
    def of(shape: Place, element: Callable[[Place], Number]) -> Table:
        return Table(shape, {place: element(place) for place in places(shape)})

    def get(self, place: Place) -> Number:
        return self.elements[place]

    def put(self, place: Place, value: Number) -> None:
        self.elements[place] = value


@dataclass
class View:
    """An external array, element by element."""

    array: Any

    @property
    def shape(self) -> Place:
        return self.array.shape

    def get(self, place: Place) -> Number:
        value = self.array[place]
        return float(value) if self.array.dtype.kind not in "biu" else value.item()

    def put(self, place: Place, value: Number) -> None:
        self.array[place] = value


def places(shape: Sequence[int]) -> Iterator[Place]:
    return itertools.product(*(range(extent) for extent in shape))


class Naive:
    """One run. Points of parallel loops run one after the other in an order that `shuffle` chooses."""

    def __init__(self, kernel: Kernel, arguments: Mapping[str, Any], shuffle: random.Random) -> None:
        self.kernel = kernel
        self.shuffle = shuffle
        self.dims: dict[str, int] = {}
        self.values: dict[int, Table | View] = {}
        for parameter in kernel.parameters:
            given = arguments[parameter.name]
            if isinstance(parameter.type, ViewType):
                self.values[parameter.serial] = View(given)
                for extent, size in zip(parameter.type.shape, given.shape, strict=True):
                    if (symbol := extent.as_symbol) is not None:
                        self.dims[symbol.name] = size
            else:
                self.values[parameter.serial] = Table((), {(): fit(parameter.tensor.dtype, given)})

    def run(self) -> None:
        self.region(self.kernel.body)

    def integer(self, expression: IntExpr) -> int:
        known = {
            s: self.dims[s.name] if not s.serial else int(self.values[s.serial].get(())) for s in symbols(expression)
        }
        return evaluate(expression, known)

    def shape(self, value: Value) -> Place:
        return tuple(max(0, self.integer(extent)) for extent in value.type.shape)  # type: ignore[union-attr]

    def scalar(self, value: Value) -> Number:
        return self.values[value.serial].get(())

    def define(self, value: Value, shape: Place, element: Callable[[Place], Number]) -> None:
        self.values[value.serial] = Table.of(shape, element)

    def region(self, region: Region, arguments: Sequence[Table | View] = ()) -> tuple[list[Table | View], bool]:
        """Runs a region; gives what it yields and whether it stops the loop around it."""
        for argument, value in zip(region.args, arguments, strict=True):
            self.values[argument.serial] = value
        for op in region.ops:
            if isinstance(op, ops.Yield):
                stop = op.stop is not None and bool(self.scalar(op.stop))
                return [self.values[value.serial] for value in op.values], stop
            self.op(op)
        return [], False

    def op(self, op: Op) -> None:
        EVALUATE[type(op)](self, op)

    def constant(self, op: ops.Constant) -> None:
        self.define(op.result, (), lambda _: fit(op.result.tensor.dtype, op.value))

    def pointwise(self, op: ops.Pointwise) -> None:
        args = [self.values[a.serial] for a in op.args]
        dtype = op.result.tensor.dtype
        self.define(op.result, args[0].shape, lambda at: apply(op.fn, dtype, *(a.get(at) for a in args)))

    def cast(self, op: ops.Cast) -> None:
        source, dtypes = self.values[op.source.serial], (op.source.tensor.dtype, op.result.tensor.dtype)
        self.define(op.result, source.shape, lambda at: converted(source.get(at), *dtypes))

    def broadcast(self, op: ops.Broadcast) -> None:
        source = self.values[op.source.serial]

        def element(at: Place) -> Number:
            mapped = [at[axis] for axis, read in enumerate(op.axes) if read is not None]
            return source.get(tuple(0 if extent == 1 else c for c, extent in zip(mapped, source.shape, strict=True)))

        self.define(op.result, self.shape(op.result), element)

    def reshape(self, op: ops.Reshape) -> None:
        source, shape = self.values[op.source.serial], self.shape(op.result)
        in_order = dict(zip(places(shape), places(source.shape), strict=True))
        self.define(op.result, shape, lambda at: source.get(in_order[at]))

    def transpose(self, op: ops.Transpose) -> None:
        source = self.values[op.source.serial]
        shape = tuple(source.shape[axis] for axis in op.permutation)
        inverse = [op.permutation.index(axis) for axis in range(len(shape))]
        self.define(op.result, shape, lambda at: source.get(tuple(at[axis] for axis in inverse)))

    def join(self, op: ops.Join) -> None:
        pair = self.values[op.lhs.serial], self.values[op.rhs.serial]
        self.define(op.result, (*pair[0].shape, 2), lambda at: pair[at[-1]].get(at[:-1]))

    def dim(self, op: ops.Dim) -> None:
        self.define(op.result, (), lambda _: fit(op.result.tensor.dtype, self.integer(op.expression)))

    def nothing(self, op: Op) -> None:
        """Domains are read from their types where they are used."""

    def members(self, domain: Value) -> list[int]:
        begin, extent, step = (self.integer(e) for e in (domain.domain.begin, domain.domain.extent, domain.domain.step))
        return [begin + k * step for k in range(max(0, extent))]

    def indices(self, op: ops.Indices) -> None:
        members = self.members(op.domain)
        self.define(op.result, (len(members),), lambda at: members[at[0]])

    def reduce(self, op: ops.Reduce) -> None:
        source, dtype = self.values[op.source.serial], op.source.tensor.dtype
        kept = [axis for axis in range(len(source.shape)) if axis not in op.axes]
        totals: dict[Place, Number] = {}
        for place in places(source.shape):
            at = tuple(place[axis] for axis in kept)
            member = source.get(place)
            totals[at] = apply(COMBINE[op.combiner], dtype, totals[at], member) if at in totals else member
        shape = tuple(source.shape[axis] for axis in kept)
        self.define(op.result, shape, lambda at: totals[at] if at in totals else identity(op.combiner, dtype))

    def contract(self, op: ops.Contract) -> None:
        lhs, rhs = self.values[op.lhs.serial], self.values[op.rhs.serial]
        source, dtype = op.lhs.tensor.dtype, op.result.tensor.dtype
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

        self.define(op.result, (*(lhs.shape[a] for a in kept), *(rhs.shape[b] for b in free)), element)

    def arg_reduce(self, op: ops.ArgReduce) -> None:
        source, axis = self.values[op.source.serial], op.axis
        shape = source.shape[:axis] + source.shape[axis + 1 :]
        best: dict[Place, tuple[Number, int]] = {}
        for at in places(shape):
            best[at] = identity(Combiner.MAXIMUM, op.source.tensor.dtype), (1 << 63) - 1
            for k in reversed(range(source.shape[axis])):
                member = source.get((*at[:axis], k, *at[axis:]))
                if member != member or not best[at][0] > member:
                    best[at] = member, k
        for result, part in zip(op.results, (0, 1), strict=True):
            self.define(result, shape, lambda at, part=part: best[at][part])

    def selected(self, terms: Sequence[Term], sizes: Place) -> tuple[Place, Callable[[Place], Place]]:
        """The shape of an access, and the place in the storage of each place in the result."""
        shape: list[int] = []
        reads: list[Callable[[Place], int]] = []
        lanes_from: int | None = None
        for term, size in zip(terms, sizes, strict=True):
            axis = len(shape)
            match term:
                case Point(index):
                    position = int(self.scalar(index))
                    reads.append(lambda _, position=position: position)
                case Lanes(index):
                    table = self.values[index.serial]
                    if lanes_from is None:
                        lanes_from = axis
                        shape += table.shape
                    reads.append(lambda at, t=table, first=lanes_from: int(t.get(at[first : first + len(t.shape)])))
                case Whole() | Slice() | Along():
                    members = self.axis_members(term, size)
                    shape.append(len(members))
                    reads.append(lambda at, axis=axis, members=members: members[at[axis]])
        return tuple(shape), lambda at: tuple(read(at) for read in reads)

    def axis_members(self, term: Whole | Slice | Along, size: int) -> Sequence[int]:
        match term:
            case Whole():
                return range(size)
            case Slice():
                begin = int(self.scalar(term.begin))
                return range(begin, begin + max(0, self.integer(term.extent)))
            case Along():
                return self.members(term.domain)

    def load(self, op: ops.Load | ops.Gather) -> None:
        storage = self.values[(op.resource if isinstance(op, ops.Load) else op.source).serial]
        shape, place = self.selected(op.terms, storage.shape)
        valid = None if op.valid is None else self.values[op.valid.serial]
        fill = None if op.fill is None else self.values[op.fill.serial]

        def element(at: Place) -> Number:
            return storage.get(place(at)) if valid is None or fill is None or valid.get(at) else fill.get(at)

        self.define(op.result, shape, element)

    def store(self, op: ops.Store) -> None:
        storage, value = self.values[op.resource.serial], self.values[op.value.serial]
        shape, place = self.selected(op.terms, storage.shape)
        for at in places(shape):
            if op.valid is None or self.values[op.valid.serial].get(at):
                storage.put(place(at), value.get(at))

    def allocate(self, op: ops.Allocate) -> None:
        initial = None if op.init is None else self.values[op.init.serial]
        shape = self.shape(op.result)
        self.define(op.result, shape, lambda at: 0 if initial is None else initial.get(at if initial.shape else ()))

    def require_equal(self, op: ops.RequireEqual) -> None:
        assert max(0, self.integer(op.lhs)) == max(0, self.integer(op.rhs)), op.text

    def parallel(self, op: ops.Parallel) -> None:
        points = list(itertools.product(*(self.members(domain) for domain in op.domains)))
        self.shuffle.shuffle(points)
        for point in points:
            self.region(op.body, [Table((), {(): c}) for c in point])

    def loop(self, op: ops.For | ops.While, rounds: Iterator[Sequence[Table | View]]) -> None:
        carries = [self.values[value.serial] for value in op.initial]
        for lead in rounds:
            if isinstance(op, ops.While) and not self.region(op.test, carries)[0][0].get(()):
                break
            carries, stop = self.region(op.body, [*lead, *carries])
            if stop:
                break
        self.values |= {value.serial: carry for value, carry in zip(op.results, carries, strict=True)}

    def ordered(self, op: ops.For) -> None:
        self.loop(op, iter([(Table((), {(): member}),) for member in self.members(op.domain)]))

    def repeated(self, op: ops.While) -> None:
        self.loop(op, itertools.repeat(()))

    def branch(self, op: ops.If) -> None:
        values, _ = self.region(op.then_body if self.scalar(op.condition) else op.else_body)
        self.values |= {result.serial: value for result, value in zip(op.results, values, strict=True)}


EVALUATE: Mapping[type[Op], Callable[..., None]] = {
    ops.Constant: Naive.constant,
    ops.Pointwise: Naive.pointwise,
    ops.Cast: Naive.cast,
    ops.Broadcast: Naive.broadcast,
    ops.Reshape: Naive.reshape,
    ops.Transpose: Naive.transpose,
    ops.Join: Naive.join,
    ops.Dim: Naive.dim,
    ops.Domain: Naive.nothing,
    ops.Subregion: Naive.nothing,
    ops.Indices: Naive.indices,
    ops.Load: Naive.load,
    ops.Gather: Naive.load,
    ops.Store: Naive.store,
    ops.Allocate: Naive.allocate,
    ops.RequireEqual: Naive.require_equal,
    ops.Reduce: Naive.reduce,
    ops.ArgReduce: Naive.arg_reduce,
    ops.Contract: Naive.contract,
    ops.Parallel: Naive.parallel,
    ops.For: Naive.ordered,
    ops.While: Naive.repeated,
    ops.If: Naive.branch,
}

COMBINE = {
    Combiner.ADD: "add",
    Combiner.MAXIMUM: "maximum",
    Combiner.MINIMUM: "minimum",
    Combiner.ANY: "or",
    Combiner.ALL: "and",
}


def identity(combiner: Combiner, dtype: DType) -> Number:
    match combiner:
        case Combiner.ADD | Combiner.ANY:
            return fit(dtype, 0)
        case Combiner.ALL:
            return True
        case Combiner.MAXIMUM:
            return -float("inf") if dtype.is_float else dtype.integer_range[0]
        case Combiner.MINIMUM:
            return float("inf") if dtype.is_float else dtype.integer_range[1]
