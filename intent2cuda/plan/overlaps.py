"""How views that are written may share memory with other views, so that the reordered execution keeps its meaning."""

from __future__ import annotations

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Load, Store
from intent2cuda.ir.value import Value
from intent2cuda.plan.concrete import OverlapRule
from intent2cuda.types.value_type import ViewType


def overlap_rules(kernel: Kernel) -> tuple[OverlapRule, ...]:
    views = [p for p in kernel.parameters if isinstance(p.type, ViewType)]
    written = {op.resource for op in walk(kernel.body) if isinstance(op, Store)}
    touched = written | {op.resource for op in walk(kernel.body) if isinstance(op, Load)}
    rules: list[OverlapRule] = []
    for number, one in enumerate(views):
        for other in views[:number]:
            pair = (one, other) if one in written else (other, one)
            if pair[0] in written and {one, other} <= touched:
                rules.append(_rule(*pair))
    return tuple(rules)


def _rule(written: Value, other: Value) -> OverlapRule:
    sentence = f"{written.name} is written and must not share memory with {other.name}"
    return OverlapRule(written, other, "disjoint", sentence)
