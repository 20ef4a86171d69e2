"""What a plan says of the program that is made from it, and whether the program keeps it: no more and no less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.machine.expressions import Apply, Call, Expression, Lambda, Name, Subscript, Unary
from intent2cuda.machine.origin import Traced
from intent2cuda.machine.routines import inlined
from intent2cuda.machine.statements import Array, Assign, Barrier, Declare, Evaluate, If, Return, Statement
from intent2cuda.machine.types import IndexT, Scalar
from intent2cuda.machine.unit import Function, FunctionKind, KernelUnit
from intent2cuda.machine.walk import field_names, nodes, own_parts

ATOMIC = "intent::atomic_"
LAUNCH = "intent::launch"


@dataclass(frozen=True)
class Write:
    """A stage that changes memory. `carrier`: the stage around it, one routine of which may do it.

    `memory` is the view of the caller that it changes, or empty.
    """

    stage: str
    carrier: str
    memory: str
    atomic: bool


@dataclass(frozen=True)
class Promise:
    """`stages`: the identifiers of all of them. `barriers`: those that are barriers of the block.

    `loads`: operations that read a view of the caller, with the C++ name of the view. `team`: stages that the threads
    of a team share.
    """

    stages: frozenset[str]
    barriers: tuple[str, ...]
    writes: tuple[Write, ...]
    loads: tuple[tuple[str, str], ...]
    team: tuple[str, ...]


@dataclass(frozen=True)
class Site:
    """A place that changes memory: its stage, what it names, and whether it does so indivisibly or by a routine."""

    stage: str
    memory: str
    atomic: bool
    routine: bool


def broken_promises(unit: KernelUnit, promise: Promise) -> Iterator[Diagnostic]:
    """Where the kernel does what is not planned, or leaves out what is."""
    routines = {f.name: f for f in unit.functions if f.kind is FunctionKind.ROUTINE}
    for function in unit.functions:
        if function.kind is FunctionKind.KERNEL:
            whole = replace(function, body=inlined(function.body, routines))
            kernel = _Kernel(whole, {p.name for p in function.parameters if not isinstance(p.type, Scalar | IndexT)})
            yield from _stages(kernel, promise)
            yield from _barriers(kernel, promise)
            yield from _teams(kernel, promise)
            yield from _writes(kernel, promise)
            yield from _loads(kernel, promise)
        if function.kind is FunctionKind.LAUNCHER:
            yield from _launches(unit, function)


Views: TypeAlias = dict[str, str]
"""The view that each name in sight stands for or is a part of; empty for a name of other memory."""


@dataclass(frozen=True)
class Placed:
    """A statement with its stage, or that of the statement around it, and the names in sight there."""

    statement: Statement
    stage: str
    views: Views


class _Kernel:
    """The statements of a kernel with the stage of each, and what their names stand for."""

    def __init__(self, function: Function, views: set[str]) -> None:
        self.function = function
        self.placed = tuple(_placed(function.body, "", {view: view for view in views}))

    def sites(self) -> Iterator[Site]:
        """The places that change memory."""
        for here in self.placed:
            statement = here.statement
            if isinstance(statement, Assign) and isinstance(statement.target, Apply | Subscript):
                yield Site(here.stage, _memory(statement.target, here.views), False, False)
            elif isinstance(statement, Evaluate) and isinstance(statement.call, Call):
                yield from _changes(statement.call, here)
            else:
                for call in _own_calls(statement):
                    if call.function.startswith(ATOMIC):
                        yield from _changes(call, here)

    def reads(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Each element of a view that is read, with the operations of the expression that it is in."""
        lambdas = (node for node in nodes(self.function.body) if isinstance(node, Lambda) and node.reference_to)
        places = {id(statement) for node in lambdas for statement in node.body if isinstance(statement, Return)}
        for here in self.placed:
            statement = here.statement
            if isinstance(statement, Return) and id(statement) in places and statement.value is not None:
                yield from _elements(Unary("&", statement.value), _ops(statement), here.views)
                continue
            for name in field_names(type(statement)) or ():
                part = getattr(statement, name)
                if name not in BODIES and not (name == "target" and isinstance(statement, Assign)):
                    yield from _elements(part, _ops(statement), here.views)


