"""A selection between what a reduction gives of nothing and the same value is no selection."""

from __future__ import annotations

import pytest

from intent2cuda.rewrite import guards

from .test_passes import after, lines

GUARDED = """
    %0: index = dim {extent}
    %1: index = constant 0
    %2: bool = gt %0, %1
    %3: {dtype} = constant {identity}
    %4: {dtype}[N] = load %{view}[%column, :]
    %5: {dtype} = reduce.{combiner} %4 axes=(0)
    %6: {dtype} = select %2, %5, %3
    store %{view}[%column, %column], %6
    """


def guarded(combiner: str, identity: str, extent: str = "N") -> str:
    return GUARDED.format(combiner=combiner, identity=identity, extent=extent, dtype="f32", view="y")


@pytest.mark.parametrize(("combiner", "identity"), [("add", "0.0"), ("maximum", "-inf"), ("minimum", "inf")])
def test_the_neutral_element_of_no_members_needs_no_guard(combiner: str, identity: str) -> None:
    kept = after(guards.run, guarded(combiner, identity))
    assert [line for line in kept if "select" in line] == [] and "store %y[%column, %column], %5" in kept


@pytest.mark.parametrize(
    ("combiner", "identity", "extent"),
    [("add", "-0.0", "N"), ("add", "1.0", "N"), ("maximum", "0.0", "N"), ("minimum", "-inf", "N"), ("add", "0.0", "M")],
)
def test_another_value_or_another_axis_is_guarded(combiner: str, identity: str, extent: str) -> None:
    body = guarded(combiner, identity, extent)
    assert after(guards.run, body) == lines(body)


def test_a_selection_between_one_value_is_that_value() -> None:
    body = """
    %0: f32 = load %x[%column, %column]
    %1: f32 = constant 0.0
    %2: bool = gt %0, %1
    %3: f32 = select %2, %0, %0
    store %y[%column, %column], %3
    """
    kept = after(guards.run, body)
    assert [line for line in kept if "select" in line] == [] and "store %y[%column, %column], %0" in kept


def test_the_name_of_what_is_dropped_stays() -> None:
    body = guarded("add", "0.0").replace("%6", "%total")
    assert "%total: f32 = reduce.add %4 axes=(0)" in after(guards.run, body)
