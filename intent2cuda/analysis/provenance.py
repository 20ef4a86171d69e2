"""The relation of a value as a whole: expression, source domains, dependencies, predicates, bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from intent2cuda.analysis import expressions as ex
from intent2cuda.analysis.expressions import Condition, Expression
from intent2cuda.analysis.limits import Bounds, axis_symbol, coordinate_bounds
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.relations import Relations, Unknown, coordinate_map
from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.op import operands
from intent2cuda.ir.op import regions as op_regions
from intent2cuda.ir.ops import (
    Broadcast,
    Dim,
    For,
    Gather,
    Indices,
    Load,
    Parallel,
    Pointwise,
    Reshape,
    Subregion,
    Transpose,
)
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import Shape, TensorType


@dataclass(frozen=True)
class SourceAxis:
    """A root domain whose coordinates a value holds; `axis` is the result axis along it (None: a fixed point)."""

    domain: Value
    axis: int | None


@dataclass(frozen=True)
class IndexRelation:
    """`expression` gives the integer at each result coordinate; `dependencies` are the SSA values it rests on.

    `active` are the predicates that choose between expressions; `bounds` hold at every coordinate.
    """

    dtype: DType
    shape: Shape
    sources: tuple[SourceAxis, ...]
    expression: Expression
    dependencies: tuple[Value, ...]
    active: tuple[Value, ...]
    bounds: Bounds

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class PredicateRelation:
    """A bool value as a condition on its coordinates."""

    shape: Shape
    condition: Condition
    dependencies: tuple[Value, ...]


Relation: TypeAlias = IndexRelation | PredicateRelation | Unknown


def relation(relations: Relations, value: Value) -> Relation:
    """The relation of an integer or bool scalar or tensor."""
    if not isinstance(value.type, TensorType):
        return Unknown("the value is no scalar or tensor")
    shape, dtype = value.type.shape, value.type.dtype
    if dtype.is_bool:
        return PredicateRelation(shape, relations.condition(value), dependencies(relations, value))
    if not dtype.is_integer:
        return Unknown(f"{dtype} is no integer type")
    expression = relations.expression(value)
    if isinstance(expression, Unknown):
        return expression
    return IndexRelation(
        dtype,
        shape,
        sources(relations, value),
        expression,
        dependencies(relations, value),
        _active(relations, value),
        _bounds(relations, shape, expression),
    )


def _bounds(relations: Relations, shape: Shape, expression: Expression) -> Bounds:
    if not isinstance(expression, IntExpr):
        return Bounds()
    found = Facts(relations.structure, coordinate_bounds(shape)).extremes(expression)
    lower, upper = (
        tuple(e for e in side if all(ex.coordinate_axis(s) is None for s in symbols(e)))
        for side in (found.lower, found.upper)
    )
    return Bounds(lower, upper)


def root(relations: Relations, domain: Value) -> Value:
    """The domain that a chain of subregions was cut from."""
    op = relations.structure.defining.get(domain)
    return root(relations, op.source) if isinstance(op, Subregion) else domain


def sources(relations: Relations, value: Value) -> tuple[SourceAxis, ...]:
    """Which domains the integers come from, and along which axes."""
    op = relations.structure.defining.get(value)
    match op:
        case None:
            frame = relations.structure.arguments.get(value)
            if frame is None or not isinstance(frame.owner, Parallel | For):
                return ()
            position = frame.region.args.index(value)
            domains = frame.owner.domains if isinstance(frame.owner, Parallel) else (frame.owner.domain,)
            return (SourceAxis(root(relations, domains[position]), None),) if position < len(domains) else ()
        case Indices():
            return (SourceAxis(root(relations, op.domain), 0),)
        case Broadcast() | Transpose() | Reshape():
            moved = coordinate_map(op)
            if isinstance(moved, Unknown):
                return ()
            found = [
                (s, moved[axis_symbol(s.axis)] if s.axis is not None else None) for s in sources(relations, op.source)
            ]
            return _unique(axis for source, map_ in found for axis in _along(source, map_))
        case Gather():
            positions = relations.coordinates(op.terms)
            found = [(s, positions[s.axis] if s.axis is not None else None) for s in sources(relations, op.source)]
            return _unique(axis for source, map_ in found for axis in _along(source, map_))
        case Dim():
            scalars = (relations.structure.by_serial.get(symbol.serial) for symbol in symbols(op.expression))
            return _unique(s for scalar in scalars if scalar is not None for s in sources(relations, scalar))
        case Load():
            return ()
        case _:
            return _unique(s for operand in operands(op) for s in sources(relations, operand))


def dependencies(relations: Relations, value: Value) -> tuple[Value, ...]:
    """The parameters, loop variables, domains and values read from memory that a value rests on."""
    op = relations.structure.defining.get(value)
    match op:
        case None | Load():
            return (value,)
        case Indices():
            return (op.domain,)
        case Dim():
            scalars = (relations.structure.by_serial.get(symbol.serial) for symbol in symbols(op.expression))
            return _unique_values(
                v for scalar in scalars if scalar is not None for v in dependencies(relations, scalar)
            )
        case _:
            used = operands(op)
            if not used and op_regions(op):
                return (value,)
            return _unique_values(v for operand in used for v in dependencies(relations, operand))


def _active(relations: Relations, value: Value) -> tuple[Value, ...]:
    op = relations.structure.defining.get(value)
    if op is None or isinstance(op, Load | Indices | Dim):
        return ()
    own: tuple[Value, ...] = ()
    if isinstance(op, Pointwise) and op.fn == "select":
        own = (op.args[0],)
    elif isinstance(op, Gather) and op.valid is not None:
        own = (op.valid,)
    inner = [v for operand in operands(op) if _is_integer(operand) for v in _active(relations, operand)]
    return _unique_values([*own, *inner])


def _is_integer(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.dtype.is_integer


def _along(source: SourceAxis, position: Expression | Unknown | None) -> Iterator[SourceAxis]:
    """The source with the result axes that its old axis has become."""
    if position is None or isinstance(position, Unknown):
        yield SourceAxis(source.domain, None)
        return
    used = sorted(
        {axis for leaf in ex.leaves(position) for s in symbols(leaf) if (axis := ex.coordinate_axis(s)) is not None}
    )
    yield from (SourceAxis(source.domain, axis) for axis in used or [None])


def _unique(found: Iterable[SourceAxis]) -> tuple[SourceAxis, ...]:
    return tuple(dict.fromkeys(found))


def _unique_values(found: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(found))
