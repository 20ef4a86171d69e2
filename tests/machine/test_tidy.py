"""Clean-ups, shown as text before and after."""

from __future__ import annotations

from intent2cuda.emit.printer import text
from intent2cuda.machine.expressions import Binary, Call, Integer, Lambda, Member, Name, Unary
from intent2cuda.machine.statements import (
    Assign,
    Break,
    Declare,
    Evaluate,
    For,
    If,
    Return,
    Scope,
    Source,
    SourceLine,
    Statement,
)
from intent2cuda.machine.tidy import tidy
from intent2cuda.machine.types import IndexT, Named, Scalar
from intent2cuda.types.dtype import F32

FLOAT = Scalar(F32)
VERSIONS = {"total_next": "total", "low_merged": "low", "h_next": "h", "condition": ""}


def plus(name: str, other: str) -> Binary:
    return Binary("+", Name(name), Name(other))


def use(name: str) -> Statement:
    return Evaluate(Call("use", (Name(name),)))


def after(*body: Statement) -> list[str]:
    return text(tidy(body, VERSIONS), 0).splitlines()


def test_variables_that_nothing_reads_go() -> None:
    left = after(
        Declare(FLOAT, "a", Name("x")),
        Declare(FLOAT, "b", Name("a")),
        Declare(FLOAT, "flag", None, const=False),
        Assign(Name("flag"), Name("x")),
        use("x"),
    )
    assert left == ["use(x);"]


def test_what_an_unread_value_does_stays() -> None:
    """Nothing reads what an acquiring load or an addition gives, and memory is ordered or changed all the same."""
    told = Lambda((), (Return(Call("intent::atomic_add", (Name("x"), Name("y")))),))
    left = after(
        Declare(FLOAT, "a", Call("intent::atomic_load", (Name("x"),))),
        Declare(FLOAT, "b", Call("intent::block_once", (told,))),
        Declare(FLOAT, "c", Call("intent::exp", (Name("x"),))),
    )
    assert left == ["intent::atomic_load(x);", "intent::block_once([=]() { return intent::atomic_add(x, y); });"]


def test_a_carried_variable_is_updated_in_place() -> None:
    body = (
        Declare(FLOAT, "total_next", plus("total", "x")),
        Assign(Name("y"), Name("total_next")),
        Assign(Name("total"), Name("total_next")),
    )
    assert after(Declare(FLOAT, "total", Name("zero"), const=False), *body, use("total")) == [
        "float total = zero;",
        "total += x;",
        "y = total;",
        "use(total);",
    ]


def test_the_old_value_stays_where_it_is_needed_beside_the_new_one() -> None:
    body = (
        Declare(FLOAT, "total_next", plus("total", "x")),
        Assign(Name("y"), Name("total")),
        Assign(Name("total"), Name("total_next")),
        use("total"),
    )
    assert after(*body) == ["const float total_next = total + x;", "y = total;", "total = total_next;", "use(total);"]


def test_a_merged_variable_is_the_carried_one() -> None:
    condition = If(
        Name("c"), (Assign(Name("low_merged"), plus("low", "x")),), (Assign(Name("low_merged"), Name("low")),)
    )
    body = (
        Declare(FLOAT, "low_merged", None, const=False),
        condition,
        Assign(Name("low"), Name("low_merged")),
        use("low"),
    )
    assert after(*body) == ["if (c) {", "    low += x;", "}", "use(low);"]


def test_a_side_that_only_keeps_the_value_turns_the_condition_round() -> None:
    condition = If(Name("c"), (Assign(Name("low_merged"), Name("low")),), (Assign(Name("low_merged"), Name("x")),))
    body = (
        Declare(FLOAT, "low_merged", None, const=False),
        condition,
        Assign(Name("low"), Name("low_merged")),
        use("low"),
    )
    assert after(*body) == ["if (!c) {", "    low = x;", "}", "use(low);"]


