"""Ordered loops that a scan was written out as, and that do nothing but leave each prefix in memory."""

from __future__ import annotations

from intent2cuda.ir.ops import Combiner, Pointwise, Scan
from intent2cuda.plan.axes import yielded
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.stage import Effect, Let, Loop, Prefixes, Stage

FUNCTIONS = {"add": Combiner.ADD, "maximum": Combiner.MAXIMUM, "minimum": Combiner.MINIMUM}


def prefixes(stage: Loop, demand: Demand) -> Prefixes | None:
    """What a loop scans; None where it is no such loop.

    A scan may group its members; an ordered loop of the author's may not, so only what stands for a scan counts.
    """
    author = stage.op.author
    if not isinstance(author, Scan) or author.reverse or len(stage.carries) != 1 or not stage.body:
        return None
    (*lets, effect), (carry,), end = stage.body, stage.carries, yielded(stage.op.body)
    following = end.values[0]
    step = demand.producers.get(following)
    argument = stage.op.body.args[1]
    if not isinstance(effect, Effect) or effect.op.valid is not None:
        return None
    if carry.buffer is not None or end.stop is not None:
        return None
    if not isinstance(step, Pointwise) or FUNCTIONS.get(step.fn) is not author.combiner or argument not in step.args:
        return None
    stored = following if author.inclusive else argument
    if effect.op.value is not stored or stage.op.results[0] in demand.read_values:
        return None
    if any(not isinstance(let, Let) or let.value is not following for let in lets):
        return None
    member = step.args[1] if step.args[0] is argument else step.args[0]
    return Prefixes(author.combiner, member, author.inclusive)


def store_of(stage: Loop) -> Effect:
    """The store of the prefix in a round of a scan."""
    return next(each for each in stage.body if isinstance(each, Effect))


def tail_of(stage: Loop) -> tuple[Stage, ...]:
    """The stages behind that store."""
    return stage.body[stage.body.index(store_of(stage)) + 1 :]
