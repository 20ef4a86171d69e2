"""What the stages of a plan are made for: the ops that must run, and the elements that each of them reads.

A root runs over axes: first those of what it defines or stores (`iterated`), then those that only it sees (reduced,
depth).
A token is the number of such an axis; reading a value at tokens says which coordinate of the root each axis of the
value takes,
None where it is another coordinate (gathered, reshaped, stretched).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.op import Op, regions, results
from intent2cuda.ir.ops import (
    Allocate,
    ArgReduce,
    AssumeInBounds,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Bitcast,
    Broadcast,
    Cast,
    CompareExchange,
    Contract,
    Dim,
    Domain,
    For,
    Gather,
    If,
    Indices,
    Inspect,
    Join,
    Load,
    Parallel,
    Philox,
    Pointwise,
    Reduce,
    RequireEqual,
    Reshape,
    ScatterReduce,
    Store,
    Subregion,
    Transpose,
    While,
    Yield,
)
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import (
    AxisClasses,
    free_axes,
    keeps_extent,
    preserved_axes,
    reads_whole,
    selection_axes,
)
from intent2cuda.plan.effects import EFFECTS, subject, written
from intent2cuda.plan.stage import Coordinates
from intent2cuda.types.value_type import DomainType, TensorType

Tokens: TypeAlias = tuple[int | None, ...]
Read: TypeAlias = tuple[Value, Tokens]

ROOT_OPS = (
    *EFFECTS, Reduce, ArgReduce, Contract, For, While, If, Parallel, Allocate, RequireEqual,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Root:
    """`classes` has the class of each axis; the first `rank` are iterated. `scalars` are read by name in extents and
    bounds.

    `inner`: iterated axes that a product routine runs over by itself. `defines`: the root computes the very value
    that it reads. `at`: the loops of the stage that evaluates a value, which several stages may do.
    """

    op: Op
    classes: tuple[int, ...]
    extents: tuple[IntExpr, ...]
    rank: int
    reads: tuple[Read, ...]
    scalars: tuple[IntExpr, ...] = ()
    effect: bool = False
    inner: tuple[int, ...] = ()
    defines: bool = False
    at: Coordinates = ()

    @property
    def is_scalar(self) -> bool:
        return not self.classes


def identity(value: Value) -> Tokens:
    return tuple(range(value.tensor.rank)) if isinstance(value.type, TensorType) else ()


def define_root(op: Op, value: Value, classes: AxisClasses, defines: bool = False, at: Coordinates = ()) -> Root:
    """The evaluation of every element of a value."""
    shape = value.tensor.shape
    reads = ((value, identity(value)),)
    return Root(op, classes.every(value), shape, len(shape), reads, shape, defines=defines, at=at)


def domain_root(op: For) -> Root:
    """The evaluation of the bounds of a loop."""
    return Root(op, (), (), 0, (), domain_bounds(op.domain))


def roots_of(op: Op, classes: AxisClasses) -> Iterator[Root]:
    """The roots of an op and of everything in its regions."""
    yield from _own_roots(op, classes)
    for region in regions(op):
        for inner in region.ops:
            yield from roots_of(inner, classes)


def _own_roots(op: Op, classes: AxisClasses) -> Iterator[Root]:
    match op:
        case Store() | AtomicLoad() | AtomicStore() | AtomicUpdate() | CompareExchange() | ScatterReduce():
            over = subject(op)
            shape, tokens = over.tensor.shape, identity(over)
            reads = (*((value, tokens) for value in written(op)), *term_reads(op.terms, tokens))
            bounds = (*shape, *term_bounds(op.terms))
            yield Root(op, classes.every(over), shape, len(shape), reads, bounds, effect=True)
        case Reduce() | ArgReduce():
            yield reduction((op,), classes)
        case Contract():
            yield contraction(op, classes)
        case For():
            yield domain_root(op)
            yield from (define_root(op, value, classes) for value in op.initial)
        case While():
            yield from (define_root(op, value, classes) for value in op.initial)
        case If():
            yield Root(op, (), (), 0, ((op.condition, ()),))
        case Parallel():
            yield Root(op, (), (), 0, (), tuple(b for d in op.domains for b in domain_bounds(d)))
        case Allocate():
            yield Root(op, (), (), 0, (), op.result.resource.shape)
            if op.init is not None:
                yield define_root(op, op.init, classes)
        case RequireEqual():
            yield Root(op, (), (), 0, (), (op.lhs, op.rhs))
        case Yield():
            yield from (define_root(op, value, classes) for value in op.values)
            if op.stop is not None:
                yield define_root(op, op.stop, classes)
        case _:
            pass


def reduction(ops: Sequence[Reduce | ArgReduce], classes: AxisClasses) -> Root:
    """The axes of the result, then the reduced ones; several reductions of the same members are one root."""
    reads = tuple((op.source, _tokens(op)) for op in ops)
    source, order = ops[0].source, _order(ops[0])
    extents = tuple(source.tensor.shape[axis] for axis in order)
    names = tuple(classes.of(source, axis) for axis in order)
    return Root(ops[0], names, extents, results(ops[0])[0].tensor.rank, reads, extents)


def _tokens(op: Reduce | ArgReduce) -> Tokens:
    order = _order(op)
    return tuple(order.index(axis) for axis in range(len(order)))


def _order(op: Reduce | ArgReduce) -> list[int]:
    """The axes of the source: those that stay, then the reduced ones."""
    axes = op.axes if isinstance(op, Reduce) else (op.axis,)
    return [*(axis for axis in range(op.source.tensor.rank) if axis not in axes), *axes]


def contraction(op: Contract, classes: AxisClasses) -> Root:
    """The axes of the result, then the paired reduced axes."""
    left, right = free_axes(op)
    rank = len(left) + len(right)
    lhs = {axis: position for position, axis in enumerate(left)}
    rhs = {axis: len(left) + position for position, axis in enumerate(right)}
    rhs |= {pair[1]: lhs[pair[0]] for pair in op.batch}
    for number, (left_axis, right_axis) in enumerate(op.reduce):
        lhs[left_axis] = rhs[right_axis] = rank + number
    extents = (*op.result.tensor.shape, *(op.lhs.tensor.shape[pair[0]] for pair in op.reduce))
    names = (*classes.every(op.result), *(classes.of(op.lhs, pair[0]) for pair in op.reduce))
    reads = (
        (op.lhs, tuple(lhs[axis] for axis in range(op.lhs.tensor.rank))),
        (op.rhs, tuple(rhs[axis] for axis in range(op.rhs.tensor.rank))),
    )
    inner = tuple(position for position in (_last(left, op), rank - 1 if right else None) if position is not None)
    return Root(op, names, extents, rank, reads, extents, inner=inner)


def _last(left: tuple[int, ...], op: Contract) -> int | None:
    """The row axis of a product: the last axis of the left operand that is neither reduced nor batch."""
    batch = [pair[0] for pair in op.batch]
    rows = [position for position, axis in enumerate(left) if axis not in batch]
    return rows[-1] if rows else None


def virtual_reads(op: Op, tokens: Tokens) -> Iterator[Read]:
    """What one element of a virtual value reads, with the coordinates carried over."""
    match op:
        case Pointwise():
            yield from ((arg, tokens) for arg in op.args)
        case Cast() | Bitcast():
            yield op.source, tokens
        case Inspect():
            yield op.holds, tokens
            yield from ((number, tokens if number.tensor.shape else ()) for number in op.numbers)
        case Philox():
            yield op.counter, tokens
            yield op.seed, ()
        case Broadcast():
            yield op.source, _broadcast_tokens(op, tokens)
        case Reshape():
            kept = dict(preserved_axes(op.source.tensor.shape, op.result.tensor.shape))
            source_axes = range(op.source.tensor.rank)
            yield op.source, tuple(tokens[kept[a]] if a in kept else None for a in source_axes)
        case Transpose():
            yield op.source, tuple(tokens[op.permutation.index(a)] for a in range(len(op.permutation)))
        case Join():
            yield op.lhs, tokens[:-1]
            yield op.rhs, tokens[:-1]
        case Load():
            yield from _access_reads(op.terms, tokens, (op.valid, op.fill))
        case Gather():
            yield from _access_reads(op.terms, tokens, (op.valid, op.fill))
            yield op.source, _gather_tokens(op, tokens)
        case _:
            pass


def _broadcast_tokens(op: Broadcast, tokens: Tokens) -> Tokens:
    found: list[int | None] = [None] * op.source.tensor.rank
    for axis, source in enumerate(op.axes):
        if source is not None and keeps_extent(op, axis):
            found[source] = tokens[axis]
    return tuple(found)


def _access_reads(terms: tuple[Term, ...], tokens: Tokens, alike: tuple[Value | None, ...]) -> Iterator[Read]:
    yield from term_reads(terms, tokens)
    yield from ((value, tokens) for value in alike if value is not None)


def _gather_tokens(op: Gather, tokens: Tokens) -> Tokens:
    found: list[int | None] = []
    for source, (term, axes) in enumerate(zip(op.terms, selection_axes(op.terms), strict=True)):
        whole = axes and reads_whole(term, op.source.tensor.shape[source])
        found.append(tokens[axes[0]] if whole else None)
    return tuple(found)


def term_reads(terms: tuple[Term, ...], tokens: Tokens) -> Iterator[Read]:
    """The index values of an access, at the coordinates of its result."""
    for term, axes in zip(terms, selection_axes(terms), strict=True):
        match term:
            case Slice():
                yield term.begin, ()
            case Point():
                yield term.index, ()
            case Lanes():
                yield term.index, tuple(tokens[axis] for axis in axes)
            case Whole() | Along():
                pass


def term_bounds(terms: tuple[Term, ...]) -> tuple[IntExpr, ...]:
    """The expressions that an access needs by name: where its domains begin and how they step."""
    return tuple(b for term in terms if isinstance(term, Along) for b in domain_bounds(term.domain))


def domain_bounds(domain: Value) -> tuple[IntExpr, ...]:
    kind = domain.type
    return (kind.begin, kind.extent, kind.step) if isinstance(kind, DomainType) else ()


def bounds_of(op: Op) -> tuple[IntExpr, ...]:
    """The integer expressions that computing an element of a virtual value needs by name."""
    match op:
        case Dim():
            return (op.expression,)
        case Load() | Gather():
            return term_bounds(op.terms)
        case Indices():
            return domain_bounds(op.domain)
        case Reshape():
            return (*op.source.tensor.shape, *op.result.tensor.shape)
        case Broadcast():
            return tuple(op.source.tensor.shape[axis] for axis in op.guarded)
        case _:
            return ()


def named_scalars(bounds: tuple[IntExpr, ...]) -> Iterator[int]:
    """The serial numbers of the scalars that expressions mention."""
    for bound in bounds:
        yield from (symbol.serial for symbol in symbols(bound) if symbol.serial)


def is_pure_definition(op: Op) -> bool:
    """Whether the op's results are virtual: elements can be computed wherever they are asked for."""
    return not isinstance(op, (*ROOT_OPS, Yield, AssumeInBounds, Domain, Subregion)) and bool(results(op))
