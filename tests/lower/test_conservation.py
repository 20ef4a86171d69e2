"""The emitted program does what its plan says: nothing is added, left out or done twice. Each change is caught."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.report import Report
from intent2cuda.emit.project import source_text
from intent2cuda.lower import lower
from intent2cuda.lower.promised import promise_of
from intent2cuda.machine.expressions import Apply, Call, Integer, Name
from intent2cuda.machine.origin import Origin
from intent2cuda.machine.promise import Promise
from intent2cuda.machine.statements import Assign, Barrier, Declare, Evaluate, If, Scope, Statement
from intent2cuda.machine.types import Scalar
from intent2cuda.machine.unit import FunctionKind, KernelUnit
from intent2cuda.machine.verify import Verified, verify
from intent2cuda.machine.walk import rebuild
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import Planned, plan
from intent2cuda.types.dtype import F32

from .conserved import TARGETS, counts, differences

KERNELS = Path(__file__).parents[1] / "plan" / "kernels.py"
CASES = Path(__file__).parents[1] / "conformance" / "cases"
NAMES = re.findall(r"^def (\w+)", KERNELS.read_text(), re.MULTILINE)
ATOMIC = CASES / "atomics" / "add.py"


def made(name: str, target: str, path: Path = KERNELS) -> tuple[Planned, KernelUnit, Promise]:
    found = plan(parse_kernel(path, name).kernel, target)
    return found, lower(found.concrete).unit, promise_of(found.concrete, found.bound.identities)


Body = tuple[Statement, ...]
Change = Callable[[KernelUnit], KernelUnit]
BODIES = ("body", "then_body", "else_body")


def body_of(kind: FunctionKind, change: Callable[[Body], Body]) -> Change:
    """Changes the body of the function of a kind."""

    def changed(unit: KernelUnit) -> KernelUnit:
        functions = (replace(f, body=change(f.body)) if f.kind is kind else f for f in unit.functions)
        return replace(unit, functions=tuple(functions))

    return changed


def in_kernel(change: Callable[[Body], Body]) -> Change:
    return body_of(FunctionKind.KERNEL, change)


def times(kind: type, count: int) -> Change:
    """Every statement of a kind stands there so many times."""

    def repeated(body: Body) -> Body:
        return tuple(copy for part in body for copy in [part] * (count if isinstance(part, kind) else 1))

    def inside(node: Any) -> Any:
        bodies = {name: getattr(node, name) for name in BODIES if getattr(node, name, ())}
        return replace(node, **{name: repeated(body) for name, body in bodies.items()}) if bodies else node

    return in_kernel(lambda body: repeated(rebuild(body, inside)))


def planned(unit: KernelUnit, statement: Statement) -> Statement:
    """The statement as if it came from the first stage of the program."""
    body = unit.functions[0].body
    stage = next(s.origin.stage for s in body if s.origin and s.origin.stage)
    return replace(statement, origin=Origin(stage))


def added(statement: Statement) -> Change:
    return lambda unit: in_kernel(lambda body: (*body, planned(unit, statement)))(unit)


def in_launcher(change: Callable[[Body], Body]) -> Change:
    return body_of(FunctionKind.LAUNCHER, change)


def one_way(body: Body) -> Body:
    """Only one of the two instances is launched."""
    last = body[-1]
    assert isinstance(last, If) and last.else_body
    return (*body[:-1], replace(last, else_body=()))


X = Apply(Name("x"), (Integer(0),))
Y = Apply(Name("y"), (Integer(0),))
READ = Declare(Scalar(F32), "odd", X)

MUTATIONS: list[tuple[str, str, str, str, Change]] = [
    # what, code, kernel, target, change
    ("a barrier more", "machine.unplanned_sync", "passes", "cuda", added(Barrier("odd"))),
    ("a barrier twice", "machine.unplanned_sync", "passes", "cuda", times(Barrier, 2)),
    ("no barriers", "machine.reinterpretation", "passes", "cuda", times(Barrier, 0)),
    ("a store more", "machine.reinterpretation", "saxpy", "cuda", added(Assign(Y, Integer(0)))),
    ("a store of an input", "machine.reinterpretation", "softmax_rows", "cuda", added(Assign(X, Integer(0)))),
    ("a store twice", "machine.reinterpretation", "saxpy", "cuda", times(Assign, 2)),
    ("no store", "machine.reinterpretation", "saxpy", "cuda", times(Assign, 0)),
    ("a routine twice", "machine.reinterpretation", "saxpy", "cpu", times(Evaluate, 2)),
    ("no routine", "machine.reinterpretation", "saxpy", "cpu", times(Evaluate, 0)),
    ("a read more", "machine.reinterpretation", "saxpy", "cuda", added(READ)),
    ("an atomic access more", "machine.unplanned_sync", "saxpy", "cuda",
     added(Evaluate(Call("intent::atomic_add", (Y, Integer(1)))))),
    ("a team more", "machine.unplanned_sync", "saxpy", "cpu",
     in_kernel(lambda body: (Scope(body, "omp parallel"),))),
    ("two launches", "machine.launches", "saxpy", "cuda", in_launcher(lambda body: (*body, body[-1]))),
    ("two calls", "machine.launches", "saxpy", "cpu", in_launcher(lambda body: (*body, body[-1]))),
    ("no launch", "machine.launches", "saxpy", "cuda", in_launcher(lambda body: body[:-1])),
    ("a launch sometimes", "machine.launches", "saxpy", "cuda", in_launcher(one_way)),
]  # fmt: skip


@pytest.mark.req("P100", "P101", "P78")
@pytest.mark.parametrize(("code", "name", "on", "change"), [pytest.param(*row[1:], id=row[0]) for row in MUTATIONS])
def test_what_is_not_planned_is_found(code: str, name: str, on: str, change: Change) -> None:
    _, unit, promise = made(name, on)
    assert verify(unit, promise).holds
    assert change(unit) != unit
    assert code in verify(change(unit), promise).codes


@pytest.mark.req("P101")
def test_a_missing_atomic_access_is_found() -> None:
    _, unit, promise = made("count", "cuda", ATOMIC)
    assert any(write.atomic for write in promise.writes) and verify(unit, promise).holds
    assert "machine.reinterpretation" in verify(times(Evaluate, 0)(unit), promise).codes


@pytest.mark.req("P55", "P100", "P101")
@pytest.mark.parametrize("on", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_counts_in_the_text_are_those_of_the_plan(name: str, on: str) -> None:
    """Barriers, launches and atomic accesses, counted in the printed file."""
    kernel = parse_kernel(KERNELS, name).kernel
    assert differences(kernel, on) == []
    found = plan(kernel, on).concrete
    text = source_text("p", lower(found))
    for more in ("__syncthreads();", "intent::launch(", "intent::atomic_add<"):
        assert [what for what, planned, printed in counts(found, f"{text}{more}") if planned != printed]


@pytest.mark.req("P78")
@pytest.mark.parametrize("on", ["cpu", "cuda"])
@pytest.mark.parametrize("name", NAMES)
def test_the_text_allocates_nothing_of_its_own(name: str, on: str) -> None:
    """Memory is the caller's, static, or what a thread keeps between calls."""
    text = source_text("p", lower(plan(parse_kernel(KERNELS, name).kernel, on).concrete))
    code = re.sub(r"//.*", "", text)
    assert not re.search(r"cuda(Malloc|Free)|\b(new|delete|malloc|free|calloc|vector)\b", code)


@pytest.mark.req("P102")
def test_nothing_is_printed_without_its_report() -> None:
    _, unit, promise = made("saxpy", "cpu")
    with pytest.raises(TypeError):
        Verified(unit)
    with pytest.raises(AttributeError):
        source_text("p", unit)
    program = lower(plan(parse_kernel(KERNELS, "saxpy").kernel, "cpu").concrete)
    broken = times(Evaluate, 0)(unit)
    with pytest.raises(InternalError, match=r"machine\.reinterpretation"):
        Verified(broken, verify(broken, promise), program.digest)
    with pytest.raises(InternalError, match=r"machine\.unverified"):
        replace(program, unit=broken)
    assert isinstance(program.report, Report) and program.report.holds
    assert source_text("p", program).startswith("// Code generated by intent2cuda")
