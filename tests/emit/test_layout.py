"""Groups fit on a line or break; nesting follows columns or the place where the content begins."""

from intent2cuda.emit.layout import Concat, Group, HardLine, Line, Nest, concat, joined, render


def call(*arguments: str) -> Group:
    return Group(Concat(("f(", Nest(joined(Concat((",", Line())), arguments), None), ")")))


def test_group_that_fits_stays_on_one_line() -> None:
    assert render(call("a", "b"), width=10) == "f(a, b)"


def test_group_that_does_not_fit_breaks_at_every_line_and_aligns() -> None:
    assert render(call("aaaa", "bbbb"), width=10) == "f(aaaa,\n  bbbb)"


def test_what_follows_a_group_counts_up_to_the_next_break() -> None:
    assert render(concat(call("a", "b"), ";"), width=7) == "f(a,\n  b);"
    assert render(concat(call("a", "b"), HardLine(), ";;;;;;;;"), width=7) == "f(a, b)\n;;;;;;;;"


def test_nested_group_breaks_only_where_it_must() -> None:
    doc = Group(Concat(("g(", Nest(joined(Concat((",", Line())), ["xxxxxxxxxx", call("a", "b")]), None), ")")))
    assert render(doc, width=16) == "g(xxxxxxxxxx,\n  f(a, b))"


def test_no_blanks_at_line_ends() -> None:
    assert render(concat("a ", HardLine(), "b")) == "a\nb"
