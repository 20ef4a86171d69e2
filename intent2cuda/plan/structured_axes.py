"""Which axes structured operations tie together, and what they do along each of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import (
    ArgReduce,
    Contract,
    Histogram,
    Quantize,
    QuantizedDot,
    Reduce,
    ReduceBy,
    RegionFold,
    RegionScan,
    ScaledContract,
    Scan,
    ScanBy,
    SparseContract,
    Yield,
)
from intent2cuda.ir.value import Value
from intent2cuda.plan.stage import Role
from intent2cuda.types.value_type import TensorType

AxisOf: TypeAlias = tuple[Value, int]
Tie: TypeAlias = tuple[AxisOf, AxisOf]


def structured_ties(op: Op) -> Iterator[Tie]:
    """Pairs of axes that have the same coordinate in every element that an op with an algebra of its own computes."""
    match op:
        case Scan():
            yield from _alike(op.source, op.result)
        case ScanBy():
            yield from _all_alike((*op.sources, *op.results))
        case ReduceBy():
            yield from _all_alike(op.sources)
            kept = [axis for axis in range(op.sources[0].tensor.rank) if axis not in op.axes]
            yield from (((op.sources[0], axis), (r, n)) for r in op.results for n, axis in enumerate(kept))
            yield from _combined(op.combine, op.results)
        case RegionFold() | RegionScan():
            yield from _regions(op)
        case ScaledContract():
            lhs, rhs, result = op.lhs, op.rhs, op.result
            yield from (((lhs, 0), (result, 0)), ((rhs, 2), (result, 1)), ((lhs, 1), (rhs, 0)))
            yield from (((lhs, axis), (op.lhs_scale, axis)) for axis in (0, 1))
            yield from (((rhs, 2), (op.rhs_scale, 0)), ((rhs, 0), (op.rhs_scale, 1)))
        case SparseContract():
            left = [a for a in range(op.compressed.tensor.rank) if a not in [one for one, _ in op.reduce]]
            taken = [other for _, other in (*op.reduce, *op.batch)]
            right = [a for a in range(op.rhs.tensor.rank) if a not in taken]
            yield from (((op.compressed, axis), (op.result, n)) for n, axis in enumerate(left))
            yield from (((op.rhs, axis), (op.result, len(left) + n)) for n, axis in enumerate(right))
            yield from (((op.compressed, one), (op.rhs, other)) for one, other in op.batch)
        case Histogram(valid=Value() as valid):
            yield from _alike(op.values, valid)
        case Quantize():
            yield (op.source, 0), (op.result, 0)
        case QuantizedDot():
            yield (op.lhs, 0), (op.rhs, 0)
        case _:
            pass


def roles(op: Op) -> Iterator[tuple[AxisOf, Role]]:
    """What an op does along axes of its operands; along the others their members are free."""
    match op:
        case Reduce():
            yield from (((op.source, axis), Role.REDUCTION) for axis in op.axes)
        case ArgReduce():
            yield (op.source, op.axis), Role.REDUCTION
        case ReduceBy():
            yield from (((source, axis), Role.REDUCTION) for source in op.sources for axis in op.axes)
        case Contract():
            yield from (((op.lhs, one), Role.REDUCTION) for one, _ in op.reduce)
        case ScaledContract():
            yield from (((value, axis), Role.REDUCTION) for value, axis in ((op.lhs, 1), (op.lhs, 2), (op.rhs, 1)))
        case SparseContract():
            yield from (((op.compressed, one), Role.REDUCTION) for one, _ in op.reduce)
            yield from (((op.rhs, other), Role.REDUCTION) for _, other in op.reduce)
        case Histogram():
            yield from (((op.values, axis), Role.REDUCTION) for axis in range(op.values.tensor.rank))
        case QuantizedDot():
            yield (op.lhs, 0), Role.REDUCTION
        case Scan():
            yield (op.source, op.axis), Role.SCAN
        case ScanBy():
            yield (op.sources[0], op.axis), Role.SCAN
        case RegionFold() | RegionScan():
            yield (op.sources[0], op.axis), Role.SEGMENT
        case _:
            pass


def _regions(op: RegionFold | RegionScan) -> Iterator[Tie]:
    """Slices have the axes of their sources; summaries and states those of the results."""
    yield from (((a, op.axis), (b, op.axis)) for a, b in pairwise(op.sources))
    summaries = op.identity
    yield from _combined(op.combine, summaries)
    cut = [op.summarize] if isinstance(op, RegionFold) else [op.summarize, op.emit]
    for region in cut:
        for source, part in zip(op.sources, region.args[1:], strict=False):
            yield from _alike(source, part)
    yield from _paired(_yields(op.summarize), summaries)
    if isinstance(op, RegionFold):
        yield from _paired(summaries, op.results)
        return
    yield from _paired((*summaries, *op.initial), op.apply.args)
    yield from _paired(_yields(op.apply), op.initial)
    yield from _paired(op.emit.args[1 + len(op.sources) :], op.initial)
    yield from _paired(_yields(op.emit), op.outputs)
    yield from _paired(op.initial, op.final)


def _combined(region: Region, members: tuple[Value, ...]) -> Iterator[Tie]:
    """A combination takes two members and gives one."""
    yield from _paired((*members, *members), region.args)
    yield from _paired(_yields(region), members)


def _yields(region: Region) -> tuple[Value, ...]:
    last = region.ops[-1]
    assert isinstance(last, Yield)
    return last.values


def _paired(first: tuple[Value, ...], second: tuple[Value, ...]) -> Iterator[Tie]:
    for one, other in zip(first, second, strict=True):
        yield from _alike(one, other)


def _all_alike(values: tuple[Value, ...]) -> Iterator[Tie]:
    for one, other in pairwise(values):
        yield from _alike(one, other)


def _alike(one: Value, other: Value) -> Iterator[Tie]:
    if isinstance(one.type, TensorType) and isinstance(other.type, TensorType):
        yield from (((one, axis), (other, axis)) for axis in range(min(one.type.rank, other.type.rank)))
