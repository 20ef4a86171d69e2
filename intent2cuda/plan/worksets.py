"""Worksets: the groups of operations that values connect, with the part that each of their axes plays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from intent2cuda.base.codec import digest
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.notation import mnemonic
from intent2cuda.ir.op import Op, operands, regions, results
from intent2cuda.ir.ops import ArgReduce, Contract, For, Parallel, Reduce, Yield
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import AxisClasses
from intent2cuda.plan.effects import EFFECTS
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.stage import Role
from intent2cuda.types.value_type import TensorType


@dataclass(frozen=True)
class WorksetAxis:
    """`number` is the class of the axis in the kernel (-1 for a loop of the author)."""

    number: int
    extent: IntExpr
    role: Role


@dataclass(frozen=True)
class Workset:
    """`ops`: identifier and kind of each operation, in program order."""

    id: str
    ops: tuple[tuple[str, str], ...]
    axes: tuple[WorksetAxis, ...]
    effects: tuple[str, ...]


@dataclass(frozen=True)
class Worksets:
    kernel: str
    groups: tuple[Workset, ...]


def worksets(kernel: Kernel, classes: AxisClasses, identities: Identities) -> Worksets:
    """Operations are in one group when one reads a tensor that the other defines, or one stands inside the other."""
    ops = [op for op in walk(kernel.body) if not isinstance(op, Yield)]
    leaders = {op: op for op in ops}
    makers = {value: op for op in ops for value in results(op) if isinstance(value.type, TensorType)}
    for op in ops:
        for other in _connected(op, makers):
            leaders[_leader(leaders, other)] = _leader(leaders, op)
    groups: dict[Op, list[Op]] = {}
    for op in ops:
        groups.setdefault(_leader(leaders, op), []).append(op)
    large = (group for group in groups.values() if not all(map(_is_small, group)))
    return Worksets(kernel.name, tuple(_workset(group, classes, identities) for group in large))


def _connected(op: Op, makers: dict[Value, Op]) -> Iterator[Op]:
    from_values = (makers[value] for value in operands(op) if value in makers and value.tensor.shape)
    yield from from_values
    for region in _regions(op):
        for inner in region:
            if not isinstance(inner, Yield):
                yield inner
            else:
                yield from (makers[value] for value in inner.values if value in makers)


def _regions(op: Op) -> Iterator[tuple[Op, ...]]:
    return (region.ops for region in regions(op))


def _leader(leaders: dict[Op, Op], op: Op) -> Op:
    """The op that stands for the group of an op; chains to it become shorter on the way."""
    while leaders[op] is not op:
        leaders[op] = op = leaders[leaders[op]]
    return op


def _is_small(op: Op) -> bool:
    """Whether an op on its own is no work: scalars, domains, constants."""
    return not isinstance(op, (*EFFECTS, Reduce, ArgReduce, Contract, For, Parallel)) and all(
        not isinstance(value.type, TensorType) or not value.tensor.shape for value in results(op)
    )


def _workset(ops: list[Op], classes: AxisClasses, identities: Identities) -> Workset:
    axes: dict[int, WorksetAxis] = {}
    loops: list[WorksetAxis] = []
    for op in ops:
        for value in (*results(op), *operands(op)):
            for number, axis_class in enumerate(classes.every(value)):
                axes.setdefault(axis_class, WorksetAxis(axis_class, value.tensor.shape[number], Role.FREE))
        for axis_class in _reduced(op, classes):
            axes[axis_class] = WorksetAxis(axis_class, axes[axis_class].extent, Role.REDUCTION)
        if isinstance(op, For):
            loops.append(WorksetAxis(-1, op.domain.domain.extent, Role.ORDERED))
        if isinstance(op, Parallel):
            loops += (WorksetAxis(-1, domain.domain.extent, Role.FREE) for domain in op.domains)
    names = tuple((identities.op(op), mnemonic(op)) for op in ops)
    effects = tuple(identities.op(op) for op in ops if isinstance(op, EFFECTS))
    name = digest("workset", " ".join(sorted(name for name, _ in names)))[:8]
    return Workset(f"w{name}", names, (*loops, *(axes[number] for number in sorted(axes))), effects)


def _reduced(op: Op, classes: AxisClasses) -> Iterator[int]:
    match op:
        case Reduce():
            yield from (classes.of(op.source, axis) for axis in op.axes)
        case ArgReduce():
            yield classes.of(op.source, op.axis)
        case Contract():
            yield from (classes.of(op.lhs, pair[0]) for pair in op.reduce)
        case _:
            pass
