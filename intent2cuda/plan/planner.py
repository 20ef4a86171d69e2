"""The front of planning: every layer of a kernel's plan for one target."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.codec import digest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.printer import canonical_text
from intent2cuda.plan.assembling import author_of, portable_plan
from intent2cuda.plan.choosing import ImplementationPolicy
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.gate import Candidate, bind, sizes
from intent2cuda.plan.planset import PlanSet, plan_set
from intent2cuda.plan.policies import planning_evidence
from intent2cuda.plan.portable import PortablePlan
from intent2cuda.plan.report import BindingReport
from intent2cuda.plan.structures import Drafts, Structures
from intent2cuda.plan.tasks import Author
from intent2cuda.plan.worksets import Worksets
from intent2cuda.target.deployment import Deployment, generic
from intent2cuda.target.profile import Profile, kind_of, profile


@dataclass(frozen=True, eq=False)
class Planned:
    """What planning decided. The layers that only reports show are made when they are asked for.

    `drafts` are those of the portable layers, `bound` those that the concrete plan was made from.
    """

    kernel: Kernel
    planset: PlanSet
    portable: PortablePlan
    concrete: ConcretePlan
    report: BindingReport
    drafts: Drafts
    bound: Drafts
    author: Author

    @property
    def worksets(self) -> Worksets:
        return self.author.worksets


def plan(kernel: Kernel, target: str | Profile, machine: Deployment | None = None) -> Planned:
    """The plans of a kernel for a target, on one machine or on every machine of the target. The portable layers are the
    same for every target.

    Raises: IntentError when the target cannot run the kernel.
    """
    found = profile(target) if isinstance(target, str) else target
    family = kind_of(found)
    structures = Structures(kernel)
    parent = digest("intent.kir/0", canonical_text(kernel))
    drafts = structures.open
    considered = plan_set(drafts)
    chosen = drafts.of(drafts.policy(considered.chosen))
    author = author_of(kernel, structures.author, parent)
    strategy = next(each.name for each in considered.candidates if each.structure == considered.chosen)
    portable = portable_plan(chosen, drafts.identities, author, structures.out, strategy)
    concrete, report = bind(
        Candidate(portable, structures),
        found,
        machine or generic(family),
        ImplementationPolicy(),
        planning_evidence(family),
    )
    bound = structures.bound(sizes(portable, concrete.parameters))
    return Planned(kernel, considered, portable, concrete, report, drafts, bound, author)
