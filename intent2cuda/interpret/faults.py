"""Errors that only a run can find, at the author's line."""

from __future__ import annotations

from typing import NoReturn

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.span import Span
from intent2cuda.ir.op import Op

DTYPE = "call.dtype"
SHAPE = "call.shape"
BOUNDS = "run.bounds"
REGION = "run.region"
UNINITIALISED = "run.uninitialised"
DUPLICATE = "run.duplicate"
RACE = "run.race"
DIVISION = "run.division"
PROMISE = "run.promise"
PLACES = "run.places"
WAITING = "run.waiting"

HELP = {
    DTYPE: "pass an array of the dtype in the kernel's signature",
    SHAPE: "pass arrays whose extents agree as the kernel's operations need",
    BOUNDS: "keep coordinates inside the view, or give the access a `valid` mask",
    REGION: "clip the bounds to the source domain before taking the part",
    UNINITIALISED: "write the element before it is read, or give the buffer an `init`",
    DUPLICATE: "make the destinations distinct, or combine with I.scatter_reduce",
    RACE: "let each element be written by one point, or combine with I.scatter_reduce",
    DIVISION: "guard the divisor",
    PROMISE: "keep what I.assume_in_bounds promises, or take the promise away",
    PLACES: "the places of the values of a group lie inside the group and rise",
    WAITING: "let an earlier kernel produce what the loop waits for, or let the loop change what it tests",
}


def fault(code: str, message: str, place: Op | Span | None) -> NoReturn:
    """Raises the IntentError of one finding."""
    span = place.span if isinstance(place, Op) else place
    raise IntentError([Diagnostic(code, message, span, HELP[code])])
