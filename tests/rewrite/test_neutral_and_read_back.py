"""Operations that change nothing go; a value whose operand was overwritten is read back."""

from __future__ import annotations

import re

import pytest

from intent2cuda.rewrite import neutral, read_back

from .test_passes import after, lines


def test_products_with_one_are_their_operand() -> None:
    body = """
    %0: index = dim M
    %1: f32 = load %x[%0, %column]
    %2: f32 = constant 1.0
    %3: f32 = mul %2, %1
    %4: f32 = mul %3, %2
    %5: f32 = div %4, %2
    %6: f32 = div %2, %5
    %7: index = constant 0
    %8: index = add %0, %7
    store %y[%8, %column], %6
    """
    kept = after(neutral.run, body)
    assert [line for line in kept if "mul" in line or "add" in line] == []
    assert "%3: f32 = div %2, %1" in kept and "store %y[%0, %column], %3" in kept


def test_what_is_not_exact_stays() -> None:
    """A sum of floats with zero makes 0 of -0; a zero before a minus and another number mean something."""
    body = """
    %0: f32 = load %x[%column, %column]
    %1: f32 = constant 0.0
    %2: f32 = add %0, %1
    %3: index = constant 0
    %4: index = sub %3, %column
    %5: f32 = constant -1.0
    %6: f32 = mul %2, %5
    store %y[%4, %column], %6
    """
    assert after(neutral.run, body) == lines(body)


OVERWRITTEN = """
%0: f32[N] = load %y[%column, :]
%1: f32[N] = load %x[%column, :]
%h: f32[N] = add %0, %1
store %y[%column, :], %h
"""


def test_a_stored_value_is_read_back_where_its_operand_is_gone() -> None:
    body = f"{OVERWRITTEN}%2: f32[N] = exp %h\nstore %y[%column, :], %2"
    kept = after(read_back.run, body)
    place = kept.index("store %y[%column, :], %h")
    read = re.fullmatch(r"(%h\S*): f32\[N\] = load %y\[%column, :\]", kept[place + 1])
    assert read is not None and kept[place + 2] == f"%2: f32[N] = exp {read[1]}"


@pytest.mark.parametrize(
    "body",
    [
        OVERWRITTEN,  # nothing reads it later
        OVERWRITTEN.replace("load %y", "load %x")
        + "%2: f32[N] = exp %h\nstore %y[%column, :], %2",  # all is still there
    ],
)
def test_other_values_are_not_read_back(body: str) -> None:
    assert after(read_back.run, body) == lines(body)


def test_what_is_read_back_in_a_branch_is_not_known_behind_it() -> None:
    body = """
    %0: index = constant 0
    %1: bool = lt %column, %0
    %2: f32[N] = load %y[%column, :]
    %h: f32[N] = exp %2
    if %1 then_body {
      store %y[%column, :], %h
      %3: f32[N] = exp %h
      store %y[%0, :], %3
      yield
    } else_body {
      yield
    }
    %4: f32[N] = exp %h
    store %y[%column, :], %4
    """
    kept = after(read_back.run, body)
    assert sum("load %y" in line for line in kept) == 2
    assert "%4: f32[N] = exp %h" in kept
