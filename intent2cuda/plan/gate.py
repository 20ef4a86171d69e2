"""Binding: from the structure of a kernel to everything that one target needs to know.

Seven steps: requirements, capabilities and ABI, implementations with their parameters, each structure built and checked
for room, the choice between structures, workspaces in place of bounds, and the verified plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from intent2cuda.base.diagnostics import Diagnostic, IntentError, InternalError
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.base.report import require
from intent2cuda.base.span import Span
from intent2cuda.plan import verify
from intent2cuda.plan.building import Building, sealed
from intent2cuda.plan.capability import check_requirements, prove_abi, prove_capabilities
from intent2cuda.plan.capacity import MEMORY, argument_bytes, held_bytes
from intent2cuda.plan.catalogue import CPU_SIZES, CUDA_SIZES, Situation
from intent2cuda.plan.checks import known_at_call
from intent2cuda.plan.choosing import Chooser, ImplementationPolicy
from intent2cuda.plan.commands import ImplementationRef
from intent2cuda.plan.concrete import BoundParameter, ConcretePlan, HostCheck, Origin
from intent2cuda.plan.policies import EvidencePolicy, TargetRequirements
from intent2cuda.plan.portable import PortablePlan
from intent2cuda.plan.portable_verify import sealed_report
from intent2cuda.plan.report import BindingReport, Discharged, Proof, Tried
from intent2cuda.plan.stage import Fold, Loop, Points, Product, Stage
from intent2cuda.plan.staging import Policy
from intent2cuda.plan.structures import CANDIDATES, Drafts, Structures
from intent2cuda.plan.trees import every
from intent2cuda.plan.writing_out import Open, Sizes
from intent2cuda.target.deployment import Deployment
from intent2cuda.target.evidence import PlanningEvidence
from intent2cuda.target.profile import CudaProfile, Profile, fingerprint, kind_of

ANY = TargetRequirements()
"""Asks for nothing."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A portable plan, and the structures among which it leaves the choice."""

    plan: PortablePlan
    structures: Structures


def bind(
    candidate: Candidate | None,
    target: Profile | None,
    deployment: Deployment | None,
    implementations: ImplementationPolicy | None,
    evidence: EvidencePolicy | None,
    requirements: TargetRequirements = ANY,
) -> tuple[ConcretePlan, BindingReport]:
    """The plan of a kernel for one target, and why it is so. Nothing has a default: what is missing is refused.

    Raises: IntentError when the target cannot run the kernel; InternalError when what is given, or every plan of it, is
    wrong.
    """
    if candidate is None or target is None or deployment is None or implementations is None or evidence is None:
        given = {
            "a portable plan": candidate, "a target profile": target, "a deployment profile": deployment,
            "an implementation policy": implementations, "an evidence policy": evidence,
        }  # fmt: skip
        missing = ", ".join(name for name, value in given.items() if value is None)
        raise IntentError([Diagnostic("gate.binding.missing", f"binding needs {missing}")])
    return _Binding(candidate, target, deployment, implementations, evidence).bound(requirements)


def sizes(portable: PortablePlan, bound: Sequence[BoundParameter]) -> Sizes:
    """The numbers that were put in the place of what the portable plan left open."""
    return {Open(left.meaning): each.value for left, each in zip(portable.parameters, bound, strict=True)}


