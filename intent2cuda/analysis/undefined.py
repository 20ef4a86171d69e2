"""Reads of an Out view, or of a buffer without an initial value, that nothing has written before."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.analysis.sites import Site
from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Allocate, For, ScatterReduce, While
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Access, ViewType


def findings(kernel: Kernel, all_sites: tuple[Site, ...]) -> Iterator[Diagnostic]:
    """One error for each read with no write of the memory before it; `all_sites` are in program order.

    A write later in an ordered loop around both counts as before: an earlier turn may have made it. What a scatter
    combines with is read too.
    """
    empty = {p for p in kernel.parameters if isinstance(p.type, ViewType) and p.type.access is Access.OUT}
    empty |= {op.result for op in walk(kernel.body) if isinstance(op, Allocate) and op.init is None}
    writing_loops: dict[Value, set[Op]] = {}
    for site in all_sites:
        if site.access.writes and not isinstance(site.op, ScatterReduce):
            ordered = (loop for loop in site.loops if isinstance(loop, For | While))
            writing_loops.setdefault(site.resource, set()).update(ordered)
    written: set[Value] = set()
    for site in all_sites:
        memory = site.resource
        is_first = site.access.reads and memory in empty and memory not in written
        if is_first and writing_loops.get(memory, set()).isdisjoint(site.loops):
            yield _finding(site)
        if site.access.writes:
            written.add(memory)


def _finding(read: Site) -> Diagnostic:
    name = read.resource.name
    what = "scatter adds to it" if isinstance(read.op, ScatterReduce) else "read"
    if isinstance(read.resource.type, ViewType):
        kind, help = "an Out view", f"declare {name} as InOut if the caller fills it, or store to it first"
    else:
        kind, help = "a buffer without an initial value", f"give {name} an initial value, or store to it first"
    message = f"{name} is {kind}, and nothing has written it before this {what}"
    return Diagnostic("kir.view.undefined", message, read.op.span or read.op.statement, help, subject=name)
