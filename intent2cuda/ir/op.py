"""What all ops have in common: operands, results and regions are found from the types of their fields.

A field that holds a `Value`, a tuple of values, or an index term with values holds operands; the fields named
`result` and `results`
hold what the op defines; a field that holds a `Region` is a region. Everything else is an attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, cached_property
from typing import Any, TypeVar, cast

from intent2cuda.base.span import Span
from intent2cuda.ir.value import Value

RESULT_FIELDS = ("result", "results")
SOURCE_FIELDS = ("span", "statement", "origin", "routine", "reason")


@dataclass(frozen=True, eq=False, kw_only=True)
class Op:
    """`span` is the expression in the author's text, `statement` the whole statement it belongs to.

    `origin`: the author's op that a rewriting copied this one from, or wrote it out for; None where the author's own.
    `routine`: what a reader calls the piece of work that it is a part of, where that has a name. `reason`: what a
    reader is told of an op that no author wrote.
    """

    span: Span | None = None
    statement: Span | None = None
    origin: Op | None = None
    routine: str = ""
    reason: str = ""

    @property
    def author(self) -> Op:
        """The op of the author that this one stands for."""
        return self.origin or self

    @cached_property
    def read_values(self) -> tuple[Value, ...]:
        return tuple(_values(getattr(self, name) for name in own_fields(type(self))))

    @cached_property
    def own_regions(self) -> tuple[Region, ...]:
        return tuple(region for name in own_fields(type(self)) if isinstance(region := getattr(self, name), Region))


@dataclass(frozen=True, eq=False)
class Region:
    """Arguments, then ops in program order; the last op of a region that yields values is a `Yield`."""

    args: tuple[Value, ...]
    ops: tuple[Op, ...]


def results(op: Op) -> tuple[Value, ...]:
    """The values that the op defines, in order."""
    found = getattr(op, "results", None)
    if found is not None:
        return cast(tuple[Value, ...], found)
    single = getattr(op, "result", None)
    return () if single is None else (cast(Value, single),)


@cache
def own_fields(kind: type[Op]) -> tuple[str, ...]:
    """The fields that say what an op does: neither what it defines nor where it comes from."""
    return tuple(f.name for f in fields(kind) if f.name not in (*RESULT_FIELDS, *SOURCE_FIELDS))


def operands(op: Op) -> tuple[Value, ...]:
    """The values that the op itself reads (not those its regions read from outside), in field order."""
    return op.read_values


def regions(op: Op) -> tuple[Region, ...]:
    """The regions of the op, in field order."""
    return op.own_regions


def _values(items: Any) -> Iterator[Value]:
    for item in items:
        if isinstance(item, Value):
            yield item
        elif isinstance(item, tuple):
            yield from _values(cast(tuple[object, ...], item))
        elif is_dataclass(item) and not isinstance(item, Region | Span | type):
            yield from _values(getattr(item, f.name) for f in fields(item))


T = TypeVar("T", bound=Op)


def map_operands(op: T, change: Callable[[Value], Value]) -> T:
    """The op with its operands replaced; results and regions stay."""
    return replace(op, **{name: _replace(getattr(op, name), change) for name in own_fields(type(op))})


def _replace(item: Any, change: Callable[[Value], Value]) -> Any:
    if isinstance(item, Value):
        return change(item)
    if isinstance(item, tuple):
        return tuple(_replace(part, change) for part in cast(tuple[object, ...], item))
    if is_dataclass(item) and not isinstance(item, Region | Span | type) and any(_values([item])):
        return replace(item, **{f.name: _replace(getattr(item, f.name), change) for f in fields(item)})
    return item