@dataclass(frozen=True, eq=False)
class _Binding:
    candidate: Candidate
    target: Profile
    deployment: Deployment
    implementations: ImplementationPolicy
    evidence: EvidencePolicy

    def bound(self, requirements: TargetRequirements) -> tuple[ConcretePlan, BindingReport]:
        portable, kernel = self.candidate.plan, self.candidate.structures.kernel
        require(sealed_report(portable))
        check_requirements(requirements, self.target, self.deployment)
        abi = prove_abi(self.target, self.deployment)
        proofs = prove_capabilities(kernel, portable.tasks, self.target, self.implementations)
        parameters = tuple(self.parameters())
        drafts = self.candidate.structures.bound(sizes(portable, parameters))
        order, used = preferred(self.evidence, self.candidate.structures.open)
        tried: list[Tried] = []
        refusals: list[Diagnostic] = []
        for name, because, policy in order:
            try:
                building = self.building(drafts, policy, parameters, used)
                plan = self.guarded(building)
            except IntentError as refused:
                refusals += refused.diagnostics
                tried.append(Tried(name, because, "; ".join(d.message for d in refused.diagnostics)))
                continue
            made = verify.Made(building.made, building.identities)
            wrong = verify.report(plan, made, portable, self.target, self.deployment)
            tried.append(Tried(name, because, "" if wrong.holds else str(wrong)))
            if wrong.holds:
                return plan, self.report(plan, building, (abi, (*proofs, *_proofs(plan))), tuple(tried))
        if refusals:
            raise IntentError(dict.fromkeys(refusals))
        faults = "\n".join(f"not {each.name}: {each.rejected}" for each in tried)
        raise InternalError(f"every plan of {kernel.name} is wrong\n{faults}")

    def chooser(self) -> Chooser:
        return Chooser(self.implementations, self.target.shared_bytes if isinstance(self.target, CudaProfile) else 0)

    def parameters(self) -> Iterator[BoundParameter]:
        """A number for each granularity that the portable plan leaves open, from a row of the catalogue."""
        tables = CPU_SIZES if kind_of(self.target) == "cpu" else CUDA_SIZES
        for parameter in self.candidate.plan.parameters:
            chooser = self.chooser()
            chooser.take(parameter.meaning, tables[Open(parameter.meaning)], Situation())
            choice = chooser.choices[parameter.meaning]
            ((_, value, reason),) = choice.row.parameters
            code = ImplementationRef(
                kind_of(self.target), choice.entry.name, choice.entry.version, self.target.abi.name, str(choice.row)
            )
            yield BoundParameter(parameter.symbol, value, code, reason)

    def building(
        self, drafts: Drafts, policy: Policy, parameters: tuple[BoundParameter, ...], used: tuple[str, ...]
    ) -> Building:
        portable = self.candidate.plan
        made = drafts.of(policy)
        chooser = replace(self.chooser(), spans=dict(_spans(made.stages)))
        origin = Origin(
            portable=portable.digest,
            structure=drafts.fingerprint(policy),
            target=fingerprint(self.target),
            deployment=self.deployment.fingerprint,
            abi=fingerprint(self.target.abi),
            evidence=PlanningEvidence(self.evidence.snapshot.digest, used),
        )
        return Building(portable, made, drafts.identities, self.target, chooser, origin, parameters)

    def guarded(self, building: Building) -> ConcretePlan:
        """The plan with room for what it stores on the way: proved, or checked at each call where the call can tell."""
        plan = building.plan()
        memory = self.deployment.fact(MEMORY)
        need = held_bytes(plan, self.target, self.deployment)
        if memory is None:
            return plan
        what = "scratch" if plan.launch is None else "workspace"
        where = f"the {what} of {plan.kernel.name} on {self.deployment.name}"
        if need.constant is not None and need.constant + argument_bytes(plan) > memory:
            takes = f"{need.constant} B and its arguments {argument_bytes(plan)} B"
            message = f"{where} takes {takes} > {memory} B of memory"
            raise IntentError(
                [Diagnostic("gate.capacity.exceeded", message, plan.kernel.span, subject=plan.kernel.name)]
            )
        if need.constant is not None or not known_at_call(plan.kernel, need):
            return plan
        check = HostCheck("capacity", need, "<=", IntExpr.of(memory), f"{where} does not fit into {memory} B of memory")
        return sealed(replace(plan, checks=(*plan.checks, check)), building.identities)

    def report(
        self,
        plan: ConcretePlan,
        building: Building,
        proofs: tuple[tuple[Proof, ...], tuple[Proof, ...]],
        tried: tuple[Tried, ...],
    ) -> BindingReport:
        choices = building.chooser.choices
        in_order = (choices[name] for stage in every(plan.stages) if (name := getattr(stage, "id", "")) in choices)
        rejected = tuple(f"not {each.name}: {each.rejected}" for each in tried if each.rejected)
        return BindingReport(
            target=self.target.name,
            deployment=self.deployment.name,
            portable_digest=plan.origin.portable,
            abi=proofs[0],
            proofs=proofs[1],
            structures=tried,
            choices=tuple(in_order),
            obligations=discharged(self.candidate.plan, plan),
            evidence=plan.origin.evidence,
            notes=(*plan.notes, *rejected),
        )