_STILL = ("intent::finish_streaming", "intent::swap", "std::swap")
"""Functions that change no memory of the caller's: they wait, or exchange pointers."""
BODIES = ("body", "then_body", "else_body")


def _memory(expression: Expression, views: Views) -> str:
    """The view that an expression is a part of; empty where it is none."""
    match expression:
        case Name():
            return views.get(expression.text, "")
        case Apply():
            return _memory(expression.object, views)
        case Subscript():
            return _memory(expression.base, views)
        case Unary(operator="&"):
            return _memory(expression.operand, views)
        case Call() if expression.args and expression.function.startswith("intent::line"):
            return _memory(expression.args[0], views)
        case _:
            return ""


def _elements(item: object, around: frozenset[str], views: Views) -> Iterator[tuple[str, frozenset[str]]]:
    """The elements of views that are read in an expression; statements inside it are looked at by themselves."""
    if isinstance(item, tuple):
        for part in cast(tuple[object, ...], item):
            yield from _elements(part, around, views)
        return
    ops = around | _ops(item)
    match item:
        case Lambda():
            return
        case Unary(operator="&", operand=Apply(args=args)):
            yield from _elements(args, ops, views)
        case Unary(operator="&", operand=Subscript(index=index)):
            yield from _elements(index, ops, views)
        case _:
            if isinstance(item, Apply | Subscript) and (view := _memory(item, views)):
                yield view, ops
            for name in field_names(type(item)) or ():
                yield from _elements(getattr(item, name), ops, views)


def _changes(call: Call, here: Placed) -> Iterator[Site]:
    """What a call changes: the memory that its first argument names."""
    if call.function.startswith(ATOMIC):
        yield Site(here.stage, _memory(call.args[0], here.views) if call.args else "", True, False)
    elif call.args and not call.function.startswith("intent::device_require") and call.function not in _STILL:
        yield Site(here.stage, _memory(call.args[0], here.views), False, True)


def _placed(body: tuple[Statement, ...], stage: str, around: Views) -> Iterator[Placed]:
    """Every statement of a body and of the bodies inside; a name means what the innermost block around declares."""
    views = dict(around)
    for statement in body:
        if isinstance(statement, Declare):
            refers = statement.value is not None and _is_reference(statement.value)
            views[statement.name] = _memory(statement.value, views) if statement.value and refers else ""
        elif isinstance(statement, Array):
            views[statement.name] = ""
        own = (statement.origin.stage if statement.origin else "") or stage
        yield Placed(statement, own, views)
        for part in _bodies(statement):
            yield from _placed(part, own, views)


def _bodies(statement: Statement) -> Iterator[tuple[Statement, ...]]:
    """The lists of statements directly inside a statement, also those of its lambdas."""
    for part in own_parts(statement):
        for name in BODIES:
            body = getattr(part, name, ())
            if body and (part is statement or isinstance(part, Lambda)):
                yield body


def _own_calls(statement: Statement) -> Iterator[Call]:
    """The calls in the expressions of a statement, without those in statements inside it."""
    return (part for part in own_parts(statement) if isinstance(part, Call))


def _ops(item: object) -> frozenset[str]:
    return frozenset(item.origin.ops) if isinstance(item, Traced) and item.origin else frozenset()


def _is_reference(value: Expression) -> bool:
    """Whether a variable of this value names memory, and is no element of it."""
    return isinstance(value, Name | Unary) or (isinstance(value, Call) and value.function.startswith("intent::line"))


def _stages(kernel: _Kernel, promise: Promise) -> Iterator[Diagnostic]:
    """Every statement that acts belongs to a stage of the plan."""
    for site in kernel.sites():
        if site.stage not in promise.stages:
            message = f"a change of {site.memory or 'memory'} belongs to no stage of the plan"
            yield _finding("machine.reinterpretation", kernel, message)


