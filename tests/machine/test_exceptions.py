"""Parallel regions that no exception leaves, shown as text."""

from __future__ import annotations

from intent2cuda.emit.printer import text
from intent2cuda.machine.exceptions import contained
from intent2cuda.machine.expressions import Call, Expression, Integer, Name
from intent2cuda.machine.statements import Declare, Evaluate, For, Scope, Source, SourceLine, Statement
from intent2cuda.machine.types import IndexT, Named, Pointer, Scalar
from intent2cuda.machine.unit import Function, FunctionKind
from intent2cuda.types.dtype import F32

QUOTE = Source((SourceLine("k.py", 3, "for m in rows:"),))


def loop(variable: str, body: tuple[Statement, ...], *pragmas: str) -> For:
    return For(IndexT(), variable, Integer(0), Name("M"), Integer(1), body, pragmas)


def row(name: str, size: Expression) -> Declare:
    scratch = Call("intent::thread_scratch", (size,), (Scalar(F32), "Row"))
    return Declare(Pointer(Scalar(F32), False), name, scratch)


def function(name: str, *body: Statement) -> Function:
    return Function(FunctionKind.ROUTINE, Named("void"), name, (), body)


def after(*functions: Function) -> list[str]:
    return text(contained(functions)[-1].body, 0).splitlines()


def call(name: str, *args: str) -> Statement:
    return Evaluate(Call(name, tuple(map(Name, args))))


def test_memory_that_each_thread_keeps_is_taken_before_the_region() -> None:
    region = Scope((row("y_row", Name("N")), loop("m", (call("use", "y_row"),), "omp for")), "omp parallel")
    assert after(function("k", QUOTE, region)) == [
        "const auto y_row_scratch = intent::team_scratch<float, Row>(N);",
        "",
        "// k.py:3  for m in rows:",
        "#pragma omp parallel",
        "{",
        "    float* const y_row = y_row_scratch.own();",
        "",
        "    #pragma omp for",
        "    for (index_t m = 0; m < M; ++m) {",
        "        use(y_row);",
        "    }",
        "}",
    ]


def test_what_takes_memory_in_a_shared_loop_is_caught_in_its_innermost_round() -> None:
    part = function("part", Declare(IndexT(), "caught", Integer(1)), call("intent::matmul", "caught"))
    inner = loop("n", (call("part"),))
    found = after(part, function("k", loop("m", (inner,), "omp parallel for collapse(2)")))
    assert found == [
        "intent::Caught caught;  // no exception may leave the region",
        "",
        "#pragma omp parallel for collapse(2)",
        "for (index_t m = 0; m < M; ++m) {",
        "    for (index_t n = 0; n < M; ++n) {",
        "        try {",
        "            part();",
        "        } catch (...) {",
        "            caught.keep();",
        "        }",
        "    }",
        "}",
        "caught.rethrow();",
    ]


def test_a_name_of_the_author_stays_his() -> None:
    body = (Declare(IndexT(), "caught", Integer(1)), call("intent::matmul", "caught"))
    found = after(function("k", loop("m", body, "omp parallel for")))
    assert found[0].startswith("intent::Caught caught_2;") and found[-1] == "caught_2.rethrow();"


def test_what_takes_no_memory_or_is_in_no_region_stays_as_it_is() -> None:
    body = (
        row("y_row", Name("N")),
        loop("m", (call("intent::matmul", "y_row"),)),
        loop("n", (call("f"),), "omp parallel for"),
    )
    assert contained((function("k", *body),))[0].body == body