def preferred(evidence: EvidencePolicy, drafts: Drafts) -> tuple[list[tuple[str, str, Policy]], tuple[str, ...]]:
    """The structures in the order of preference, each with the reason, and the records that decided: a record that
    makes no difference to the stages of this kernel decides nothing.

    Raises: IntentError when there is no record to decide by and the policy allows no fallback.
    """
    wanted, used = CANDIDATES[0][2], list[str]()
    reasons: list[str] = []
    kept, again, by_column = (drafts.fingerprint(policy) for _, _, policy in CANDIDATES[:3])
    for quantity, field, differs, yes, no, spoken in (
        ("recompute.cost", "keep", kept != again, "what is expensive is stored", "what is expensive is computed again",
         "computing it again costs"),
        ("columns.apart.cost", "side_by_side", again != by_column, "columns are reduced side by side",
         "columns are reduced one by one", "one by one costs"),
    ):  # fmt: skip
        record = evidence.snapshot.of(quantity)
        if record is not None:
            better = record.value > 100
            wanted = replace(wanted, **{field: better})
            if differs:
                used.append(record.id)
                reasons.append(f"{yes if better else no}: {spoken} {record.value} {record.unit}")
        elif differs and not evidence.fallback:
            message = (
                f"no record of {quantity} in {evidence.snapshot.name} decides between plans of which none is better"
            )
            tied = tuple(f"{name}: {does}" for name, does, _ in CANDIDATES)
            raise IntentError([Diagnostic("evidence.missing", message, considered=tied)])
    first = "; ".join(reasons) or "what measured costs could decide makes no difference here"
    order = sorted(CANDIDATES, key=lambda candidate: candidate[2] != wanted)
    return [(name, first if policy == wanted else does, policy) for name, does, policy in order], tuple(used)


def discharged(portable: PortablePlan, plan: ConcretePlan) -> tuple[Discharged, ...]:
    """What meets each obligation of the portable plan.

    Raises: IntentError when one is left open.
    """
    places = {b.replaces: f"{b.bytes} bytes at {b.offset} of {b.region}" for b in plan.coordination.buffers}
    places |= dict(plan.unneeded)
    found = [(f"replace the bound of {o.subject}", places.get(o.subject)) for o in portable.obligations]
    left = [obligation for obligation, by in found if by is None]
    if left:
        raise IntentError(Diagnostic("gate.obligation.open", f"nothing meets `{each}`") for each in left)
    return tuple(Discharged(obligation, by) for obligation, by in found if by is not None)


def _spans(stages: Sequence[Stage]) -> Iterator[tuple[str, Span]]:
    """Where in the author's text each stage comes from that an implementation is chosen for."""
    for stage in every(stages):
        if isinstance(stage, Points | Fold | Product) and stage.op is not None and stage.op.span is not None:
            yield stage.id, stage.op.span


def _proofs(plan: ConcretePlan) -> Iterator[Proof]:
    for stage in every(plan.stages):
        if isinstance(stage, Points):
            names = ", ".join(bound.axis.name for bound in stage.axes)
            rule = (
                "the author's parallel loop"
                if stage.op
                else "no operation inside reads or writes another member's elements"
            )
            yield Proof(f"the members of {names} may run in any order", rule)
        if isinstance(stage, Loop) and stage.tiles is not None:
            away = " and ".join(map(str, stage.tiles.reach))
            rule = f"each writes rows of its own, and reads what others write in rows at most {away} away"
            yield Proof("sweeps of several rounds may follow each other through the rows", rule)
    for overlap in plan.overlaps:
        why = f"; {overlap.reason}" if overlap.reason else ""
        yield Proof(overlap.sentence, f"checked before anything runs{why}")
