"""A machine program as the text of its layer, and the way back."""

from __future__ import annotations

from typing import Any

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.envelope import Envelope, opened
from intent2cuda.base.records import Records, records_of
from intent2cuda.machine import expressions, origin, statements, types, unit
from intent2cuda.machine.digest import machine_digest
from intent2cuda.machine.unit import KernelUnit
from intent2cuda.types.dtype import DType, Kind

SCHEMA = "intent.machine"
PRODUCER = "intent2cuda.lowering/1"
KINDS = tuple(kind for module in (expressions, origin, statements, types, unit) for kind in records_of(module))


class Fractions:
    """Numbers with a fraction by their bits: `0x1.8p+1`."""

    def name(self, item: Any) -> tuple[str, str] | None:
        return ("Number", item.hex()) if isinstance(item, float) else None

    def find(self, tag: str, name: str) -> Any:
        if tag != "Number":
            raise KeyError(tag)
        return float.fromhex(name)


RECORDS = Records((*KINDS, DType, Kind), Fractions())


def snapshot(program: KernelUnit) -> Envelope:
    """The program as a text."""
    return Envelope(
        SCHEMA, PRODUCER, program.digests, (program.target,), machine_digest(program), RECORDS.plain(program)
    )


def loaded(text: str) -> KernelUnit:
    """The program that a text holds.

    Raises: IntentError when it is the text of another layer, no such text, or was changed.
    """
    envelope = opened(text, SCHEMA)
    program: KernelUnit = RECORDS.item(envelope.content)
    if envelope.content_digest != machine_digest(program):
        raise IntentError([Diagnostic("machine.schema.digest", "its digest is that of another program")])
    return program
