"""Loops that wait for another point to change memory: nothing promises that the other point runs meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.analysis.effects import Mode
from intent2cuda.analysis.expressions import Unknown, leaves
from intent2cuda.analysis.separation import mentioned
from intent2cuda.analysis.sites import Site
from intent2cuda.analysis.surroundings import Surroundings
from intent2cuda.base.diagnostics import Diagnostic, Severity
from intent2cuda.base.intexpr import symbols
from intent2cuda.ir.ops import AtomicUpdate, CompareExchange, Constant, Parallel, Update, While
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Access, ViewType

HELP = "points of a parallel loop need not run at the same time: let an earlier kernel produce what this one waits for"

REPEATABLE = (Update.EXCHANGE, Update.AND, Update.OR, Update.MAX, Update.MIN)
"""Updates that change nothing when they are made again with the same value."""


def findings(around: Surroundings, all_sites: tuple[Site, ...]) -> Iterator[Diagnostic]:
    """A warning for each while inside a parallel loop that makes no progress by itself and looks at one place again.

    A lock is waited for too: an exchange that expects, or puts, the same in every turn.
    """
    inside: dict[While, list[Site]] = {}
    for site in all_sites:
        for loop in site.loops:
            if isinstance(loop, While):
                inside.setdefault(loop, []).append(site)
    for loop, of_loop in inside.items():
        if not any(isinstance(frame.owner, Parallel) for frame in around.structure.frames[loop]):
            continue
        awaited = next((site for site in of_loop if _is_awaited(around, loop, site)), None)
        if awaited is not None and all(_only_looks(around, loop, site) for site in of_loop):
            name = awaited.resource.name
            message = f"this loop waits until another point changes {name}, which nothing promises to happen"
            yield Diagnostic("kir.spin_wait", message, loop.span or loop.statement, HELP, Severity.WARNING, name)


def _only_looks(around: Surroundings, loop: While, site: Site) -> bool:
    """Whether an access, made again in the next turn, does nothing new."""
    match site.op:
        case CompareExchange(expected=expected):
            return not _varies(around, loop, expected)
        case AtomicUpdate(update=update, value=value):
            return update in REPEATABLE and not _varies(around, loop, value)
        case _:
            return site.access.mode is Mode.READ


def _varies(around: Surroundings, loop: While, value: Value) -> bool:
    """Whether a value may differ from one turn to the next."""
    found = around.structure
    if isinstance(found.defining.get(value), Constant) or not found.is_inside(value, loop):
        return False
    if value.tensor.shape or not value.tensor.dtype.is_integer:
        return True
    parts = (found.by_serial[symbol.serial] for symbol in symbols(around.relations.scalar(value)) if symbol.serial)
    return any(found.is_inside(part, loop) for part in parts)


def _is_awaited(around: Surroundings, loop: While, site: Site) -> bool:
    """Whether a read may change without the loop: one place in every turn, of memory that is not constant."""
    view = site.resource.type
    if site.access.mode is Mode.WRITE or not isinstance(view, ViewType) or view.access is Access.IN:
        return False
    if any(isinstance(position, Unknown) for position in site.positions):
        return False
    exact = [leaf for position in site.positions if not isinstance(position, Unknown) for leaf in leaves(position)]
    scalars = [around.structure.by_serial[symbol.serial] for symbol in mentioned(exact) if symbol.serial > 0]
    return not any(around.structure.is_inside(scalar, loop) for scalar in scalars)
