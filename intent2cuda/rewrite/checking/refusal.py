"""What a checked build cannot look at: it is refused by name."""

from __future__ import annotations

from typing import NoReturn

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.ir.op import Op

INSTEAD = "run it with the target reference, which checks every rule, or build it unchecked"


def refuse(op: Op, what: str) -> NoReturn:
    """Raises IntentError for an op that does what has no inspection."""
    message = f"a checked build cannot check {what}"
    raise IntentError([Diagnostic("check.unsupported", message, op.span or op.statement, INSTEAD)])
