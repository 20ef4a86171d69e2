"""Loops, branches, conditions and promises, one point after the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from intent2cuda.ir import ops
from intent2cuda.ir.op import Op

from .state import State, Table, View


def nothing(state: State, op: Op) -> None:
    """Domains are read from their types where they are used."""


def require_equal(state: State, op: ops.RequireEqual) -> None:
    assert max(0, state.integer(op.lhs)) == max(0, state.integer(op.rhs)), op.text


def assume_in_bounds(state: State, op: ops.AssumeInBounds) -> None:
    extent = state.table(op.resource).shape[op.axis]
    index = state.table(op.index)
    assert all(0 <= index.get(at) < extent for at in itertools.product(*map(range, index.shape)))


def parallel(state: State, op: ops.Parallel) -> None:
    points = list(itertools.product(*(state.members(domain) for domain in op.domains)))
    state.shuffle.shuffle(points)
    for point in points:
        state.region(op.body, [Table.scalar(coordinate) for coordinate in point])


def _loop(state: State, op: ops.For | ops.While, rounds: Iterator[Sequence[Table | View]]) -> None:
    carries = [state.table(value) for value in op.initial]
    for lead in rounds:
        if isinstance(op, ops.While) and not state.region(op.test, carries)[0][0].get(()):
            break
        carries, stop = state.region(op.body, [*lead, *carries])
        if stop:
            break
    state.values |= {value.serial: carry for value, carry in zip(op.results, carries, strict=True)}


def ordered(state: State, op: ops.For) -> None:
    _loop(state, op, iter([(Table.scalar(member),) for member in state.members(op.domain)]))


def repeated(state: State, op: ops.While) -> None:
    _loop(state, op, itertools.repeat(()))


def branch(state: State, op: ops.If) -> None:
    values, _ = state.region(op.then_body if state.scalar(op.condition) else op.else_body)
    state.values |= {result.serial: value for result, value in zip(op.results, values, strict=True)}