def _barriers(kernel: _Kernel, promise: Promise) -> Iterator[Diagnostic]:
    have = [here.stage for here in kernel.placed if isinstance(here.statement, Barrier)]
    for stage in _more(have, promise.barriers):
        yield _finding("machine.unplanned_sync", kernel, f"a barrier that is not planned, in {stage or 'no stage'}")
    for stage in _more(promise.barriers, have):
        yield _finding("machine.reinterpretation", kernel, f"the barrier {stage} is not there")


def _teams(kernel: _Kernel, promise: Promise) -> Iterator[Diagnostic]:
    """Threads are woken only for stages that they share."""
    for here in kernel.placed:
        pragmas = (*getattr(here.statement, "pragmas", ()), getattr(here.statement, "pragma", ""))
        if any("omp parallel" in pragma for pragma in pragmas) and here.stage not in promise.team:
            yield _finding("machine.unplanned_sync", kernel, f"threads are woken for {here.stage or 'no stage'}")


def _writes(kernel: _Kernel, promise: Promise) -> Iterator[Diagnostic]:
    """Each change of memory that is planned is there once, and by the memory that is planned."""
    own = Counter(site.stage for site in kernel.sites())
    routines = Counter(site.stage for site in kernel.sites() if site.routine)
    carried = Counter(write.carrier for write in promise.writes if not own[write.stage])
    for write in promise.writes:
        if own[write.stage] != 1 and not (own[write.stage] == 0 and routines[write.carrier]):
            message = f"the change of {write.memory or 'a buffer'} by {write.stage} is there {own[write.stage]} times"
            yield _finding("machine.reinterpretation", kernel, message)
    for stage, count in routines.items():
        if count > max(carried[stage], 1):
            yield _finding("machine.reinterpretation", kernel, f"what {stage} calls is called {count} times")
    planned = {write.memory for write in promise.writes}
    for site in kernel.sites():
        if site.memory and site.memory not in planned:
            yield _finding("machine.reinterpretation", kernel, f"{site.memory} is changed, which is not planned")
    atomics = sum(site.atomic for site in kernel.sites())
    if atomics > sum(write.atomic for write in promise.writes):
        yield _finding("machine.unplanned_sync", kernel, "an atomic access that is not planned")


def _loads(kernel: _Kernel, promise: Promise) -> Iterator[Diagnostic]:
    """No element of a view is read but by the operations that read it; what is not needed may be left out."""
    of_view: dict[str, set[str]] = {}
    for op, view in promise.loads:
        of_view.setdefault(view, set()).add(op)
    for view, ops in kernel.reads():
        if not ops & of_view.get(view, set()):
            yield _finding("machine.reinterpretation", kernel, f"a read of {view} that is not planned")


def _launches(unit: KernelUnit, launcher: Function) -> Iterator[Diagnostic]:
    """The launcher starts one kernel, whichever instance of it."""
    kernels = [f.name for f in unit.functions if f.kind is FunctionKind.KERNEL]
    count = _ways(launcher.body, kernels)
    if count != {1}:
        message = f"{', '.join(map(str, sorted(count)))} kernels are started in a call"
        yield Diagnostic("machine.launches", message, subject=launcher.name)


def _ways(body: tuple[Statement, ...], kernels: Sequence[str]) -> set[int]:
    """How many kernels are started, on every way through the statements."""
    counts = {0}
    for statement in body:
        if isinstance(statement, If):
            both = _ways(statement.then_body, kernels) | _ways(statement.else_body, kernels)
            counts = {count + more for count in counts for more in both}
        elif any(_starts(call, kernels) for call in _own_calls(statement)):
            counts = {count + 1 for count in counts}
    return counts


def _starts(call: Call, kernels: Sequence[str]) -> bool:
    started = call.args[0] if call.function == LAUNCH and call.args else Name(call.function)
    return isinstance(started, Name) and started.text.partition("<")[0] in kernels


def _more(one: Sequence[str], other: Sequence[str]) -> list[str]:
    return sorted((Counter(one) - Counter(other)).elements())


def _finding(code: str, kernel: _Kernel, message: str) -> Diagnostic:
    return Diagnostic(code, message, subject=kernel.function.name)
