"""Layer 4: from Kernel IR to a plan that decides everything the emitted program does."""

from intent2cuda.plan.coverage import refuse_uncovered
from intent2cuda.plan.explaining import explain
from intent2cuda.plan.planner import Planned, plan
from intent2cuda.plan.verify import sealed_report
from intent2cuda.plan.views import concrete_text, portable_text, worksets_text

__all__ = [
    "Planned",
    "concrete_text",
    "explain",
    "plan",
    "portable_text",
    "refuse_uncovered",
    "sealed_report",
    "worksets_text",
]
