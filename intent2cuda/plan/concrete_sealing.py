"""A concrete plan as the text of its layer, and the way back. Values and operations are those of its kernel: the text
names them, and is read with the kernel at hand.
"""

from __future__ import annotations

from typing import Any

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.envelope import Envelope, opened
from intent2cuda.base.intexpr import Symbol
from intent2cuda.base.records import Records, records_of
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value
from intent2cuda.plan import concrete, schedules, stage
from intent2cuda.plan.building import sealed
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.coordination import COORDINATION, SCHEMA
from intent2cuda.plan.identity import Identities
from intent2cuda.target.evidence import PlanningEvidence

KINDS = (*records_of(concrete), *records_of(stage), *records_of(schedules), *COORDINATION, PlanningEvidence)


class InKernel:
    """Values, operations and scalars of a kernel by their identifiers."""

    def __init__(self, kernel: Kernel, identities: Identities) -> None:
        self._kernel = kernel
        self._identities = identities
        names = identities.names
        self._found: dict[tuple[str, str], Any] = {("Kernel", kernel.name): kernel}
        self._found |= {("Op", name): op for op, name in identities.ops.items()}
        self._found |= {("Value", name): value for value, name in names.by_value.items()}
        self._found |= {("Scalar", name): Symbol(value.name, value.serial) for value, name in names.by_value.items()}

    def name(self, item: Any) -> tuple[str, str] | None:
        match item:
            case Kernel():
                return "Kernel", item.name
            case Op():
                return "Op", self._identities.op(item)
            case Value():
                return "Value", self._identities.names.of(item)
            case Symbol() if item.serial:
                return "Scalar", self._identities.names.symbol(item)
            case _:
                return None

    def find(self, tag: str, name: str) -> Any:
        return self._found[tag, name]


def snapshot(plan: ConcretePlan, identities: Identities) -> Envelope:
    """The plan as a text. `identities` are those of its kernel."""
    origin = plan.origin
    content = Records(KINDS, InKernel(plan.kernel, identities)).plain(plan)
    parents = (("portable", origin.portable), ("target", origin.target), ("deployment", origin.deployment))
    return Envelope(SCHEMA, f"intent2cuda.planner/{origin.planner}", parents, (plan.target,), plan.digest, content)


def loaded(text: str, kernel: Kernel, identities: Identities) -> ConcretePlan:
    """The plan that a text holds, of this kernel.

    Raises: IntentError when it is the text of another layer or of another kernel, no such text, or was changed.
    """
    envelope = opened(text, SCHEMA)
    plan: ConcretePlan = Records(KINDS, InKernel(kernel, identities)).item(envelope.content)
    if not plan.digest == envelope.content_digest == sealed(plan, identities).digest:
        raise IntentError([Diagnostic("concrete.schema.digest", "its digest is that of another plan")])
    return plan
