"""Loops that wait for another point to change memory: nothing promises that the other point runs meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.analysis.effects import Mode
from intent2cuda.analysis.expressions import leaves
from intent2cuda.analysis.relations import Unknown
from intent2cuda.analysis.separation import mentioned
from intent2cuda.analysis.sites import Site
from intent2cuda.analysis.structure import Structure
from intent2cuda.base.diagnostics import Diagnostic, Severity
from intent2cuda.ir.ops import Parallel, While
from intent2cuda.types.value_type import Access, ViewType

HELP = "points of a parallel loop need not run at the same time: let an earlier kernel produce what this one waits for"


def findings(found: Structure, all_sites: tuple[Site, ...]) -> Iterator[Diagnostic]:
    """A warning for each while inside a parallel loop that writes nothing and reads one place again and again."""
    for op, frames in found.frames.items():
        if not isinstance(op, While) or not any(isinstance(frame.owner, Parallel) for frame in frames):
            continue
        inside = [site for site in all_sites if op in site.loops]
        awaited = next((site for site in inside if _is_awaited(found, op, site)), None)
        if awaited is not None and all(site.access.mode is Mode.READ for site in inside):
            name = awaited.resource.name
            message = f"this loop waits until another point changes {name}, which nothing promises to happen"
            yield Diagnostic("kir.spin_wait", message, op.span or op.statement, HELP, Severity.WARNING, name)


def _is_awaited(found: Structure, loop: While, site: Site) -> bool:
    """Whether a read may change without the loop: one place in every turn, of memory that is not constant."""
    view = site.resource.type
    if not isinstance(view, ViewType) or view.access is Access.IN:
        return False
    exact = [leaf for position in site.positions if not isinstance(position, Unknown) for leaf in leaves(position)]
    if any(isinstance(position, Unknown) for position in site.positions):
        return False
    scalars = [found.by_serial[symbol.serial] for symbol in mentioned(exact) if symbol.serial > 0]
    return not any(found.is_inside(scalar, loop) for scalar in scalars)
