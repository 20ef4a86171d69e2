"""cuda: the memory that a call brings along, cut into an array of each block for each buffer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from intent2cuda.base.intexpr import IntExpr, Operation, symbols
from intent2cuda.lower import ask
from intent2cuda.lower.buffer_access import element_type
from intent2cuda.lower.grid import MOST_BLOCKS, grid_statements
from intent2cuda.lower.interface import workspace_name
from intent2cuda.lower.launcher import Launcher
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.storage import names_of
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Call, Cast, Expression, Member, Name
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Declare, Return
from intent2cuda.machine.types import IndexT, Named, Pointer
from intent2cuda.machine.unit import Function, FunctionKind, Parameter
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.stage import Buffer, Space

_CAPACITY = "members of the longest round"
WORKSPACE = Parameter(Pointer(Named("void"), const=False), "workspace")


def workspace_buffers(plan: ConcretePlan) -> tuple[Buffer, ...]:
    return tuple(buffer for buffer in plan.buffers if buffer.space is Space.WORKSPACE)


def declare_arrays(writer: Writer) -> None:
    """Declares the arrays of the block at the top of the kernel, one for each buffer."""
    launch = writer.plan.launch
    if launch is not None and launch.most:
        writer.constant(MOST_BLOCKS, launch.most, "each has memory of its own; enough to keep any device busy")
    _name_capacities(writer)
    for buffer in workspace_buffers(writer.plan):
        name = writer.blocks.name(names_of(writer, buffer), author=identifier(buffer.value.name or "_"))
        writer.buffer_names[buffer.id] = name
        writer.buffer_depths[buffer.id] = 0
        element = ctype(element_type(buffer.value))
        count = _count(buffer, lambda e: ask.integer(writer, e))
        array = Call("intent::workspace_array", (Name(WORKSPACE.name), count), (element,))
        writer.blocks.append(
            Declare(Pointer(element, False), name, array, const=buffer.id not in writer.moving, note=buffer.reason)
        )


def _name_capacities(writer: Writer) -> None:
    """Variables for the extents that are no extent of the signature, such as those of the longest round of a loop."""
    clipped = _clipped(writer.plan)
    for extent in clipped:
        value = ask.integer(writer, extent)
        name = writer.blocks.name(_capacity_names(extent, len(clipped) > 1))
        writer.blocks.append(Declare(IndexT(), name, value, note=_CAPACITY))
        symbol = writer.fresh_symbol(name)
        writer.blocks.bind(symbol, Name(name), writer.is_natural(extent))
        writer.blocks.current.integers.append((extent, symbol))


def _clipped(plan: ConcretePlan) -> list[IntExpr]:
    extents = (extent for buffer in workspace_buffers(plan) for extent in buffer.extents)
    return list(dict.fromkeys(e for e in extents if _is_clipped(e)))


def _capacity_names(extent: IntExpr, several: bool) -> tuple[str, ...]:
    of = next((derived(identifier(s.name), "capacity") for s in symbols(extent)), "capacity")
    return (of,) if several else ("capacity", of)


def _is_clipped(extent: IntExpr) -> bool:
    """Whether an extent is the lesser or the greater of two, and nothing besides."""
    ((monomial, coefficient),) = extent.terms if len(extent.terms) == 1 else (((), 0),)
    return coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], Operation)


def workspace_function(plan: ConcretePlan, launcher: Launcher, parameters: Sequence[Parameter]) -> Function:
    """The bytes that a call needs: the arrays of each block of its grid."""
    grid = grid_statements(launcher, plan)
    clipped = _clipped(plan)
    for extent in clipped:
        launcher.let(_capacity_names(extent, len(clipped) > 1), extent, _CAPACITY)
    sizes = [_bytes(buffer, launcher.text) for buffer in workspace_buffers(plan)]
    slice_bytes = launcher.blocks.name(("block_bytes", "slice_bytes"))
    launcher.append(Declare(IndexT(), slice_bytes, _sum(sizes)))
    total: Expression = Cast(Named("std::size_t"), Name(slice_bytes))
    for axis in ("x", "y", "z"):
        total = Binary("*", total, Member(Name(grid), axis))
    launcher.append(Return(total))
    launcher.touch_unused("the size does not depend on")
    return Function(
        kind=FunctionKind.WORKSPACE,
        result=Named("std::size_t"),
        name=workspace_name(plan.kernel),
        parameters=tuple(parameters),
        body=tuple(launcher.blocks.open[0].statements),
    )


def _bytes(buffer: Buffer, text: Callable[[IntExpr], Expression]) -> Expression:
    return Call("intent::workspace_bytes", (_count(buffer, text),), (ctype(element_type(buffer.value)),))


def _count(buffer: Buffer, text: Callable[[IntExpr], Expression]) -> Expression:
    return text(prod(buffer.extents, start=IntExpr.of(1)))


def _sum(parts: Sequence[Expression]) -> Expression:
    total = parts[0]
    for part in parts[1:]:
        total = Binary("+", total, part)
    return total
