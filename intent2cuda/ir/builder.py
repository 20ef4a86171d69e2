"""Makes ops whose results have the inferred types. Rewrites and tests build with it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TypeVar, cast

from intent2cuda.base.intexpr import IntExpr, IntLike, ceiling
from intent2cuda.base.span import SourceFile, Span
from intent2cuda.ir import infer
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import (
    Broadcast,
    Cast,
    Combiner,
    Constant,
    Contract,
    Dim,
    Domain,
    For,
    Gather,
    If,
    Indices,
    Load,
    Parallel,
    Pointwise,
    Reduce,
    Reshape,
    Store,
    Subregion,
    Transpose,
    Yield,
)  # fmt: skip
from intent2cuda.ir.terms import Along, Lanes, Point, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import INDEX, DType
from intent2cuda.types.value_type import Access, DomainType, TensorType, ValueType, ViewType, scalar

NOWHERE = Span(SourceFile("", ""), 1, 1, 1, 1)

OpT = TypeVar("OpT", bound=Op)


class Builder:
    """Collects the ops of one kernel. A term may be given as `None` for a whole axis, or as a value or domain."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._serial = 0
        self._parameters: list[Value] = []
        self._blocks: list[list[Op]] = [[]]
        self._expressions: dict[Value, IntExpr] = {}

    def finish(self) -> Kernel:
        return Kernel(self._name, tuple(self._parameters), Region((), tuple(self._blocks[0])), NOWHERE)

    def fresh(self, value_type: ValueType, name: str = "") -> Value:
        self._serial += 1
        return Value(value_type, self._serial, name)

    def emit(self, op: OpT) -> OpT:
        self._blocks[-1].append(op)
        return op

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

    def constant(self, value: bool | int | float, dtype: DType = INDEX) -> Value:
        op = self.emit(Constant(value, self.fresh(scalar(dtype))))
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

    def cast(self, source: Value, dtype: DType) -> Value:
        result = TensorType(dtype, source.tensor.shape, source.tensor.is_scalar)
        return self.emit(Cast(source, self.fresh(result))).result

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

    def terms(self, given: Sequence[Value | Term | None]) -> tuple[Term, ...]:
        return tuple(_term(g) for g in given)

    def load(self, resource: Value, *given: Value | Term | None, name: str = "") -> Value:
        terms = self.terms(given)
        shape = infer.selected_shape(resource.resource.shape, terms)
        result = self.fresh(infer.tensor_or_scalar(resource.resource.dtype, shape), name)
        return self.emit(Load(resource, terms, result)).result

    def gather(self, source: Value, *given: Value | Term | None, name: str = "") -> Value:
        terms = self.terms(given)
        shape = infer.selected_shape(source.tensor.shape, terms)
        result = self.fresh(infer.tensor_or_scalar(source.tensor.dtype, shape), name)
        return self.emit(Gather(source, terms, result)).result

    def store(self, resource: Value, given: Sequence[Value | Term | None], value: Value) -> Store:
        return self.emit(Store(resource, self.terms(given), value))

    def reduce(self, combiner: Combiner, source: Value, axes: Sequence[int], name: str = "") -> Value:
        shape = infer.without_axes(source.tensor.shape, axes)
        result = self.fresh(infer.tensor_or_scalar(source.tensor.dtype, shape), name)
        return self.emit(Reduce(combiner, source, tuple(axes), result)).result

    def contract(self, lhs: Value, rhs: Value, reduce: Sequence[tuple[int, int]]) -> Value:
        shape = infer.contracted_shape(lhs.tensor.shape, rhs.tensor.shape, reduce, ())
        result = self.fresh(TensorType(lhs.tensor.dtype, shape))
        return self.emit(Contract(lhs, rhs, tuple(reduce), (), result)).result

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
    ) -> tuple[Value, ...]:
        """An ordered loop; `body(index, carries)` emits and returns the next carries."""
        index = self.fresh(scalar(INDEX), name)
        carries = tuple(self.fresh(value.type, value.name) for value in initial)
        region = self._region((index, *carries), lambda: body(index, carries))
        results = tuple(self.fresh(value.type, value.name) for value in initial)
        return self.emit(For(domain, tuple(initial), region, results)).results

    def branch(
        self, condition: Value, then: Callable[[], Sequence[Value]], other: Callable[[], Sequence[Value]]
    ) -> tuple[Value, ...]:
        """A condition; both callables emit and return the values to merge."""
        then_body, else_body = self._region((), then), self._region((), other)
        merged = cast(Yield, then_body.ops[-1]).values
        results = tuple(self.fresh(value.type, value.name) for value in merged)
        return self.emit(If(condition, then_body, else_body, results)).results

    def _region(self, args: tuple[Value, ...], body: Callable[[], Sequence[Value]]) -> Region:
        self._blocks.append([])
        values = tuple(body())
        return Region(args, (*self._blocks.pop(), Yield(values)))


def _term(given: Value | Term | None) -> Term:
    if given is None:
        return Whole()
    if not isinstance(given, Value):
        return given
    if isinstance(given.type, DomainType):
        return Along(given)
    return Lanes(given) if given.tensor.shape else Point(given)
