"""The typed errors of calls. Each names the parameter and was raised before the kernel touched anything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, ClassVar

from intent2cuda.base.diagnostics import Diagnostic, IntentError

if TYPE_CHECKING:
    from intent2cuda._bridge import ErrorKind


class CallError(IntentError):
    """A call that was refused or failed. Its text is the message, and what to do: there is no source line to show."""

    diagnostic_code: ClassVar[str] = "call.internal"
    advice: ClassVar[str] = ""

    def __init__(self, message: str) -> None:
        super().__init__([Diagnostic(self.diagnostic_code, message, help=self.advice)])

    def __str__(self) -> str:
        return "\n".join(f"{d.message}\nhelp: {d.help}" if d.help else d.message for d in self.diagnostics)


class ArgumentError(CallError, TypeError):
    """The number of arguments, their order or what they are: no array at all, a read-only output."""

    diagnostic_code = "call.argument"


class DTypeError(CallError, TypeError):
    """An array of another element type, or a scalar that its type cannot hold."""

    diagnostic_code = "call.dtype"


class ShapeError(CallError, ValueError):
    """A rank or an extent."""

    diagnostic_code = "call.shape"


class StrideError(CallError, ValueError):
    """A stride, or an address that is no multiple of the element's size."""

    diagnostic_code = "call.stride"


class AliasError(CallError, ValueError):
    """Arrays that share memory although they may not, or do not although they must."""

    diagnostic_code = "call.alias"
    advice = (
        "pass a copy of one of them: the signature declares them apart (noalias), or the compiled order of reads and "
        "writes is right only for arrays that are; the reference target keeps the order of the program"
    )


class CapacityError(CallError, RuntimeError):
    """A size beyond what the kernel or the machine can hold."""

    diagnostic_code = "call.capacity"


class DeviceError(CallError, RuntimeError):
    """An array on the wrong side, no device, or a fault that the device reported."""

    diagnostic_code = "call.device"


class ExecutionError(CallError, RuntimeError):
    """A failure inside the native code that is no fault of the caller, for example no memory."""

    diagnostic_code = "call.internal"


class CheckError(CallError, RuntimeError):
    """What a checked build found while the kernel ran: the author's line, and the element. Arrays are left as they were
    when it ended."""


class BoundsError(CheckError, IndexError):
    """A coordinate outside its axis."""

    diagnostic_code = "run.bounds"


class RegionError(BoundsError):
    """A part of a domain that does not lie inside it."""

    diagnostic_code = "run.region"


class PromiseError(CheckError):
    """A promise of the author's that does not hold."""

    diagnostic_code = "run.promise"


class DuplicateError(CheckError):
    """An element that one statement writes twice."""

    diagnostic_code = "run.duplicate"


class RaceError(CheckError):
    """An element that several points of a parallel loop touch, one of which writes it."""

    diagnostic_code = "run.race"


class UninitialisedError(CheckError):
    """An element that is read before it is written."""

    diagnostic_code = "run.uninitialised"


class SimulationError(CallError, RuntimeError):
    """What the checker of the `cuda-sim` target found: races, accesses out of bounds, divergent barriers."""

    diagnostic_code = "call.simulation"

    def __init__(self, kernel: str, reports: Sequence[str]) -> None:
        IntentError.__init__(self, [Diagnostic(self.diagnostic_code, f"{kernel}: {report}") for report in reports])


_BY_KIND: dict[ErrorKind, type[CallError]] = {
    "argument": ArgumentError,
    "dtype": DTypeError,
    "shape": ShapeError,
    "stride": StrideError,
    "alias": AliasError,
    "capacity": CapacityError,
    "device": DeviceError,
    "internal": ExecutionError,
    "bounds": BoundsError,
    "region": RegionError,
    "promise": PromiseError,
    "duplicate": DuplicateError,
    "race": RaceError,
    "uninitialised": UninitialisedError,
}


def call_error(kind: ErrorKind, message: str) -> CallError:
    """The error of a kind that the bridge reports."""
    return _BY_KIND[kind](message)


def check_error(kernel: str, error: IntentError) -> CheckError | None:
    """What a checked run of the interpreter found, as the error of a compiled kernel that finds it."""
    kinds = (BoundsError, RegionError, PromiseError, DuplicateError, RaceError, UninitialisedError)
    kind = next((kind for kind in kinds if kind.diagnostic_code == error.code), None)
    first = error.diagnostics[0]
    place = f"{PurePosixPath(first.span.file.name).name}:{first.span.line}: " if first.span else ""
    return kind(f"{kernel}: {place}{first.message}") if kind else None
