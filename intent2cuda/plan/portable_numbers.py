"""Invariants of what a portable plan counts: exact and not negative, and no more than what was decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.base.intexpr import IntExpr, evaluate, symbols
from intent2cuda.plan.needs import GATHER, OPERATIONS, POINTWISE
from intent2cuda.plan.portable import DecisionKind, PlanTask, PortablePlan, Work, WorkloadFacts
from intent2cuda.plan.quantity import NOTHING, Exact, Quantity, Unknown, UpperBound, add

RESOURCES = ("arithmetic", "memory_bandwidth", "memory_capacity", "synchronisation", "host_control", "network")
SCOPES = ("per_instance", "per_task", "shared")
KNOWN_OPERATIONS = (*(name for name, _ in OPERATIONS), GATHER, POINTWISE)
CLASSES = ("add", "atomic", "cmp", "cvt", "div", "fma", "int", "mul", "rng", "sel", "transc")
SAMPLES = ((0, 1), (1, 5), (3, 2), (7, 7))
"""Extents at which no number may be negative: those of even and of odd place in the alphabet."""


def number_findings(plan: PortablePlan) -> Iterator[Diagnostic]:
    for task in plan.tasks:
        yield from _facts(task.id, task.facts)
        yield from _needs(task)
        if task.operation not in KNOWN_OPERATIONS:
            yield Diagnostic("portable.dialect", f"{task.operation} is no operation of a plan", subject=task.id)
    yield from _facts(plan.kernel, plan.facts)
    if all(isinstance(facts, WorkloadFacts) for facts in _all_facts(plan)):
        yield from _decisions(plan)


def _all_facts(plan: PortablePlan) -> Iterator[Any]:
    yield plan.facts
    yield from (task.facts for task in plan.tasks)


def _facts(subject: str, facts: Any) -> Iterator[Diagnostic]:
    if not isinstance(facts, WorkloadFacts):
        yield Diagnostic("portable.facts.missing", "it has no facts", subject=subject)
        return
    for work in facts.ops_by_class:
        if work.kind not in CLASSES:
            yield Diagnostic("portable.facts.class", f"{work.kind} is no class of work", subject=subject)
    numbers = (facts.read_bytes, facts.write_bytes, facts.requested_bytes, facts.message_bytes)
    for quantity in (*(work.count for work in facts.ops_by_class), *numbers):
        yield from _quantity(subject, quantity)


def _quantity(subject: str, quantity: Any) -> Iterator[Diagnostic]:
    match quantity:
        case Exact():
            yield from _expression(subject, quantity.expression)
        case Unknown():
            if not quantity.reason:
                yield Diagnostic("portable.facts.untyped_unknown", "it does not say why it is unknown", subject=subject)
            if quantity.upper is not None:
                yield from _expression(subject, quantity.upper)
        case UpperBound():
            yield Diagnostic(
                "portable.bound_as_exact", f"{quantity} stands where a number is asked for", subject=subject
            )
        case _:
            message = f"{quantity!r} is neither a number nor unknown"
            yield Diagnostic("portable.facts.untyped_unknown", message, subject=subject)


def _expression(subject: str, expression: Any) -> Iterator[Diagnostic]:
    if not isinstance(expression, IntExpr):
        yield Diagnostic("portable.facts.inexact", f"{expression!r} is no integer expression", subject=subject)
        return
    for _, coefficient in expression.terms:
        if isinstance(coefficient, float):
            code = "inexact" if isfinite(coefficient) else "nonfinite"
            yield Diagnostic(f"portable.facts.{code}", f"{coefficient} is no whole number", subject=subject)
            return
        if type(coefficient) is not int:
            yield Diagnostic("portable.facts.inexact", f"{coefficient!r} is no whole number", subject=subject)
            return
    if _may_be_negative(expression):
        yield Diagnostic("portable.facts.negative", f"{expression} is negative for some extents", subject=subject)


def _may_be_negative(expression: IntExpr) -> bool:
    """Whether the expression is less than 0 at one of the samples."""
    if all(coefficient > 0 for _, coefficient in expression.terms) and not any(True for _ in _operations(expression)):
        return False
    names = sorted(set(symbols(expression)))
    for pair in SAMPLES:
        try:
            if evaluate(expression, {symbol: pair[n % 2] for n, symbol in enumerate(names)}) < 0:
                return True
        except ZeroDivisionError:
            continue
    return False


def _operations(expression: IntExpr) -> Iterator[object]:
    return (atom for monomial, _ in expression.terms for atom in monomial if not hasattr(atom, "name"))


def _needs(task: PlanTask) -> Iterator[Diagnostic]:
    for resource in task.resources:
        if resource.kind not in RESOURCES:
            yield Diagnostic("portable.resource.kind", f"{resource.kind} is no abstract resource", subject=task.id)
        if resource.scope not in SCOPES:
            yield Diagnostic("portable.resource.scope", f"{resource.scope} is no scope", subject=task.id)
        yield from _amount(task.id, resource.kind, resource.quantity)
    for capability in task.capabilities:
        if not capability.need or not all((capability.alternatives, *capability.alternatives)):
            yield Diagnostic("portable.capability.empty", f"nothing can realise {capability.need}", subject=task.id)
        if len(set(capability.alternatives)) < len(capability.alternatives):
            message = f"{capability.need} has an alternative twice"
            yield Diagnostic("portable.capability.duplicate", message, subject=task.id)
    needs = [capability.need for capability in task.capabilities]
    if len(set(needs)) < len(needs):
        yield Diagnostic("portable.capability.duplicate", "a need is there twice", subject=task.id)


def _amount(subject: str, kind: str, quantity: Any) -> Iterator[Diagnostic]:
    """How much a task asks for: a number, something unknown, or for storage an upper bound."""
    match quantity:
        case Exact() | Unknown():
            yield from _quantity(subject, quantity)
        case UpperBound() if kind == "memory_capacity":
            yield from _expression(subject, quantity.expression)
        case UpperBound():
            message = f"{quantity} stands where a number is asked for"
            yield Diagnostic("portable.bound_as_exact", message, subject=subject)
        case _:
            yield Diagnostic("portable.resource.empty", f"it asks for no quantity of {kind}", subject=subject)


def _decisions(plan: PortablePlan) -> Iterator[Diagnostic]:
    """Tasks do what the kernel states and what is decided on top of it, and nothing else."""
    done = _totals(work for task in plan.tasks for work in task.facts.ops_by_class)
    again = (w for d in plan.decisions if d.kind is DecisionKind.RECOMPUTE for w in d.extra)
    wanted = _totals((*plan.facts.ops_by_class, *again))
    for key in sorted({*done, *wanted}):
        here, there = done.get(key, NOTHING), wanted.get(key, NOTHING)
        if isinstance(here, Exact) and isinstance(there, Exact) and here.expression != there.expression:
            message = f"{' '.join(key)} is done {here.expression} times and decided {there.expression} times"
            yield Diagnostic("portable.decision.implicit", message, subject=plan.kernel)


def _totals(works: Iterable[Work]) -> dict[tuple[str, str], Quantity]:
    totals: dict[tuple[str, str], Quantity] = {}
    for work in works:
        key = work.kind, work.dtype
        totals[key] = add(totals.get(key, NOTHING), work.count)
    return totals
