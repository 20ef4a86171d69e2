"""Parallel loops that stand directly inside each other are one nest."""

from __future__ import annotations

from intent2cuda.ir.op import Region, results
from intent2cuda.ir.ops import Dim, Gather, Load, Parallel
from intent2cuda.ir.value import Value
from intent2cuda.plan.roots import ROOT_OPS, domain_bounds, named_scalars


def flattened(op: Parallel) -> tuple[tuple[tuple[Value, Value], ...], Region]:
    """(domain, point) of every loop of the nest, outermost first, and the innermost body."""
    nest = list(zip(op.domains, op.body.args, strict=True))
    body = op.body
    while (inner := _only_loop(body)) is not None:
        nest += zip(inner.domains, inner.body.args, strict=True)
        body = inner.body
    return tuple(nest), body


def _only_loop(body: Region) -> Parallel | None:
    """The parallel loop that is all a body does, when its domains are known before the body runs."""
    running = [op for op in body.ops if isinstance(op, ROOT_OPS)]
    if len(running) != 1 or not isinstance(running[0], Parallel):
        return None
    inside = {value.serial for value in body.args}
    for op in body.ops:
        if isinstance(op, Load | Gather):
            return None
        if not isinstance(op, Dim):
            inside |= {value.serial for value in results(op)}
    bounds = tuple(bound for domain in running[0].domains for bound in domain_bounds(domain))
    return running[0] if inside.isdisjoint(named_scalars(bounds)) else None
