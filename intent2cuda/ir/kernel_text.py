"""A kernel as the sealed text of its layer, and the way back."""

from __future__ import annotations

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.envelope import Envelope, opened
from intent2cuda.ir.digest import kernel_digest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.printer import text as text_of
from intent2cuda.ir.reader import NotationError, read
from intent2cuda.ir.verify import verify

SCHEMA = "intent.kir"
PRODUCER = "intent2cuda.frontend/1"


def snapshot(kernel: Kernel) -> Envelope:
    """The kernel as a text."""
    return Envelope(SCHEMA, PRODUCER, (), (), kernel_digest(kernel), text_of(kernel))


def loaded(text: str) -> Kernel:
    """The kernel that a text holds.

    Raises: IntentError when it is the text of another layer, no such text, or was changed.
    """
    envelope = opened(text, SCHEMA)
    try:
        kernel = verify(read(str(envelope.content)))
    except NotationError as error:
        raise IntentError([Diagnostic("kir.schema.text", f"this is no kernel: {error}")]) from error
    if envelope.content_digest != kernel_digest(kernel):
        raise IntentError([Diagnostic("kir.schema.digest", "its digest is that of another kernel")])
    return kernel
