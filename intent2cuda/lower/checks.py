"""Conditions on extents that are known only inside the kernel."""

from __future__ import annotations

from intent2cuda.lower import ask
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Call, Text
from intent2cuda.machine.statements import Evaluate
from intent2cuda.plan.stage import Check


def check(writer: Writer, stage: Check) -> None:
    """Writes the test where it stands; a failure leaves the kernel with a ShapeError on cpu and traps on cuda."""
    lhs, rhs = (ask.integer(writer, e) for e in (stage.op.lhs, stage.op.rhs))
    function = "intent::device_require" if writer.cuda else "intent::require_shape"
    writer.blocks.append(Evaluate(Call(function, (Binary("==", lhs, rhs), Text(stage.op.text)))))
