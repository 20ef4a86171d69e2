"""Takes out of loops and branches what nothing reads: carries and merged values, with what only they need.

Before:                                                     After:
    %r: f32, %s: f32 = for %d initial=(%a, %b)                  %r: f32 = for %d initial=(%a)
        body(%i: index, %x: f32, %y: f32) {                         body(%i: index, %x: f32) {
      %0: f32 = add %x, %a                                        %0: f32 = add %x, %a
      %1: f32 = mul %y, %x                                        yield %0
      yield %0, %1                                              }
    }                                                           store %o[%i], %r
    store %o[%i], %r
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import For, If, While, Yield

T = TypeVar("T")


class Walk(Protocol):
    def __call__(self, region: Region, used: set[int]) -> Region:
        """The region without what nobody reads; `used` takes the serials of what is needed before it."""
        ...


def without_unread(op: For | While | If, used: set[int], walk: Walk) -> For | While | If:
    """The op with those columns alone that are in use behind it or that another such column needs."""
    read = {column for column, result in enumerate(op.results) if result.serial in used}
    while True:
        trial = set(used)
        made = _with_columns(op, read, partial(walk, used=trial))
        needed = read | {column for column in range(len(op.results)) if _arguments(op, column) & trial}
        if needed == read:
            used |= trial
            return made
        read = needed


def _with_columns(op: For | While | If, read: set[int], clean: Callable[[Region], Region]) -> For | While | If:
    results = _some(op.results, read)
    match op:
        case For():
            body = clean(_region(op.body, read, skipped=1))
            return replace(op, initial=_some(op.initial, read), body=body, results=results)
        case While():
            body = clean(_region(op.body, read, skipped=0))
            test = clean(Region(_some(op.test.args, read), op.test.ops))
            return replace(op, initial=_some(op.initial, read), test=test, body=body, results=results)
        case If():
            then_body, else_body = (clean(_region(b, read, skipped=0)) for b in (op.then_body, op.else_body))
            return replace(op, then_body=then_body, else_body=else_body, results=results)


def _region(region: Region, read: set[int], skipped: int) -> Region:
    """The region with these columns among its arguments, if it has any, and among what it yields."""
    *ops, end = region.ops
    assert isinstance(end, Yield)
    args = (*region.args[:skipped], *_some(region.args[skipped:], read))
    return Region(args, (*ops, replace(end, values=_some(end.values, read))))


def _some(items: Sequence[T], read: set[int]) -> tuple[T, ...]:
    return tuple(item for column, item in enumerate(items) if column in read)


def _arguments(op: For | While | If, column: int) -> set[int]:
    """The serials under which the regions of a loop read one of its carries."""
    match op:
        case For():
            return {op.body.args[1 + column].serial}
        case While():
            return {op.body.args[column].serial, op.test.args[column].serial}
        case If():
            return set()
