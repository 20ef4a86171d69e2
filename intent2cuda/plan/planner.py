"""The front of planning: every layer of a kernel's plan for one target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from intent2cuda.base.codec import digest
from intent2cuda.base.diagnostics import InternalError
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.printer import canonical_text
from intent2cuda.plan import verify
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.contractions import with_virtual_products
from intent2cuda.plan.gate import bind, policy_of
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.planset import PlanSet, plan_set
from intent2cuda.plan.portable import PortablePlan
from intent2cuda.plan.report import BindingReport
from intent2cuda.plan.staging import Draft, Policy, draft
from intent2cuda.plan.tasks import portable_plan
from intent2cuda.plan.worksets import Worksets, worksets
from intent2cuda.plan.writing_out import in_segments_of, written_out
from intent2cuda.target.profile import Profile, profile

SEGMENT = 64
"""Members of a segment: the products inside fill vector lanes and tiles, and what they leave stays in the nearest cache
or in shared memory."""

CANDIDATES: tuple[tuple[str, str, Policy], ...] = (
    ("fused, kept", "expensive values are stored by the first sweep", Policy(keep=True, side_by_side=True)),
    ("fused, recomputed", "every sweep computes what it reads", Policy(keep=False, side_by_side=True)),
    ("fused, column by column", "each column is reduced by itself", Policy(keep=False, side_by_side=False)),
    ("statement by statement", "each statement is a nest of its own", Policy(keep=True, side_by_side=True, fuse=False)),
)


@dataclass(frozen=True, eq=False)
class Planned:
    """What planning decided. The layers that only reports show are made when they are asked for.

    `drafts` are those of the portable layers, `bound` those that the concrete plan was made from.
    """

    kernel: Kernel
    portable: PortablePlan
    concrete: ConcretePlan
    report: BindingReport
    drafts: Drafts
    bound: Drafts

    @cached_property
    def worksets(self) -> Worksets:
        classes = self.drafts.of(CANDIDATES[0][2]).demand.classes
        return worksets(self.drafts.kernel, classes, self.drafts.identities)

    @cached_property
    def planset(self) -> PlanSet:
        found = [(name, does, self.drafts.of(policy)) for name, does, policy in CANDIDATES]
        return plan_set(found, self.drafts.identities)


class Drafts:
    """The stages of a kernel under each policy, made once."""

    def __init__(self, kernel: Kernel, author: Identities) -> None:
        self.kernel = with_virtual_products(kernel)
        self.identities = Identities(self.kernel, author)
        self._made: dict[Policy, Draft] = {}

    def of(self, policy: Policy) -> Draft:
        if policy not in self._made:
            self._made[policy] = draft(self.kernel, policy)
        return self._made[policy]


def plan(kernel: Kernel, target: str | Profile) -> Planned:
    """The plans of a kernel: the portable layers are the same for every target.

    Raises: IntentError when the target cannot run the kernel.
    """
    found = profile(target) if isinstance(target, str) else target
    author, out = Identities(kernel), written_out(kernel)
    drafts = Drafts(out.kernel, author)
    bound = drafts if out.segment is None else Drafts(in_segments_of(kernel, SEGMENT), author)
    parent = digest("intent.kir/0", canonical_text(kernel))
    portable = portable_plan(drafts.of(CANDIDATES[0][2]), drafts.identities, parent, out)
    concrete, report = _verified(portable, bound, found)
    return Planned(kernel, portable, concrete, report, drafts, bound)


def _verified(portable: PortablePlan, drafts: Drafts, target: Profile) -> tuple[ConcretePlan, BindingReport]:
    """The plan under the policy that the target prefers, or under the first other one that is found correct.

    The report names those that were not.
    """
    wanted = policy_of(target)
    rejected: list[str] = []
    for name, _, policy in sorted(CANDIDATES, key=lambda candidate: candidate[2] != wanted):
        made = drafts.of(policy)
        concrete, report = bind(portable, made, target, drafts.identities)
        wrong = verify.findings(concrete, made)
        if not wrong:
            return concrete, replace(report, notes=(*report.notes, *rejected))
        rejected.append(f"not {name}: {'; '.join(wrong)}")
    raise InternalError(f"every plan of {drafts.kernel.name} is wrong: " + ". ".join(rejected))
