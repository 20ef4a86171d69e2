"""Whether the facts of a kernel are what a counted run of it finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from intent2cuda.base.intexpr import Symbol, evaluate
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.notation import mnemonic
from intent2cuda.ir.op import Op
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.quantity import NOTHING, Basis, DataSymbol, Exact, Quantity, add
from intent2cuda.plan.workload import Workload
from intent2cuda.types.value_type import TensorType, ViewType

from .counted import Counted, Tally


def disagreements(kernel: Kernel, arguments: Mapping[str, Any]) -> tuple[list[str], int]:
    """What is wrong with the facts for these arguments, and how many numbers are exact."""
    ops = list(walk(kernel.body))
    facts, found = Workload(kernel, Identities(kernel).names), Counted(kernel, arguments)
    stated = {op: _merged(facts.work(op)) for op in ops}
    traffic = {writes: (facts.distinct(ops, writes), facts.requested(ops, writes)) for writes in (False, True)}
    values = _values(kernel, found, arguments, facts.data)
    wrong: list[str] = []
    exact = 0
    for op in ops:
        for (kind, dtype), quantity in stated[op].items():
            tally = found.work[op][kind, dtype]
            exact += isinstance(quantity, Exact)
            wrong += (f"{mnemonic(op)} {kind} {dtype}: {text}" for text in _faults(quantity, tally, values))
        left = set(found.work[op]) - set(stated[op])
        wrong += [f"{mnemonic(op)} also does {left}"] if left else []
    for writes, (distinct, requested) in traffic.items():
        way = "written" if writes else "read"
        exact += isinstance(distinct, Exact) + isinstance(requested, Exact)
        wrong += (f"distinct bytes {way}: {t}" for t in _faults(distinct, _distinct(found, ops, writes), values))
        wrong += (f"requested bytes {way}: {t}" for t in _faults(requested, _requested(found, ops, writes), values))
    return wrong, exact


def _merged(work: Iterable[tuple[str, str, Quantity]]) -> dict[tuple[str, str], Quantity]:
    merged: dict[tuple[str, str], Quantity] = {}
    for kind, dtype, quantity in work:
        merged[kind, dtype] = add(merged.get((kind, dtype), NOTHING), quantity)
    return merged


def _faults(stated: Quantity, found: Tally, values: Mapping[Symbol, int]) -> Iterator[str]:
    if isinstance(stated, Exact):
        number = evaluate(stated.expression, values)
        right = (found.active,) if stated.basis is Basis.ACTIVE else (found.active, found.every)
        if number not in right:
            yield f"{stated.expression} ({stated.basis.value}) is {number}, counted {right}"
    elif stated.upper is not None and (upper := evaluate(stated.upper, values)) < found.active:
        yield f"unknown ({stated.reason}), at most {stated.upper} = {upper}, counted {found.active}"


def _values(
    kernel: Kernel, found: Counted, arguments: Mapping[str, Any], data: Sequence[DataSymbol]
) -> dict[Symbol, int]:
    values = {Symbol(name): extent for name, extent in found.dims.items()}
    for parameter in kernel.parameters:
        if isinstance(parameter.type, TensorType) and parameter.type.dtype.is_integer:
            values[Symbol(parameter.name)] = int(arguments[parameter.name])
    for each in data:
        ends = (
            int(arguments[each.table][evaluate(at, values)]) if _inside(each, at, values, arguments) else 0
            for at in (each.last, each.first)
        )
        last, first = ends
        values[each.symbol] = last - first
    return values


def _inside(each: DataSymbol, at: Any, values: Mapping[Symbol, int], arguments: Mapping[str, Any]) -> bool:
    return 0 <= evaluate(at, values) < len(arguments[each.table])


def _ways(ops: Sequence[Op], writes: bool) -> Iterator[Any]:
    from intent2cuda.analysis.effects import access

    for op in ops:
        made = access(op)
        if made is not None and isinstance(made.resource.type, ViewType) and (made.writes if writes else made.reads):
            yield op


def _requested(found: Counted, ops: Sequence[Op], writes: bool) -> Tally:
    total = Tally()
    for op in _ways(ops, writes):
        size = op.resource.resource.dtype.bytes
        total.add(size * found.touched[op].often.active, size * found.touched[op].often.every)
    return total


def _distinct(found: Counted, ops: Sequence[Op], writes: bool) -> Tally:
    active: dict[Any, set[int]] = {}
    every: dict[Any, set[int]] = {}
    for op in _ways(ops, writes):
        active.setdefault(op.resource, set()).update(found.touched[op].active)
        every.setdefault(op.resource, set()).update(found.touched[op].every)
    total = Tally()
    for resource in active:
        size = resource.resource.dtype.bytes
        total.add(size * len(active[resource]), size * len(every[resource]))
    return total
