"""Worksets and portable plans as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from intent2cuda.base.codec import short
from intent2cuda.base.intexpr import IntExpr, Symbol, evaluate, substitute, symbols
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.notation import Names, expression_text
from intent2cuda.ir.op import regions, results
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.portable import Decision, PlanBuffer, PlanTask, PortablePlan, Ratio, Work, WorkloadFacts
from intent2cuda.plan.quantity import Basis, Exact, Quantity, UpperBound
from intent2cuda.plan.worksets import Worksets

NO_NAMES = Names.empty()


def worksets_text(found: Worksets, readable: Mapping[str, str]) -> str:
    """Each group of connected operations with its axes and their roles."""
    rows: list[str] = []
    for group in found.groups:
        rows.append(f"workset {group.id}")
        for axis in group.axes:
            along = f" along {axis.source}" if axis.source else ""
            rows.append(f"  axis {_expression(axis.extent, readable)}: {axis.role.value}{along}")
        rows += [f"  {name} {kind}{' (effect)' if name in group.effects else ''}" for name, kind in group.ops]
    return "\n".join(rows) + "\n"


def readable_names(kernel: Kernel, identities: Identities) -> dict[str, str]:
    """For the name by which plans call a value of a kernel that of the author, if he gave one."""
    arguments = (argument for op in walk(kernel.body) for region in regions(op) for argument in region.args)
    values = (*(value for op in walk(kernel.body) for value in results(op)), *arguments)
    return {identities.names.of(value): value.name for value in values if value.name}


def portable_text(plan: PortablePlan, readable: Mapping[str, str]) -> str:
    """Tasks, memory and decisions; operations by their identifiers, scalars by the author's names."""
    rows = [f"portable plan {short(plan.digest)} of {plan.kernel}: {plan.strategy} ({plan.status.value})"]
    rows += [f"  {line}" for line in facts_rows(plan.facts, readable)]
    rows += (f"data {d.name} = {d.table}[{d.last}] - {d.table}[{d.first}]{_upper(d.upper)}" for d in plan.data)
    for task in plan.tasks:
        rows += _task(task, readable)
    rows += (_buffer(buffer, readable) for buffer in plan.buffers)
    rows += (f"parameter {p.symbol} >= {p.least}: {p.meaning}" for p in plan.parameters)
    for decision in plan.decisions:
        rows += _decision(decision, readable)
    return "\n".join(rows) + "\n"


def facts_rows(facts: WorkloadFacts, readable: Mapping[str, str]) -> Iterator[str]:
    """One line for each class of work, then the bytes."""
    for work in facts.ops_by_class:
        yield work_text(work, readable)
    read, written = (quantity_text(q, readable) for q in (facts.read_bytes, facts.write_bytes))
    yield f"bytes read {read}, written {written}"
    if facts.requested_bytes != facts.moved_bytes:
        yield f"bytes asked for {quantity_text(facts.requested_bytes, readable)}"


def work_text(work: Work, readable: Mapping[str, str]) -> str:
    return f"{work.kind} {work.dtype}: {quantity_text(work.count, readable)}"


def quantity_text(quantity: Quantity | UpperBound, readable: Mapping[str, str]) -> str:
    match quantity:
        case Exact():
            every = " of all members" if quantity.basis is Basis.ALL else ""
            return _expression(quantity.expression, readable) + every
        case UpperBound():
            meaning = " ".join(readable.get(word, word) for word in quantity.meaning.split(" "))
            return f"at most {_expression(quantity.expression, readable)} ({meaning})"
        case _:
            return f"unknown ({quantity.reason}){_upper(quantity.upper, readable)}"


def ratio_at(ratio: Ratio, values: Mapping[Symbol, int]) -> Fraction | None:
    """The ratio for one call; None where it is not known, or nothing is below the line."""
    if not isinstance(ratio.over, Exact) or not isinstance(ratio.under, Exact):
        return None
    under = evaluate(ratio.under.expression, values)
    return Fraction(evaluate(ratio.over.expression, values), under) if under else None


def _upper(upper: IntExpr | None, readable: Mapping[str, str] | None = None) -> str:
    return "" if upper is None else f", at most {_expression(upper, readable or {})}"


def _expression(expression: IntExpr, readable: Mapping[str, str]) -> str:
    named = {s: IntExpr.symbol(readable[s.name]) for s in symbols(expression) if s.name in readable}
    return expression_text(substitute(expression, named) if named else expression, NO_NAMES)


def _task(task: PlanTask, readable: Mapping[str, str]) -> Iterator[str]:
    after = f" after {', '.join(task.dependencies)}" if task.dependencies else ""
    group = f" in group {task.group}" if task.group else ""
    yield f"task {task.id} {task.operation}{after}{group}"
    for axis in task.axes:
        yield f"  axis {_expression(axis.extent, readable)}: {axis.role.value}"
    yield f"  sweeps: {', '.join(task.parts)}" if task.parts else "  scalars"
    yield f"  reads {', '.join(task.inputs) or 'nothing'}; writes {', '.join(task.outputs) or 'nothing'}"
    yield from (f"  {line}" for line in facts_rows(task.facts, readable))
    for capability in task.capabilities:
        yield f"  needs {capability.need}: {' or '.join(capability.alternatives)}"


def _buffer(buffer: PlanBuffer, readable: Mapping[str, str]) -> str:
    return f"buffer {buffer.id} {buffer.dtype.name} {buffer.role.value}: {quantity_text(buffer.size, readable)} bytes"


def _decision(decision: Decision, readable: Mapping[str, str]) -> Iterator[str]:
    other = f" (or {', '.join(decision.alternatives)})" if decision.alternatives else ""
    yield f"{decision.kind.value} {' '.join(decision.subject)}{other}: {decision.reason}"
    yield from (f"  adds {work_text(work, readable)}" for work in decision.extra)
