"""Groups fit on a line or break; nesting follows columns or the place where the content begins."""

from intent2cuda.emit.layout import (
    Choice,
    Concat,
    Cut,
    Fill,
    Group,
    HardLine,
    Line,
    Nest,
    Value,
    concat,
    joined,
    render,
)


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


def test_fill_packs_lines_under_its_first_part() -> None:
    doc = concat("f(", Fill(("aaaa,", "bbbb,", "cccc"), hangs=True), ")")
    assert render(doc, width=12) == "f(aaaa,\n  bbbb,\n  cccc)"
    assert render(doc, width=14) == "f(aaaa, bbbb,\n  cccc)"


def test_fill_hangs_where_a_part_has_no_room_beside_the_first_line() -> None:
    doc = concat("function(", Fill(("a,", "bbbbbbbbbbbb"), hangs=True), ");")
    assert render(doc, width=21) == "function(\n    a, bbbbbbbbbbbb);"


def test_value_moves_to_the_next_line_only_if_that_keeps_it_whole() -> None:
    assert render(concat("name =", Value("aaaaaaaa"), ";"), width=14) == "name =\n    aaaaaaaa;"
    long = Group(Fill(("aaaaaaaa +", "bbbbbbbb")))
    assert render(concat("x =", Value(long), ";"), width=16) == "x = aaaaaaaa +\n    bbbbbbbb;"


def test_choice_looks_at_its_head_only() -> None:
    choice = Choice("f(a) {", Concat(("f(a) {", HardLine(), "}")), "loose")
    assert render(choice, width=6) == "f(a) {\n}"
    assert render(choice, width=5) == "loose"


def test_a_cut_leaves_what_must_stay() -> None:
    """A comment in a deep nest is shortened, down to what begins it and the code before it."""
    barrier = "__syncthreads();  //"
    for columns in range(0, 130):
        text = render(Nest(concat(HardLine(), Cut(barrier + " sum is read", kept=len(barrier))), columns))
        assert text.strip().startswith(barrier)
        assert text.strip() == barrier + " sum is read" or text.endswith("...")
