"""Reads of an Out view that nothing has written before."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.analysis.effects import Mode
from intent2cuda.analysis.sites import Site
from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.ir.ops import For, While
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Access, ViewType


def findings(all_sites: tuple[Site, ...]) -> Iterator[Diagnostic]:
    """One error for each read with no write of the view before it; `all_sites` are in program order.

    A write later in an ordered loop around both counts as before: an earlier turn may have made it.
    """
    writes = [site for site in all_sites if site.access.mode is Mode.WRITE]
    written: set[Value] = set()
    for site in all_sites:
        view = site.resource
        if site.access.mode is Mode.WRITE:
            written.add(view)
        elif view not in written and isinstance(view.type, ViewType) and view.type.access is Access.OUT:
            if any(later.resource is view and _share_an_ordered_loop(site, later) for later in writes):
                continue
            message = f"{view.name} is an Out view, and nothing has written it before this read"
            help = f"declare {view.name} as InOut if the caller fills it, or store to it first"
            yield Diagnostic("kir.view.undefined", message, site.op.span or site.op.statement, help, subject=view.name)


def _share_an_ordered_loop(read: Site, write: Site) -> bool:
    return any(isinstance(loop, For | While) and loop in write.loops for loop in read.loops)