def test_versions_of_a_variable_are_one_that_is_assigned() -> None:
    body = (Declare(FLOAT, "h", Name("x")), Declare(FLOAT, "h_next", plus("h", "b")), use("h_next"))
    assert after(*body) == ["float h = x;", "h += b;", "use(h);"]


def test_pragmas_speak_of_the_variable_that_versions_became() -> None:
    def loop(name: str) -> Statement:
        pragma = (f"omp parallel for if ({name} >= intent::kParallelWork)",)
        return For(IndexT(), "i", Integer(0), Name("n"), Integer(1), (use("i"),), pragma)

    def region(name: str) -> Statement:
        return Scope((use("x"),), f"omp parallel if ({name} > 1)")

    merged = after(Declare(FLOAT, "h", Name("x")), loop("h"), Declare(FLOAT, "h_next", Name("y")), loop("h_next"))
    assert [line for line in merged if "pragma" in line] == 2 * [
        "#pragma omp parallel for if (h >= intent::kParallelWork)"
    ]
    merged = after(Declare(FLOAT, "h", Name("x")), region("h"), Declare(FLOAT, "h_next", Name("y")), region("h_next"))
    assert [line for line in merged if "pragma" in line] == 2 * ["#pragma omp parallel if (h > 1)"]


def test_versions_that_are_both_needed_stay_two() -> None:
    body = (Declare(FLOAT, "h", Name("x")), Declare(FLOAT, "h_next", plus("h", "b")), use("h_next"), use("h"))
    assert after(*body) == ["const float h = x;", "const float h_next = h + b;", "use(h_next);", "use(h);"]


def test_versions_whose_types_follow_from_their_values_stay_two() -> None:
    auto = Named("auto")
    body = (Declare(auto, "h", Name("x")), use("h"), Declare(auto, "h_next", Name("y")), use("h_next"))
    assert after(*body) == ["const auto h = x;", "use(h);", "const auto h_next = y;", "use(h_next);"]


def test_parameters_that_a_lambda_does_not_use_have_no_name() -> None:
    body = Lambda(((IndexT(), "m"), (IndexT(), "n")), (Return(Name("n")),))
    assert "[=](index_t, index_t n)" in " ".join(after(Evaluate(Call("each", (body,)))))


def test_bodies_of_loops_are_tidied() -> None:
    loop = For(IndexT(), "i", Integer(0), Name("N"), Integer(1), (Declare(FLOAT, "unused", Name("x")), use("i")))
    assert after(loop) == ["for (index_t i = 0; i < N; ++i) {", "    use(i);", "}"]


def test_neighbours_of_one_thread_are_one_condition() -> None:
    first = Binary("==", Member(Name("threadIdx"), "x"), Integer(0))
    quote = Source((SourceLine("k.py", 2, "b = 2"),))
    assert after(If(first, (use("a"),)), quote, If(first, (use("b"),))) == [
        "if (threadIdx.x == 0) {",
        "    use(a);",
        "",
        "    // k.py:2  b = 2",
        "    use(b);",
        "}",
    ]
    own = Binary("<", Name("a"), Name("b"))
    assert len(after(If(own, (Assign(Name("a"), Name("c")),)), If(own, (use("b"),)))) == 6


def test_a_loop_is_left_before_what_would_not_be_done_anyway() -> None:
    body = (If(Unary("!", Name("c")), (use("x"),)), If(Name("c"), (Break(),)))
    assert after(*body) == ["if (c) {", "    break;", "}", "use(x);"]


def test_an_added_condition_that_is_asked_for_once_stands_where_it_is_asked_for() -> None:
    body = (Declare(Named("bool"), "condition", Binary("<", Name("a"), Name("b"))), If(Name("condition"), (use("x"),)))
    assert after(*body) == ["if (a < b) {", "    use(x);", "}"]
    named = (Declare(Named("bool"), "small", Binary("<", Name("a"), Name("b"))), If(Name("small"), (use("x"),)))
    assert after(*named)[0] == "const bool small = a < b;"
