"""Ordered loops whose rounds mostly do nothing: a condition on the member guards all that a round does."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import Op, operands, results
from intent2cuda.ir.ops import Cast, Constant, For, Load, Pointwise
from intent2cuda.ir.terms import Point
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import yielded
from intent2cuda.plan.stage import Access, Branch, Effect, Let, Loop
from intent2cuda.plan.trees import every
from intent2cuda.types.scalar_fn import SCALAR_FNS, Work

LOOKS_AHEAD = "cpu.loop.search"
_CHEAP = (Work.ADD, Work.MUL, Work.COMPARE, Work.SELECT, Work.DIVIDE)
_BITS = ("and", "or", "not", "bit_and", "bit_or", "bit_xor")


def is_guarded(stage: Loop) -> bool:
    """Whether a branch is all that a round does, and lanes may look for the next member that takes it.

    They look with what the rounds before have left: only rounds that take the branch change that, so a block of
    members none of which takes it is passed over. Looking ahead must touch nothing that the rounds themselves would not
    touch: places depend on the member alone. Where the branch changes nothing that its condition reads, compilers have
    lanes for the loop as it is.
    """
    if not isinstance(stage.op, For) or not stage.body:
        return False
    *lets, branch = stage.body
    if not isinstance(branch, Branch) or not _hands_on(stage, stage.op, branch):
        return False
    if not all(isinstance(let, Let) for let in lets) or stage.op.domain.domain.step.constant != 1:
        return False
    inside = {value: op for op in walk(stage.op.body) for value in results(op)}
    member, *carries = stage.op.body.args
    read = _reads(branch.op.condition, inside, frozenset(carries))
    if read is None:
        return False
    written = {effect.op.resource for effect in every(branch.then_body) if isinstance(effect, Effect | Access)}
    changes = read.carried or any(load.resource in written for load in read.loads)
    advances = any(_runs_along(load, member) for load in read.loads if load.resource not in written)
    return changes and advances


def _hands_on(stage: Loop, op: For, branch: Branch) -> bool:
    """Whether a round that does not take the branch leaves everything as it was, and goes on: each carry that changes
    is a merged value, which without the branch is that carry.
    """
    end, merged = yielded(op.body), branch.op.results
    if end.stop is not None or branch.else_body or len(branch.merges) != len(merged):
        return False
    if any(part.buffer is not None for part in (*stage.carries, *branch.merges)):
        return False
    otherwise = yielded(branch.op.else_body).values if merged else ()
    changed = [(value, carry) for carry, value in zip(op.body.args[1:], end.values, strict=True) if value is not carry]
    return len(changed) == len(merged) and set(changed) == set(zip(merged, otherwise, strict=True))


@dataclass(frozen=True)
class _Read:
    """What a condition takes: loads, and whether it takes a carry."""

    loads: tuple[Load, ...]
    carried: bool


def _reads(condition: Value, inside: dict[Value, Op], carries: frozenset[Value]) -> _Read | None:
    """None where a condition takes what lanes cannot evaluate ahead."""
    pending, loads, carried = [condition], list[Load](), False
    while pending:
        value = pending.pop()
        carried = carried or value in carries
        op = inside.get(value)
        match op:
            case None | Constant():
                continue
            case Load(valid=None) if _stands_by_itself(op, inside, carries):
                loads.append(op)
            case Pointwise(fn=fn) if SCALAR_FNS[fn].work in _CHEAP or fn in _BITS:
                pending += op.args
            case Cast():
                pending += operands(op)
            case _:
                return None
    return _Read(tuple(loads), carried)


def _stands_by_itself(load: Load, inside: dict[Value, Op], carries: frozenset[Value]) -> bool:
    """Whether a load takes one element, at a place that neither a load nor an earlier round decides."""
    if not all(isinstance(term, Point) for term in load.terms):
        return False
    pending = [term.index for term in load.terms if isinstance(term, Point)]
    while pending:
        value = pending.pop()
        op = inside.get(value)
        if value in carries or not isinstance(op, Pointwise | Cast | Constant | None):
            return False
        pending += operands(op) if op is not None else ()
    return True


def _runs_along(load: Load, member: Value) -> bool:
    """Whether the members lie one behind the other."""
    if not load.terms:
        return False
    last = load.terms[-1]
    return isinstance(last, Point) and last.index is member
