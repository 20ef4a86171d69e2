"""Consecutive offsets: subregions `[t[g], t[g + 1])` of one source, for all g of a loop, do not overlap.

A subregion runs forwards (begin <= end, or the program is wrong), so `t` does not fall between members of a unit-step
loop, and a later subregion begins where an earlier one ends or behind it.
"""

from __future__ import annotations

from intent2cuda.analysis.sites import Site
from intent2cuda.analysis.structure import Frame
from intent2cuda.analysis.surroundings import Surroundings
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import Cast, Load, Parallel, Subregion
from intent2cuda.ir.value import Value


def consecutive(
    around: Surroundings, all_sites: tuple[Site, ...], loop: Parallel
) -> tuple[tuple[IntExpr, IntExpr], ...]:
    """(begin, end) of every subregion made at each point of the loop whose bounds are consecutive offsets of the point.

    Only for loops over one domain of unit step and tables that the kernel does not write.
    """
    if len(loop.domains) != 1 or around.relations.domain(loop.domains[0]).step.constant != 1:
        return ()
    point = loop.body.args[0]
    written = {site.resource for site in all_sites if site.access.writes}
    found: list[tuple[IntExpr, IntExpr]] = []
    for op in around.structure.order:
        if not isinstance(op, Subregion) or op.begin is None or op.end is None:
            continue
        if around.structure.frames[op][-1:] != (Frame(loop, loop.body),):
            continue
        begin, end = _offset(around, op.begin), _offset(around, op.end)
        if begin is None or end is None or begin[0] is not end[0] or begin[0] in written:
            continue
        if (begin[1] - point.as_symbol).constant is not None and end[1] - begin[1] == IntExpr.of(1):
            found.append((around.relations.scalar(op.begin), around.relations.scalar(op.end)))
    return tuple(dict.fromkeys(found))


def _offset(around: Surroundings, bound: Value) -> tuple[Value, IntExpr] | None:
    """The table and the position that a scalar was read from."""
    op = around.structure.defining.get(bound)
    if isinstance(op, Cast):
        return _offset(around, op.source)
    if not isinstance(op, Load) or op.valid is not None or len(op.terms) != 1 or op.result.tensor.shape:
        return None
    (position,) = around.relations.coordinates(op.terms)
    return (op.resource, position) if isinstance(position, IntExpr) else None
