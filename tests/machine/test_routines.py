"""Parts of a kernel that become functions, those that stay, and programs whose calls are not what they seem."""

from __future__ import annotations

from dataclasses import replace

import pytest

from intent2cuda.machine.expressions import Call, Integer, Name
from intent2cuda.machine.origin import Origin
from intent2cuda.machine.routines import inlined, with_routines
from intent2cuda.machine.statements import Assign, Declare, Evaluate, For, Return, Source, SourceLine, Statement
from intent2cuda.machine.types import IndexT, Named, Scalar
from intent2cuda.machine.unit import Function, FunctionKind, Interface, KernelUnit, Parameter
from intent2cuda.machine.verify import structure_findings
from intent2cuda.types.dtype import F32

X = Parameter(Scalar(F32), "x")
NAMES = {"a": "summarize", "b": "merge", "own": ""}


def act(op: str, name: str = "x") -> Statement:
    return Evaluate(Call("use", (Name(name),), origin=Origin("", (op,))), origin=Origin(f"stage_{op}"))


def loop(*body: Statement) -> For:
    return For(IndexT(), "i", Integer(0), Name("x"), Integer(1), body)


def outlined(*body: Statement) -> tuple[tuple[Statement, ...], tuple[Function, ...]]:
    return with_routines(body, (X,), NAMES, lambda name: f"k_{name}")


def test_a_run_of_one_name_is_a_function_with_what_it_needs() -> None:
    body = (Declare(IndexT(), "n", Integer(3)), act("own"), act("a", "n"), loop(act("a")), act("own"))
    rest, (routine,) = outlined(*body)
    assert routine.name == "k_summarize" and routine.kind is FunctionKind.ROUTINE
    assert [p.name for p in routine.parameters] == ["x", "n"]
    assert routine.body == body[2:4]
    assert rest == (*body[:2], Evaluate(Call("k_summarize", (Name("x"), Name("n")))), body[4])
    assert inlined(rest, {routine.name: routine}) == body


def test_what_is_read_later_is_returned() -> None:
    total = Declare(Scalar(F32), "total", Call("sum", (Name("x"),), origin=Origin("", ("a",))))
    body = (loop(act("a")), total, act("own", "total"))
    rest, (routine,) = outlined(*body)
    assert routine.result == Scalar(F32) and routine.body[-1] == Return(total.value)
    assert rest[0] == replace(total, value=Call("k_summarize", (Name("x"),)))
    assert inlined(rest, {routine.name: routine}) == body


def test_several_statements_of_the_author_are_enough() -> None:
    quote = Source((SourceLine("k.py", 1, "y = x"), SourceLine("k.py", 2, "z = y")))
    _, (routine,) = outlined(act("own"), quote, loop(act("b")))
    assert routine.body[0] == quote


@pytest.mark.parametrize(
    "body",
    [
        (act("a"), act("a")),  # no loop
        (loop(act("a")),),  # one statement
        (loop(act("a")), act("own"), act("a")),  # not neighbours
        (loop(act("a"), act("own")), loop(act("a"), act("own"))),  # the kernel's own work inside
        (loop(act("a")), Assign(Name("x"), Call("f", (), origin=Origin("", ("a",))))),  # changes a variable around it
        (loop(act("a")), act("a"), act("own"), loop(act("a")), act("a")),  # two places
    ],
)
def test_other_parts_stay(body: tuple[Statement, ...]) -> None:
    assert outlined(*body) == (body, ())


def unit(*body: Statement) -> KernelUnit:
    routine = Function(FunctionKind.ROUTINE, Named("void"), "k_part", (X,), (act("a"),))
    kernel = Function(FunctionKind.KERNEL, Named("void"), "k_kernel", (X,), body)
    launcher = Function(FunctionKind.LAUNCHER, Named("void"), "k", (), ())
    interface = Interface("k", "k", (), (), False, "", "k.py", 1)
    return KernelUnit(interface, "cpu", "", (), (), (routine, kernel, launcher), (), (), (), (), "c++17")


def test_a_routine_is_called_once_with_its_own_variables() -> None:
    call = Evaluate(Call("k_part", (Name("x"),)))
    other = (Declare(Scalar(F32), "y", Name("x")), Evaluate(Call("k_part", (Name("y"),))))
    assert not list(structure_findings(unit(call)))
    assert {d.code for d in structure_findings(unit(call, call))} == {"machine.duplicate_entry"}
    assert {d.code for d in structure_findings(unit(act("own")))} == {"machine.duplicate_entry"}
    assert {d.code for d in structure_findings(unit(*other))} == {"machine.symbol"}
