"""How views that are written may share memory with other views, so that the reordered execution keeps its meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

from intent2cuda.analysis.alias import Overlap, Tolerance, overlaps
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, map_operands
from intent2cuda.ir.ops import Load
from intent2cuda.ir.value import Value
from intent2cuda.plan.concrete import OverlapRule
from intent2cuda.plan.effects import EFFECTS
from intent2cuda.plan.in_step import in_step
from intent2cuda.plan.staging import Draft
from intent2cuda.types.value_type import ViewType

STAGED_OPS = 1500
"""Staging a kernel again for each pair of its views takes time with the square of its size."""


def overlap_rules(made: Draft, plain: str, shape_of: Callable[[Kernel], str]) -> tuple[OverlapRule, ...]:
    """A rule for each pair of a view that the kernel of some stages writes and another one that it touches.

    Two views may be the same memory only when the kernel would be staged alike if they were one parameter. For loops
    over single elements the stages show it. For others it is tried: `shape_of` gives the text of a kernel's stages,
    `plain` is the text for this one. That is done for `STAGED_OPS` ops in all; the pairs beyond must be disjoint.
    """
    kernel = made.kernel
    ops = list(walk(kernel.body))
    touched = {op.resource for op in ops if isinstance(op, (Load, *EFFECTS))}
    rules: list[OverlapRule] = []
    staged = 0
    for found in overlaps(kernel):
        if found.written in touched and found.other in touched:
            merged = found.tolerance is Tolerance.SAME_OR_DISJOINT and not _apart(found.written, found.other)
            if merged and not in_step(made, found.written, found.other):
                staged += len(ops)
                one_view = with_one_view(kernel, found.other, found.written)
                merged = staged <= STAGED_OPS and shape_of(one_view) == plain
            rules.append(_rule(found, merged))
    return tuple(rules)


def with_one_view(kernel: Kernel, old: Value, new: Value) -> Kernel:
    """The kernel that reads and writes `new` wherever it read or wrote `old`."""

    def region(body: Region) -> Region:
        return Region(body.args, tuple(changed(op) for op in body.ops))

    def changed(op: Op) -> Op:
        inner = {f.name: region(r) for f in fields(op) if isinstance(r := getattr(op, f.name), Region)}
        return replace(map_operands(op, lambda value: new if value is old else value), **inner)

    return replace(kernel, body=region(kernel.body))


def _apart(one: Value, other: Value) -> bool:
    """Whether an author forbids a view to share memory."""
    return any(isinstance(view.type, ViewType) and view.type.noalias for view in (one, other))


def _rule(found: Overlap, same: bool) -> OverlapRule:
    one, other = found.written.name, found.other.name
    if same:
        sentence = f"{one} must be the same elements as {other}, or share no memory with it"
        return OverlapRule(found.written, found.other, Tolerance.SAME_OR_DISJOINT.value, sentence)
    sentence = f"{one} must share no memory with {other}"
    return OverlapRule(found.written, found.other, Tolerance.DISJOINT.value, sentence, found.reason)
