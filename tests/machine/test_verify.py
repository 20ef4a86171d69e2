"""Programs that may not be printed, each with the finding that says why."""

from __future__ import annotations

import pytest

from intent2cuda.machine.expressions import Binary, Call, Expression, Integer, Lambda, Member, Name
from intent2cuda.machine.statements import Barrier, Declare, Evaluate, For, If, Return, Statement
from intent2cuda.machine.types import IndexT, Named, Scalar
from intent2cuda.machine.unit import Function, FunctionKind, Interface, KernelUnit, Parameter
from intent2cuda.machine.verify import verify
from intent2cuda.types.dtype import F32

THREAD = Member(Name("threadIdx"), "x")


def unit(*body: Statement) -> KernelUnit:
    parameters = (Parameter(Scalar(F32), "x"),)
    kernel = Function(FunctionKind.KERNEL, Named("void"), "k_kernel", parameters, (*body, use("x")))
    return KernelUnit(Interface("k", "k", (), (), False, "", "k.py", 1), "cuda", "", (), (), (kernel,), (), (), (), ())


def use(name: str) -> Statement:
    return Evaluate(Call("use", (Name(name),)))


def loop(begin: Expression, *body: Statement) -> For:
    return For(IndexT(), "i", begin, Name("x"), Integer(1), body)


@pytest.mark.parametrize(
    ("body", "finding"),
    [
        ((use("y"),), "y is used and not declared"),
        ((use("a"), Declare(Scalar(F32), "a", Name("x")), use("a")), "a is used and not declared"),
        ((Declare(Scalar(F32), "a", Name("x")),), "a is declared and not used"),
        ((Declare(Scalar(F32), "x", Integer(0)), use("x")), "x hides another variable"),
        ((loop(Integer(0), loop(Integer(0), use("i"))),), "i hides another variable"),
        ((Evaluate(Call("f", (Lambda(((IndexT(), "x"),), (Return(Name("x")),)),))),), "x hides another variable"),
        ((loop(THREAD, Barrier("r"), use("i")),), "not every thread reaches the barrier `r`"),
        ((If(Binary("==", THREAD, Integer(0)), (Barrier("r"),)),), "not every thread reaches the barrier `r`"),
        (
            (loop(THREAD, Evaluate(Call("intent::block_fold", (Name("i"),)))),),
            "not every thread reaches the call of intent::block_fold",
        ),
    ],
)
def test_findings(body: tuple[Statement, ...], finding: str) -> None:
    assert f"k_kernel: {finding}" in verify(unit(*body)).findings


def test_a_good_program_has_no_findings() -> None:
    body = (
        Declare(Scalar(F32), "a", Name("x")),
        loop(THREAD, use("i"), use("a")),
        Barrier("a is written before it is read"),
        Evaluate(Call("intent::block_fold", (Name("a"), Lambda(((IndexT(), "n"),), (Return(Name("n")),))))),
    )
    assert verify(unit(*body)).holds


def test_an_unused_parameter_is_found() -> None:
    empty = Function(FunctionKind.KERNEL, Named("void"), "k_kernel", (Parameter(Scalar(F32), "x"),), ())
    interface = Interface("k", "k", (), (), False, "", "k.py", 1)
    found = verify(KernelUnit(interface, "cpu", "", (), (), (empty,), (), (), (), ())).findings
    assert found == ("k_kernel: the parameter x is not used",)
