"""Names: the author's own where C++ takes them, and never two for one."""

from __future__ import annotations

import re

import pytest

from intent2cuda.machine.names import RESERVED, derived, first_free, identifier


@pytest.mark.parametrize(
    ("author", "emitted"),
    [
        ("total", "total"),
        ("row_sum", "row_sum"),
        ("M", "M"),
        ("half", "half_"),
        ("signed", "signed_"),
        ("warpSize", "warpSize_"),
        ("INFINITY", "INFINITY_"),
        ("intent", "intent_"),
        ("größe", "grosse"),
        ("α", "alpha"),
        ("Ω", "Omega"),
        ("变", "u53d8"),
        ("a__b", "a_b"),
        ("_T", "T_"),
        ("_x", "x_"),
        ("_", "turn"),
    ],
)
def test_identifier(author: str, emitted: str) -> None:
    assert identifier(author) == emitted


def test_every_reserved_word_is_changed_into_a_plain_identifier() -> None:
    changed = {word: identifier(word) for word in sorted(RESERVED)}
    assert [word for word, name in changed.items() if name in RESERVED] == []
    assert [name for name in changed.values() if not re.fullmatch(r"[A-Za-z]\w*", name) or "__" in name] == []


def test_a_role_does_not_double_the_underscore() -> None:
    assert derived("half_", "row") == "half_row"


def test_numbers_are_the_last_resort() -> None:
    taken = {"scale", "scale_out"}
    assert first_free(("scale", "scale_in"), taken.__contains__) == "scale_in"
    assert first_free(("scale", "scale_out"), taken.__contains__) == "scale_out_2"
