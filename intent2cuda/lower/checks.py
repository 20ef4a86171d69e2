"""Conditions on extents that are known only inside the kernel."""

from __future__ import annotations

from intent2cuda.ir.conditions import placed
from intent2cuda.lower import ask
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Text
from intent2cuda.machine.statements import Evaluate
from intent2cuda.plan.concrete import HostCheck
from intent2cuda.plan.stage import Check


def check(writer: Writer, stage: Check) -> None:
    """Writes the test where it stands, unless the launcher has made it.

    A failure leaves the kernel with a ShapeError on cpu and ends it with an error of the device on cuda.
    """
    made = (c for c in writer.plan.checks if isinstance(c, HostCheck) and c.relation == "==")
    if any({c.lhs, c.rhs} == {stage.op.lhs, stage.op.rhs} for c in made):
        return
    lhs, rhs = (ask.integer(writer, e) for e in (stage.op.lhs, stage.op.rhs))
    function = "intent::device_require_equal" if writer.cuda else "intent::require_equal"
    text = f"{writer.plan.kernel.name}: {placed(stage.op.text, stage.op)}"
    writer.blocks.append(Evaluate(Call(function, (lhs, rhs, Text(text)))))
