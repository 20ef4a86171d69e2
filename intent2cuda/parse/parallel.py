"""Parallel loops: points in no order, which carry nothing."""

from __future__ import annotations

import libcst as cst

from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import Parallel, Yield
from intent2cuda.parse.context import Binding, Context, Loop, Maybe
from intent2cuda.parse.exits import LEFT, Statements
from intent2cuda.parse.iteration import Iteration
from intent2cuda.parse.source import identifier
from intent2cuda.parse.values import POISON, Literal
from intent2cuda.parse.walk import target_names
from intent2cuda.types.dtype import INDEX
from intent2cuda.types.value_type import scalar


def parallel_loop(cx: Context, node: cst.For, source: Iteration, body: Statements) -> None:
    """Reads the body once, for one point. Names of the body are the point's own."""
    place = cx.emitter.statement
    before = cx.frame.scope
    points = tuple(cx.emitter.value(scalar(INDEX), "" if name == "_" else name) for name in source.names)
    own = {identifier(name) for name in target_names(node.target)}
    outside = _refuse_carries(cx, body, own)
    cx.frame.scope = {**before, **{name: Binding(POISON) for name in outside}, LEFT: Binding(Literal(False))}
    cx.frame.scope.update((n, Binding(v, place)) for n, v in zip(source.names, points, strict=True) if n != "_")
    cx.frame.loops.append(Loop("parallel"))
    following, cx.frame.following = cx.frame.following, 0
    try:
        with cx.emitter.block() as block:
            cx.run(cx, body)
        inner = cx.frame.scope
    finally:
        cx.frame.following = following
        cx.frame.loops.pop()
        cx.frame.scope = before
    cx.emitter.statement = cx.emitter.place = place
    cx.emitter.emit(Parallel(source.domains, Region(points, (*block.ops, Yield(())))))
    after = cx.frame.scope = dict(before)
    for name in (*own, *inner):
        if name in own or name not in before:
            after[name] = Maybe("only the points of a parallel loop give it a value", help="store results into a view")
    after.update({name: Binding(POISON) for name in outside})
    after.pop(LEFT, None)
    if LEFT in before:
        after[LEFT] = before[LEFT]


def _refuse_carries(cx: Context, body: Statements, own: set[str]) -> list[str]:
    """Reports names from outside that a point assigns."""
    outside: list[str] = []
    for name, statement in cx.assignments.of(body).items():
        found = cx.scope.get(name)
        if name in own or not isinstance(found, Binding):
            continue
        outside.append(name)
        if found.value is not POISON:
            cx.error(
                "kir.parallel.carry",
                f"`{name}` has a value outside the parallel loop, and its points cannot update it",
                "combine with I.reduce, use an ordered for, or another name",
                statement,
            )
    return outside
