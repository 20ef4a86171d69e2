"""Plans as people ask for them, by layer."""

from __future__ import annotations

from intent2cuda.ir.printer import author_names
from intent2cuda.plan.planner import Planned
from intent2cuda.plan.text import stage_text


def concrete_text(planned: Planned) -> str:
    """The concrete plan: stages, storage, checks."""
    plan = planned.concrete
    return stage_text(plan.stages, author_names(plan.kernel))


def portable_text(planned: Planned) -> str:
    return concrete_text(planned)


def worksets_text(planned: Planned) -> str:
    return concrete_text(planned)


def explain(planned: Planned) -> str:
    return concrete_text(planned)
