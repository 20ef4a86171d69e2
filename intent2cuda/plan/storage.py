"""Where each buffer lives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.plan.access import Access
from intent2cuda.plan.bounds import Bounds
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.roots import define_root, named_scalars
from intent2cuda.plan.stage import Buffer, Space
from intent2cuda.plan.staging import Draft
from intent2cuda.types.value_type import BufferType, TensorType


def placed_on_cpu(draft: Draft, local_elements: int) -> tuple[Buffer, ...]:
    """Small arrays of one member lie in the frame of its thread; the rest is memory that threads keep between calls."""

    def space(buffer: Buffer) -> Space:
        count = prod(buffer.extents, start=IntExpr.of(1)).constant
        local = count is not None and count <= local_elements and not buffer.shared_by_team
        return Space.LOCAL if local else Space.SCRATCH

    return tuple(replace(buffer, space=space(buffer)) for buffer in draft.buffers)


def placed_on_cuda(draft: Draft, by_thread: frozenset[str], used: int, shared_bytes: int) -> tuple[Buffer, ...]:
    """The buffers with spaces: of one thread, in shared memory while it lasts, else in the workspace of the call.

    `used`: shared memory that is taken already.

    Raises: IntentError when the size of a workspace is known only inside the kernel.
    """
    bounds = Bounds(draft.kernel)
    found: list[Buffer] = []
    for buffer in draft.buffers:
        constant = prod(buffer.extents, start=IntExpr.of(1)).constant
        size = None if constant is None else max(constant, 1) * element_bytes(buffer)
        offset = aligned(used, element_bytes(buffer))
        if by_thread.intersection(buffer.inside):
            found.append(replace(buffer, space=Space.LOCAL))
        elif size is not None and offset + size <= shared_bytes:
            used = offset + size
            found.append(replace(buffer, space=Space.SHARED))
        else:
            extents = tuple(_known(buffer, n, draft, bounds) for n in range(len(buffer.extents)))
            found.append(replace(buffer, space=Space.WORKSPACE, extents=extents))
    return tuple(found)


def aligned(size: int, alignment: int) -> int:
    """The next multiple of the alignment."""
    return (size + alignment - 1) // alignment * alignment


def element_bytes(buffer: Buffer) -> int:
    kind = buffer.value.type
    assert isinstance(kind, TensorType | BufferType)
    return kind.dtype.bytes


def _known(buffer: Buffer, axis: int, draft: Draft, bounds: Bounds) -> IntExpr:
    extent = bounds.upper(buffer.extents[axis])
    if extent is None:
        extent = _extent_of_memory(buffer, axis, draft.demand)
    if extent is None:
        message = f"the storage for `{buffer.name}` needs its extent {buffer.extents[axis]} before the kernel starts"
        help_text = "bound the domain by an extent of a parameter, or use target cpu"
        raise IntentError([Diagnostic("gate.capacity.unknown", message, buffer.value.span, help_text)])
    return extent


def _extent_of_memory(buffer: Buffer, axis: int, demand: Demand) -> IntExpr | None:
    """The extent of the memory that the value was read from along this axis: no selection reaches beyond it."""
    op = demand.producers.get(buffer.value)
    if op is None:
        return None
    root = define_root(op, buffer.value, demand.classes, defines=True)
    accesses: Sequence[Access] = demand.seen(root).accesses
    for access in accesses:
        for token, memory_axis, _, _ in access.ties:
            extent = access.resource.resource.shape[memory_axis]
            if token == buffer.kept[axis] and not any(named_scalars((extent,))):
                return extent
    return None
