"""Makes ops whose results have the inferred types. Rewrites and tests build with it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeAlias, TypeVar, cast

from intent2cuda.base.intexpr import IntExpr, IntLike, ceiling
from intent2cuda.base.span import SourceFile, Span
from intent2cuda.ir import infer
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import (
    Allocate,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Bitcast,
    Broadcast,
    Cast,
    Combiner,
    CompareExchange,
    Constant,
    Contract,
    Dim,
    Domain,
    For,
    Gather,
    Histogram,
    If,
    Indices,
    Load,
    Order,
    Parallel,
    Philox,
    Pointwise,
    Reduce,
    ReduceBy,
    RegionFold,
    RegionScan,
    Reshape,
    Scan,
    ScanBy,
    ScatterReduce,
    Store,
    Subregion,
    Transpose,
    Update,
    While,
    Yield,
)  # fmt: skip
from intent2cuda.ir.terms import Along, Lanes, Point, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import BOOL, INDEX, U32, DType
from intent2cuda.types.value_type import Access, BufferType, DomainType, TensorType, ValueType, ViewType, scalar

NOWHERE = Span(SourceFile("", ""), 1, 1, 1, 1)

OpT = TypeVar("OpT", bound=Op)
Given: TypeAlias = Value | Term | None
"""An index term: None is a whole axis, a value a point or lanes, a domain its coordinates."""
Values: TypeAlias = Sequence[Value]
OfOne: TypeAlias = Callable[[tuple[Value, ...]], Values]
OfTwo: TypeAlias = Callable[[tuple[Value, ...], tuple[Value, ...]], Values]


class Builder:
    """Collects the ops of one kernel. A term may be given as `None` for a whole axis, or as a value or domain.

    `serial`: the first one that new values do not have. `origin`, `routine`: the op that new ones are written for,
    and the piece of work that they are a part of. `place`: the op beside which they stand, as operations of their own.
    `reason`: what a reader is told of them.
    """

    def __init__(self, name: str, serial: int = 1) -> None:
        self._name = name
        self._serial = serial - 1
        self.origin: Op | None = None
        self.place: Op | None = None
        self.routine = ""
        self.reason = ""
        self._parameters: list[Value] = []
        self._blocks: list[list[Op]] = [[]]
        self._expressions: dict[Value, IntExpr] = {}

    def finish(self) -> Kernel:
        return Kernel(self._name, tuple(self._parameters), Region((), tuple(self._blocks[0])), NOWHERE)

    def fresh(self, value_type: ValueType, name: str = "") -> Value:
        self._serial += 1
        return Value(value_type, self._serial, name)

    def emit(self, op: OpT) -> OpT:
        if self.origin is not None:
            place = op if op.span else self.origin
            op = replace(op, span=place.span, statement=place.statement, origin=op.origin or self.origin.author)
        elif self.place is not None and op.span is None:
            op = replace(op, span=self.place.span, statement=self.place.statement)
        if self.routine and not op.routine:
            op = replace(op, routine=self.routine)
        if self.reason:
            op = replace(op, reason=self.reason)
        self._blocks[-1].append(op)
        return op

    def collect(self, body: Callable[[], None]) -> tuple[Op, ...]:
        """The ops that the body emits, apart from the others."""
        self._blocks.append([])
        body()
        return tuple(self._blocks.pop())

    def expression(self, value: Value) -> IntExpr:
        """What is known of an integer scalar: its expression, else the symbol that stands for it."""
        return self._expressions.get(value, value.as_symbol)

    def view(self, name: str, dtype: DType, shape: Sequence[IntLike | str], access: Access = Access.IN) -> Value:
        extents = tuple(IntExpr.symbol(e) if isinstance(e, str) else IntExpr.of(e) for e in shape)
        self._parameters.append(self.fresh(ViewType(dtype, extents, access), name))
        return self._parameters[-1]

    def scalar(self, name: str, dtype: DType = INDEX) -> Value:
        self._parameters.append(self.fresh(scalar(dtype), name))
        return self._parameters[-1]

    def constant(self, value: bool | int | float, dtype: DType = INDEX, meaning: str = "") -> Value:
        op = self.emit(Constant(value, self.fresh(scalar(dtype)), meaning=meaning))
        if dtype.is_integer:
            self._expressions[op.result] = IntExpr.of(int(value))
        return op.result

    def dim(self, expression: IntLike | str, name: str = "") -> Value:
        whole = IntExpr.symbol(expression) if isinstance(expression, str) else IntExpr.of(expression)
        op = self.emit(Dim(whole, self.fresh(scalar(INDEX), name)))
        self._expressions[op.result] = whole
        return op.result

    def pointwise(self, fn: str, *args: Value, name: str = "") -> Value:
        result = self.fresh(infer.pointwise_type(fn, [a.tensor for a in args]), name)
        return self.emit(Pointwise(fn, args, result)).result

    def cast(self, source: Value, dtype: DType, name: str = "") -> Value:
        result = TensorType(dtype, source.tensor.shape, source.tensor.is_scalar)
        return self.emit(Cast(source, self.fresh(result, name))).result

    def bitcast(self, source: Value, dtype: DType, name: str = "") -> Value:
        result = TensorType(dtype, source.tensor.shape, source.tensor.is_scalar)
        return self.emit(Bitcast(source, self.fresh(result, name))).result

    def broadcast(self, source: Value, axes: Sequence[int | None], shape: Sequence[IntLike]) -> Value:
        result = TensorType(source.tensor.dtype, tuple(IntExpr.of(e) for e in shape))
        return self.emit(Broadcast(source, tuple(axes), self.fresh(result))).result

    def reshape(self, source: Value, shape: Sequence[IntLike]) -> Value:
        result = TensorType(source.tensor.dtype, tuple(IntExpr.of(e) for e in shape))
        return self.emit(Reshape(source, self.fresh(result))).result

    def transpose(self, source: Value, permutation: Sequence[int]) -> Value:
        shape = infer.transposed_shape(source.tensor.shape, permutation)
        result = self.fresh(TensorType(source.tensor.dtype, shape))
        return self.emit(Transpose(source, tuple(permutation), result)).result

    def domain(self, begin: Value | int, end: Value | int, step: Value | int = 1, name: str = "") -> Value:
        bounds = [self.constant(b) if isinstance(b, int) else b for b in (begin, end, step)]
        first, last, stride = (self.expression(bound) for bound in bounds)
        result = self.fresh(DomainType(first, ceiling(last - first, stride), stride), name)
        return self.emit(Domain(bounds[0], bounds[1], bounds[2], result)).result

    def subregion(self, source: Value, begin: Value | None, end: Value | None, name: str = "") -> Value:
        bounds = [None if b is None else self.expression(b) for b in (begin, end)]
        result = self.fresh(infer.subregion_type(source.domain, *bounds), name)
        return self.emit(Subregion(source, begin, end, result)).result

    def indices(self, domain: Value, name: str = "") -> Value:
        return self.emit(Indices(domain, self.fresh(TensorType(INDEX, (domain.domain.extent,)), name))).result

    def terms(self, given: Sequence[Given]) -> tuple[Term, ...]:
        return tuple(_term(g) for g in given)

    def load(self, resource: Value, *given: Given, name: str = "") -> Value:
        terms = self.terms(given)
        shape = infer.selected_shape(resource.resource.shape, terms)
        result = self.fresh(infer.tensor_or_scalar(resource.resource.dtype, shape), name)
        return self.emit(Load(resource, terms, result)).result

    def gather(self, source: Value, *given: Given, name: str = "") -> Value:
        terms = self.terms(given)
        shape = infer.selected_shape(source.tensor.shape, terms)
        result = self.fresh(infer.tensor_or_scalar(source.tensor.dtype, shape), name)
        return self.emit(Gather(source, terms, result)).result

    def store(self, resource: Value, given: Sequence[Given], value: Value) -> Store:
        return self.emit(Store(resource, self.terms(given), value))

    def allocate(self, dtype: DType, shape: Sequence[IntLike], init: Value | None = None, name: str = "") -> Value:
        result = self.fresh(BufferType(dtype, tuple(IntExpr.of(e) for e in shape)), name)
        return self.emit(Allocate(result, init)).result

    def atomic_load(self, resource: Value, given: Sequence[Given], order: Order = Order.RELAXED) -> Value:
        terms = self.terms(given)
        return self.emit(AtomicLoad(resource, terms, order, self._selected(resource, terms))).result

    def atomic_store(
        self, resource: Value, given: Sequence[Given], value: Value, order: Order = Order.RELAXED
    ) -> AtomicStore:
        return self.emit(AtomicStore(resource, self.terms(given), value, order))

    def atomic(
        self, update: Update, resource: Value, given: Sequence[Given], value: Value, order: Order = Order.RELAXED
    ) -> Value:
        terms = self.terms(given)
        result = self._selected(resource, terms)
        return self.emit(AtomicUpdate(update, resource, terms, value, order, result)).result

    def compare_exchange(
        self,
        resource: Value,
        given: Sequence[Given],
        expected: Value,
        desired: Value,
        order: Order = Order.RELAXED,
    ) -> tuple[Value, Value]:
        terms = self.terms(given)
        old = self._selected(resource, terms)
        results = old, self.fresh(infer.tensor_or_scalar(BOOL, old.tensor.shape))
        return self.emit(CompareExchange(resource, terms, expected, desired, order, results)).results

    def scatter_reduce(self, resource: Value, given: Sequence[Given], value: Value) -> ScatterReduce:
        return self.emit(ScatterReduce(Combiner.ADD, resource, self.terms(given), value))

    def _selected(self, resource: Value, terms: Sequence[Term]) -> Value:
        shape = infer.selected_shape(resource.resource.shape, terms)
        return self.fresh(infer.tensor_or_scalar(resource.resource.dtype, shape))

    def reduce(self, combiner: Combiner, source: Value, axes: Sequence[int], name: str = "") -> Value:
        shape = infer.without_axes(source.tensor.shape, axes)
        result = self.fresh(infer.tensor_or_scalar(source.tensor.dtype, shape), name)
        return self.emit(Reduce(combiner, source, tuple(axes), result)).result

    def contract(self, lhs: Value, rhs: Value, reduce: Sequence[tuple[int, int]]) -> Value:
        shape = infer.contracted_shape(lhs.tensor.shape, rhs.tensor.shape, reduce, ())
        result = self.fresh(TensorType(lhs.tensor.dtype, shape))
        return self.emit(Contract(lhs, rhs, tuple(reduce), (), result)).result

    def reduce_by(self, sources: Values, axes: Sequence[int], identity: Values, combine: OfTwo) -> tuple[Value, ...]:
        results = tuple(
            self.fresh(infer.tensor_or_scalar(s.tensor.dtype, infer.without_axes(s.tensor.shape, axes)))
            for s in sources
        )
        region = self._of_two(identity, identity, combine)
        return self.emit(ReduceBy(tuple(sources), tuple(axes), tuple(identity), region, results)).results

    def scan(
        self, combiner: Combiner, source: Value, axis: int, inclusive: bool = True, reverse: bool = False
    ) -> Value:
        return self.emit(Scan(combiner, source, axis, self.fresh(source.type), inclusive, reverse)).result

    def scan_by(
        self,
        sources: Values,
        axis: int,
        identity: Values,
        combine: OfTwo,
        inclusive: bool = True,
        reverse: bool = False,
    ) -> tuple[Value, ...]:
        results = tuple(self.fresh(source.type) for source in sources)
        region = self._of_two(identity, identity, combine)
        op = ScanBy(tuple(sources), axis, tuple(identity), region, results, inclusive, reverse)
        return self.emit(op).results

    def region_fold(
        self, sources: Values, axis: int, identity: Values, summarize: OfOne, combine: OfTwo
    ) -> tuple[Value, ...]:
        """`summarize(slices)` and `combine(summary, summary)` give summaries."""
        per_slice = self._of_slices(sources, axis, (), lambda slices, _: summarize(slices))
        results = tuple(self.fresh(value.type) for value in identity)
        merge = self._of_two(identity, identity, combine)
        return self.emit(RegionFold(tuple(sources), axis, tuple(identity), per_slice, merge, results)).results

    def region_scan(
        self,
        sources: Values,
        axis: int,
        identity: Values,
        initial: Values,
        summarize: OfOne,
        combine: OfTwo,
        apply: OfTwo,
        emit: OfTwo,
    ) -> tuple[Value, ...]:
        """As `region_fold`, with `apply(summary, state)` to a state and `emit(slices, state)` to parts of outputs."""
        parts = self._of_slices(sources, axis, initial, emit)
        extent, whole = parts.args[0].as_symbol, sources[0].tensor.shape[axis]
        yielded = cast(Yield, parts.ops[-1]).values
        outputs = tuple(self.fresh(infer.assembled_type(v.tensor, extent, whole)) for v in yielded)
        op = RegionScan(
            tuple(sources),
            axis,
            tuple(identity),
            tuple(initial),
            self._of_slices(sources, axis, (), lambda slices, _: summarize(slices)),
            self._of_two(identity, identity, combine),
            self._of_two(identity, initial, apply),
            parts,
            (*outputs, *(self.fresh(value.type) for value in initial)),
        )
        return self.emit(op).results

    def histogram(self, values: Value, bins: IntLike, count: DType, valid: Value | None = None) -> Value:
        return self.emit(Histogram(values, self.fresh(TensorType(count, (IntExpr.of(bins),))), valid)).result

    def philox(self, seed: Value, counter: Value) -> Value:
        return self.emit(Philox(seed, counter, self.fresh(infer.tensor_or_scalar(U32, counter.tensor.shape)))).result

    @contextmanager
    def parallel(self, *domains: Value, names: Sequence[str] = ("i", "j", "k")) -> Generator[tuple[Value, ...]]:
        points = tuple(self.fresh(scalar(INDEX), name) for name, _ in zip(names, domains, strict=False))
        self._blocks.append([])
        yield points
        body = Region(points, (*self._blocks.pop(), Yield(())))
        self.emit(Parallel(domains, body))

    def loop(
        self,
        domain: Value,
        initial: Sequence[Value],
        body: Callable[[Value, tuple[Value, ...]], Sequence[Value]],
        name: str = "i",
        carried: Sequence[str] = (),
    ) -> tuple[Value, ...]:
        """An ordered loop; `body(index, carries)` emits and returns the next carries. `carried`: their names, if not
        those of the values that they begin with.
        """
        index = self.fresh(scalar(INDEX), name)
        names = carried or [value.name for value in initial]
        carries, results = (
            tuple(self.fresh(value.type, label) for value, label in zip(initial, names, strict=True)) for _ in range(2)
        )
        region = self.region((index, *carries), lambda: body(index, carries))
        return self.emit(For(domain, tuple(initial), region, results)).results

    def repeat(self, initial: Values, test: Callable[[tuple[Value, ...]], Value], body: OfOne) -> tuple[Value, ...]:
        """A while loop; `test(carries)` gives the condition and `body(carries)` the next carries."""
        seen, changed, results = (tuple(self.fresh(v.type, v.name) for v in initial) for _ in range(3))
        condition = self.region(seen, lambda: (test(seen),))
        return self.emit(While(tuple(initial), condition, self.region(changed, lambda: body(changed)), results)).results

    def branch(
        self, condition: Value, then: Callable[[], Sequence[Value]], other: Callable[[], Sequence[Value]]
    ) -> tuple[Value, ...]:
        """A condition; both callables emit and return the values to merge."""
        then_body, else_body = self.region((), then), self.region((), other)
        merged = cast(Yield, then_body.ops[-1]).values
        results = tuple(self.fresh(value.type, value.name) for value in merged)
        return self.emit(If(condition, then_body, else_body, results)).results

    def region(self, args: tuple[Value, ...], body: Callable[[], Values]) -> Region:
        """What `body` emits, with a yield of what it returns."""
        self._blocks.append([])
        values = tuple(body())
        return Region(args, (*self._blocks.pop(), Yield(values)))

    def _of_two(self, first: Values, second: Values, body: OfTwo) -> Region:
        """A region of two groups of arguments, of the types of some values."""
        lhs, rhs = (tuple(self.fresh(value.type) for value in group) for group in (first, second))
        return self.region((*lhs, *rhs), lambda: body(lhs, rhs))

    def _of_slices(self, sources: Values, axis: int, state: Values, body: OfTwo) -> Region:
        """A region of the extent of the slices, the slices, and the arguments of a state."""
        extent = self.fresh(scalar(INDEX), "extent")
        slices = tuple(self.fresh(infer.slice_type(s.tensor, axis, extent.as_symbol)) for s in sources)
        before = tuple(self.fresh(value.type) for value in state)
        return self.region((extent, *slices, *before), lambda: body(slices, before))


def _term(given: Given) -> Term:
    if given is None:
        return Whole()
    if not isinstance(given, Value):
        return given
    if isinstance(given.type, DomainType):
        return Along(given)
    return Lanes(given) if given.tensor.shape else Point(given)
