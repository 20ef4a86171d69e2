"""One canonical text for each record, read back as the same record, and nothing else read."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from enum import Enum

import pytest

from intent2cuda.base.intexpr import IntExpr, Operation, Symbol, ceiling
from intent2cuda.base.records import RecordError, Records


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: int
    of: Colour
    parts: tuple[Point, ...] = ()
    note: str | None = None
    extent: IntExpr | None = None


RECORDS = Records((Colour, IntExpr, Operation, Point, Symbol))
N = IntExpr.symbol("N")


@pytest.mark.req("S1")
@pytest.mark.parametrize(
    "item",
    [
        Point(1, Colour.RED),
        Point(-3, Colour.RED, (Point(0, Colour.RED, (), "a\u00e9"),), extent=ceiling(N * N + 1, 4)),
        (True, None, "text", (Colour.RED, 7)),
    ],
)
def test_a_record_is_read_back_as_it_was(item: object) -> None:
    text = RECORDS.text(item)
    assert RECORDS.read(text) == item
    assert RECORDS.text(RECORDS.read(text)) == text


@pytest.mark.req("S1")
def test_keys_are_sorted_and_the_tag_stands_outside() -> None:
    assert RECORDS.text(Point(1, Colour.RED)) == (
        '{"Point":{"extent":null,"note":null,"of":{"Colour":"red"},"parts":[],"x":1}}'
    )


@pytest.mark.req("S1")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"Point":{"x":1,"x":2,"of":{"Colour":"red"}}}', "a key is there twice"),
        ('{"Circle":{"x":1}}', "Circle is no record here"),
        ('{"Point":{"x":NaN,"of":{"Colour":"red"}}}', "NaN is no integer"),
        ('{"Point":{"x":Infinity,"of":{"Colour":"red"}}}', "Infinity is no integer"),
        ('{"Point":{"x":1.5,"of":{"Colour":"red"}}}', "1.5 is no integer"),
        ('{"Point":{"y":1,"of":{"Colour":"red"}}}', "this is no Point"),
        ('{"Point":{"x":1,"of":{"Colour":"blue"}}}', "this is no Colour"),
        ('{"Point":{},"Colour":"red"}', "a record has one tag, not 2"),
        ('{"__import__":"os"}', "__import__ is no record here"),
        ("{", "this is no JSON"),
    ],
)
def test_other_texts_are_refused(text: str, why: str) -> None:
    with pytest.raises(RecordError, match=why):
        RECORDS.read(text)


@pytest.mark.req("S1")
@pytest.mark.parametrize("item", [1.5, {"a": 1}, [1], Point(1.0, Colour.RED), object()])
def test_items_without_a_text_are_refused(item: object) -> None:
    with pytest.raises(RecordError):
        RECORDS.text(item)


@pytest.mark.req("S3")
def test_what_was_read_cannot_be_changed() -> None:
    found = RECORDS.read('{"Point":{"x":1,"of":{"Colour":"red"},"parts":[]}}')
    with pytest.raises(FrozenInstanceError):
        found.x = 2
    assert isinstance(found.parts, tuple) and hash(found) == hash(Point(1, Colour.RED))
