"""Reads of an Out view that nothing has written before."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.analysis.sites import Site
from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import For, ScatterReduce, While
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Access, ViewType


def findings(all_sites: tuple[Site, ...]) -> Iterator[Diagnostic]:
    """One error for each read with no write of the view before it; `all_sites` are in program order.

    A write later in an ordered loop around both counts as before: an earlier turn may have made it. What a scatter
    combines with is read too.
    """
    writing_loops: dict[Value, set[Op]] = {}
    for site in all_sites:
        if site.access.writes and not isinstance(site.op, ScatterReduce):
            ordered = (loop for loop in site.loops if isinstance(loop, For | While))
            writing_loops.setdefault(site.resource, set()).update(ordered)
    written: set[Value] = set()
    for site in all_sites:
        view = site.resource
        is_first = site.access.reads and view not in written and _is_out(view)
        if is_first and writing_loops.get(view, set()).isdisjoint(site.loops):
            yield _finding(site)
        if site.access.writes:
            written.add(view)


def _is_out(view: Value) -> bool:
    return isinstance(view.type, ViewType) and view.type.access is Access.OUT


def _finding(read: Site) -> Diagnostic:
    name = read.resource.name
    what = "scatter adds to it" if isinstance(read.op, ScatterReduce) else "read"
    message = f"{name} is an Out view, and nothing has written it before this {what}"
    help = f"declare {name} as InOut if the caller fills it, or store to it first"
    return Diagnostic("kir.view.undefined", message, read.op.span or read.op.statement, help, subject=name)
