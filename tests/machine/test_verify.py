"""Programs that may not be printed, each with the finding that says why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from intent2cuda.machine.dialects import PROTOCOLS, dialect_of, protocol_of
from intent2cuda.machine.expressions import Binary, Call, Expression, Integer, Lambda, Member, Name
from intent2cuda.machine.opcodes import opcode
from intent2cuda.machine.statements import Array, Barrier, Declare, Evaluate, For, If, Return, Scope, Statement
from intent2cuda.machine.types import IndexT, Named, Scalar
from intent2cuda.machine.unit import Constant, Function, FunctionKind, Interface, KernelUnit, Parameter
from intent2cuda.machine.verify import structure_findings
from intent2cuda.types.dtype import F32

THREAD = Member(Name("threadIdx"), "x")
LAUNCHER = Function(FunctionKind.LAUNCHER, Named("void"), "k", (), ())


def unit(*body: Statement, target: str = "cuda") -> KernelUnit:
    parameters = (Parameter(Scalar(F32), "x"),)
    kernel = Function(FunctionKind.KERNEL, Named("void"), "k_kernel", parameters, (*body, use("x")))
    interface = Interface("k", "k", (), (), False, "", "k.py", 1)
    return KernelUnit(interface, target, "", (), (), (kernel, LAUNCHER), (), (), (), (), "cuda-12/cc80")


def use(name: str) -> Statement:
    return Evaluate(Call("use", (Name(name),)))


def loop(begin: Expression, *body: Statement) -> For:
    return For(IndexT(), "i", begin, Name("x"), Integer(1), body)


@pytest.mark.req("P97", "P102")
@pytest.mark.parametrize(
    ("body", "code", "finding"),
    [
        ((use("y"),), "machine.reference.unknown", "y is used and not declared"),
        (
            (use("a"), Declare(Scalar(F32), "a", Name("x")), use("a")),
            "machine.reference.unknown",
            "a is used and not declared",
        ),
        ((Declare(Scalar(F32), "a", Name("x")),), "machine.reference.unused", "a is declared and not used"),
        ((Declare(Scalar(F32), "x", Integer(0)), use("x")), "machine.symbol", "x hides another variable"),
        ((loop(Integer(0), loop(Integer(0), use("i"))),), "machine.symbol", "i hides another variable"),
        (
            (Evaluate(Call("f", (Lambda(((IndexT(), "x"),), (Return(Name("x")),)),))),),
            "machine.symbol",
            "x hides another variable",
        ),
        ((loop(THREAD, Barrier("r"), use("i")),), "machine.legality", "not every thread reaches the barrier `r`"),
        (
            (If(Binary("==", THREAD, Integer(0)), (Barrier("r"),)),),
            "machine.legality",
            "not every thread reaches the barrier `r`",
        ),
        (
            (loop(THREAD, Evaluate(Call("intent::block_fold", (Name("i"),)))),),
            "machine.legality",
            "not every thread reaches the call of intent::block_fold",
        ),
    ],
)
def test_findings(body: tuple[Statement, ...], code: str, finding: str) -> None:
    found = [(d.code, d.subject, d.message) for d in structure_findings(unit(*body))]
    assert (code, "k_kernel", finding) in found


def test_a_good_program_has_no_findings() -> None:
    body = (
        Declare(Scalar(F32), "a", Name("x")),
        loop(THREAD, use("i"), use("a")),
        Barrier("a is written before it is read"),
        Evaluate(Call("intent::block_fold", (Name("a"), Lambda(((IndexT(), "n"),), (Return(Name("n")),))))),
    )
    assert not list(structure_findings(unit(*body)))


def test_an_unused_parameter_is_found() -> None:
    empty = Function(FunctionKind.KERNEL, Named("void"), "k_kernel", (Parameter(Scalar(F32), "x"),), ())
    found = list(structure_findings(replace(unit(), functions=(empty, LAUNCHER))))
    assert [(d.code, d.message) for d in found] == [("machine.reference.unused", "the parameter x is not used")]


GOOD = unit()
KERNEL = GOOD.functions[0]


@pytest.mark.req("P97")
@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (replace(GOOD, functions=(LAUNCHER,)), "machine.empty"),
        (replace(GOOD, functions=(KERNEL,)), "machine.empty"),
        (replace(GOOD, functions=(KERNEL, replace(KERNEL, name="other"), LAUNCHER)), "machine.duplicate_section"),
        (replace(GOOD, functions=(replace(KERNEL, name="k"), LAUNCHER)), "machine.duplicate_entry"),
        (replace(GOOD, functions=(KERNEL, replace(LAUNCHER, name="a-b"))), "machine.symbol"),
        (replace(GOOD, abi=""), "machine.abi"),
        (replace(GOOD, functions=(KERNEL, replace(LAUNCHER, template=("bool kDense",)))), "machine.abi"),
    ],
)
def test_programs_without_what_they_are_made_of(broken: KernelUnit, code: str) -> None:
    assert not list(structure_findings(GOOD))
    assert code in [d.code for d in structure_findings(broken)]


@pytest.mark.req("P97")
def test_a_program_says_all_that_it_is() -> None:
    made = replace(GOOD, constants=(Constant(IndexT(), "kTile", Integer(4), ""),), headers=("intent/view.hpp",))
    assert [(s.kind, s.symbols) for s in made.sections] == [
        ("device", ("k_kernel",)),
        ("host", ("k",)),
        ("data", ("kTile",)),
    ]
    assert made.entry_points == ("k",) and made.symbols == ("k_kernel", "k", "kTile")
    assert made.executable_refs == ("intent/view.hpp",) and "conservation" in made.verifier_requirements


@pytest.mark.req("P98")
@pytest.mark.parametrize(
    ("foreign", "target", "name"),
    [
        (Barrier("r"), "cpu", "barrier"),
        (Array(Scalar(F32), "x2", (Integer(4),), shared=True), "cpu", "array"),
        (Evaluate(Call("intent::block_fold", ())), "cpu", "intent::block_fold"),
        (Evaluate(Call("use", (THREAD,))), "cpu", "threadIdx"),
        (Evaluate(Call("intent::parallel_fold", ())), "cuda", "intent::parallel_fold"),
        (Scope((), "omp parallel"), "cuda", "scope"),
        (replace(loop(Integer(0), use("i")), pragmas=("omp simd",)), "cuda", "for"),
    ],
)
def test_what_belongs_to_another_target_is_found(foreign: Statement, target: str, name: str) -> None:
    found = [d for d in structure_findings(unit(foreign, target=target)) if d.code == "machine.foreign_dialect"]
    assert [d.message for d in found] == [f"{name} is no part of a program for {target}"]


@pytest.mark.req("P99")
def test_what_waits_is_one_operation_for_each_target() -> None:
    """The block's barrier and the end of a parallel region have one protocol, two opcodes and two dialects."""
    block, region = Barrier("r"), Scope((), "omp parallel")
    assert protocol_of(block) == protocol_of(region) == "barrier"
    assert opcode(block) != opcode(region)
    assert {dialect_of(block), dialect_of(region)} == {"cuda", "cpp"}
    words = [word for opcodes in PROTOCOLS.values() for word in opcodes]
    assert len(set(words)) == len(words)
    assert protocol_of(loop(Integer(0))) == "loop" and protocol_of(LAUNCHER) == "entry" and not protocol_of(use("x"))
