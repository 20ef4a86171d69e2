"""How a loop over an axis is spelled at each level: where it begins, how it steps, what stands above it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from intent2cuda.base.intexpr import IntExpr, Operation
from intent2cuda.lower import ask
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Cast, Expression, Integer, Member, Name
from intent2cuda.machine.statements import If, Statement
from intent2cuda.machine.types import IndexT
from intent2cuda.plan.stage import Axis, Level

GRID_AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Head:
    begin: Expression
    end: Expression
    step: Expression
    pragmas: tuple[str, ...] = ()


def end_of(axis: Axis) -> IntExpr:
    """The coordinate before which the members end: the author's own bound where the extent was computed from it."""
    if len(axis.extent.terms) == 1:
        monomial, coefficient = axis.extent.terms[0]
        if len(monomial) == 1 and coefficient == 1 and isinstance(monomial[0], Operation):
            operation = monomial[0]
            if operation.kind == "ceildiv" and operation.rhs == axis.step:
                return axis.begin + operation.lhs
    return axis.begin + axis.extent * axis.step


def last_of(writer: Writer, axis: Axis) -> Expression:
    """Where a loop ends: by its name, where that is a number that has one."""
    named = writer.sizes.end(axis)
    return named if named is not None else ask.integer(writer, end_of(axis))


def step_of(writer: Writer, axis: Axis) -> Expression:
    """By its name, where the step is a number that was chosen."""
    chosen = writer.sizes.step(axis)
    return chosen if chosen is not None else ask.integer(writer, axis.step)


def head(writer: Writer, axis: Axis, level: Level, grid_axis: str) -> Head:
    """`grid_axis` is x, y or z, the axis of the grid that a GRID or GRID_LANE axis is laid along."""
    begin, end, step = ask.integer(writer, axis.begin), last_of(writer, axis), step_of(writer, axis)
    match level:
        case Level.TEAM | Level.TILES | Level.SERIAL:
            return Head(begin, end, step)
        case Level.SIMD:
            return Head(begin, end, step, ("omp simd",))
        case Level.GRID:
            index, count = member("blockIdx", grid_axis), member("gridDim", grid_axis)
            return Head(_shifted(begin, _scaled(index, step)), end, _scaled(count, step))
        case Level.THREADS:
            threads = Name(writer.threads())
            return Head(_shifted(begin, _scaled(member("threadIdx", "x"), step)), end, _scaled(threads, step))
        case Level.GRID_LANE:
            threads = Name(writer.threads())
            block = Binary("*", Cast(IndexT(), member("blockIdx", grid_axis)), threads)
            lane = Binary("+", block, member("threadIdx", "x"))
            lanes = Binary("*", Cast(IndexT(), member("gridDim", grid_axis)), threads)
            return Head(_shifted(begin, _scaled(lane, step)), end, _scaled(lanes, step))
        case _:
            assert_never(level)


def member(object_name: str, name: str) -> Expression:
    return Member(Name(object_name), name)


def _shifted(begin: Expression, by: Expression) -> Expression:
    return by if begin == Integer(0) else Binary("+", begin, by)


def _scaled(count: Expression, step: Expression) -> Expression:
    if step == Integer(1):
        return count
    return Binary("*", Cast(IndexT(), count) if isinstance(count, Member) else count, step)


def has_others(writer: Writer) -> bool:
    """Whether more than one thread runs the code of a block; never on a cpu."""
    launch = writer.plan.launch
    return launch is not None and (launch.threads > 1 or bool(writer.grid_axes))


def once(writer: Writer, effect: tuple[Statement, ...], every_block: bool) -> tuple[Statement, ...]:
    """The effect by one of the threads that run this code; cpu code and launches of one thread have no other."""
    if not has_others(writer):
        return effect
    first: Expression = Binary("==", member("threadIdx", "x"), Integer(0))
    if not every_block and not writer.in_grid:
        for grid_axis in writer.grid_axes:
            first = Binary("&&", Binary("==", member("blockIdx", grid_axis), Integer(0)), first)
    return (If(first, effect),)


def first_blocks(writer: Writer, used: int, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """What the blocks along the first `used` axes of the grid share; where the grid has more axes, the others have no
    part."""
    unused = [axis for axis in writer.grid_axes if axis in GRID_AXES[used:]]
    if not unused:
        return statements
    mine: list[Expression] = [Binary("==", member("blockIdx", axis), Integer(0)) for axis in unused]
    condition = mine[0]
    for other in mine[1:]:
        condition = Binary("&&", condition, other)
    return (If(condition, statements, note="the blocks along the other axes of the grid have no part in this"),)
