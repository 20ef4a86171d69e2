"""The plans that were considered for a kernel: those that are legal and what each costs, and those that are not
legal.

It is a record, and no representation of the kernel: nothing is lowered from it. `selected` reads one plan out of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from math import prod

from intent2cuda.base.codec import canonical, digest
from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.base.intexpr import IntExpr, Symbol, evaluate, symbols
from intent2cuda.base.report import Assurance, Report, report
from intent2cuda.ir.ops import Combiner, Pointwise, Reduce
from intent2cuda.plan.checks import known_at_call
from intent2cuda.plan.covering import own_roots
from intent2cuda.plan.facts import Sizes
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.plain import plain
from intent2cuda.plan.roots import Root, roots_of
from intent2cuda.plan.stage import Access, Axis, Effect, Fold, Keep, Let, Loop, Points, Product, Stage
from intent2cuda.plan.staging import Draft
from intent2cuda.plan.structures import CANDIDATES, Drafts
from intent2cuda.plan.trees import every, inside
from intent2cuda.types.scalar_fn import SCALAR_FNS, Work
from intent2cuda.types.value_type import BufferType, TensorType, ViewType

SCHEMA = "intent.planset/0"
GENERATOR = "1"
"""The revision of what candidates there are and how they are compared."""

BUDGET = 8
PROBES = 3
HEAVY = (Work.TRANSCENDENTAL, Work.DIVIDE)


@dataclass(frozen=True)
class Quantities:
    """What a plan takes, exactly. `functions`: evaluations of functions and divisions; `visits`: elements visited.

    `read_bytes`, `written_bytes`: asked of the memory of the caller, each time that it is asked. `scattered_bytes`:
    read by loops that do not run along the memory. `resident_bytes`: stored on the way. `waits`: sweeps that others
    wait for.
    """

    functions: IntExpr
    visits: IntExpr
    read_bytes: IntExpr
    written_bytes: IntExpr
    scattered_bytes: IntExpr
    resident_bytes: IntExpr
    waits: IntExpr

    @property
    def all(self) -> tuple[IntExpr, ...]:
        return tuple(getattr(self, f.name) for f in fields(self))


SPOKEN = {
    "functions": "functions and divisions",
    "visits": "elements visited",
    "read_bytes": "bytes read",
    "written_bytes": "bytes written",
    "scattered_bytes": "bytes read at computed places or across rows",
    "resident_bytes": "bytes stored on the way",
    "waits": "sweeps that wait for others",
}
"""What people call the quantities."""


@dataclass(frozen=True)
class Candidate:
    """`structure`: the digest of its stages."""

    name: str
    does: str
    structure: str
    takes: Quantities


@dataclass(frozen=True)
class Rejected:
    plan: str
    code: str
    because: str


@dataclass(frozen=True)
class Dominance:
    """`better` is no worse in any quantity and better in one, by their structures; `basis` says how that was seen."""

    better: str
    worse: str
    basis: str


@dataclass(frozen=True)
class PlanSet:
    """`chosen`: the structure of the candidate that was selected. `seed`: what the probed extents were drawn by."""

    kernel: str
    generator: str
    budget: int
    seed: int
    candidates: tuple[Candidate, ...]
    rejected: tuple[Rejected, ...]
    dominance: tuple[Dominance, ...]
    chosen: str
    digest: str


def plan_set(drafts: Drafts, seed: int = 0, budget: int = BUDGET) -> PlanSet:
    """The candidates of a kernel, at most so many; two names for the same stages are one candidate."""
    found: dict[str, Candidate] = {}
    for name, does, policy in CANDIDATES:
        structure = drafts.fingerprint(policy)
        if structure not in found and len(found) < budget:
            found[structure] = Candidate(name, does, structure, quantities(drafts.of(policy)))
    candidates = tuple(found.values())
    first = drafts.of(CANDIDATES[0][2])
    refused = dict.fromkeys(r for _, _, policy in CANDIDATES for r in _refused(drafts.of(policy)))
    dominance = compared(candidates, seed)
    made = PlanSet(
        kernel=first.kernel.name,
        generator=GENERATOR,
        budget=budget,
        seed=seed,
        candidates=candidates,
        rejected=tuple(refused),
        dominance=dominance,
        chosen=selected(candidates, dominance).structure,
        digest="",
    )
    return sealed(made, drafts.identities)


def sealed(made: PlanSet, identities: Identities) -> PlanSet:
    """The set with the digest of its content."""
    return replace(made, digest=digest(SCHEMA, canonical(plain(made, identities))))


def selected(candidates: Sequence[Candidate], dominance: Sequence[Dominance]) -> Candidate:
    """The first candidate that none is better than."""
    worse = {found.worse for found in dominance}
    return next(candidate for candidate in candidates if candidate.structure not in worse)


def planset_report(found: PlanSet) -> Report:
    """What does not fit together in a set."""

    def findings() -> Iterator[Diagnostic]:
        known = {candidate.structure for candidate in found.candidates}
        if not known:
            yield Diagnostic("planset.empty", "there is no candidate", subject=found.kernel)
        named = [found.chosen, *(name for d in found.dominance for name in (d.better, d.worse))]
        for name in dict.fromkeys(named):
            if name not in known:
                yield Diagnostic("planset.unknown_candidate", f"{name[:12]} is none of them", subject=found.kernel)
        if len(known) > found.budget:
            yield Diagnostic("planset.budget", f"{len(known)} candidates > {found.budget}", subject=found.kernel)
        for each in found.dominance:
            if not each.basis:
                yield Diagnostic("planset.basis_missing", "better, and nothing says how", subject=each.better)
        better: dict[str, set[str]] = {}
        for each in found.dominance:
            better.setdefault(each.better, set()).add(each.worse)
        while leaves := [name for name, worse in better.items() if not worse & better.keys()]:
            better = {name: worse for name, worse in better.items() if name not in leaves}
        if better:
            yield Diagnostic("planset.dominance_cycle", "each is better than the next", subject=min(better))

    return report(Assurance.STRUCTURAL, findings())


def quantities(draft: Draft) -> Quantities:
    """What the stages of a draft take in all."""
    total = _Sum(draft)
    total.add(draft.stages, IntExpr.of(1), None)
    resident = IntExpr.of(0)
    for buffer in draft.buffers:
        kind = buffer.value.type
        assert isinstance(kind, TensorType | BufferType)
        resident = resident + prod(map(total.sizes.known, buffer.extents), start=IntExpr.of(kind.dtype.bytes))
    return Quantities(
        functions=total.functions,
        visits=total.visits,
        read_bytes=total.read_bytes,
        written_bytes=total.written_bytes,
        scattered_bytes=total.scattered_bytes,
        resident_bytes=resident,
        waits=_waits(draft.stages),
    )


class _Sum:
    """Adds up what stages take that run so many times."""

    def __init__(self, draft: Draft) -> None:
        self.demand = draft.demand
        self.sizes = Sizes(draft.kernel)
        self.functions = self.visits = IntExpr.of(0)
        self.read_bytes = self.written_bytes = self.scattered_bytes = IntExpr.of(0)

    def add(self, stages: Sequence[Stage], times: IntExpr, loop: Axis | None) -> None:
        """`loop`: the innermost loop around."""
        for stage in stages:
            own = times * self.sizes.own(stage)
            axes, inner = _axes(stage, loop)
            for root in own_roots(stage, self.demand):
                each = times * self.results(stage) if isinstance(stage, Product) and root.effect else own
                self.root(root, each, axes, inner)
            if not inside(stage):
                self.visits = self.visits + own
            self.add(inside(stage), own, inner)

    def results(self, stage: Product) -> IntExpr:
        """The elements of a product: what is done with a sum is done once for its whole depth."""
        return self.sizes.known(stage.rows.extent) * self.sizes.known(stage.columns.extent)

    def root(self, root: Root, own: IntExpr, axes: Sequence[Axis], inner: Axis | None) -> None:
        seen = self.demand.seen(root)
        ends = set(seen.leaves)
        reads = [read for read in seen.reads if read not in ends and (read[1] or not root.classes)]
        ops = [self.demand.producers.get(value) for value, _ in reads]
        heavy = sum(isinstance(op, Pointwise) and SCALAR_FNS[op.fn].work in HEAVY for op in ops)
        self.functions = self.functions + own * heavy
        for access in seen.accesses:
            if isinstance(access.resource.type, ViewType):
                moved = own * access.resource.type.dtype.bytes
                if access.store:
                    self.written_bytes = self.written_bytes + moved
                    continue
                self.read_bytes = self.read_bytes + moved
                last = access.last_token
                if last is None or last >= len(axes) or axes[last] is not inner:
                    self.scattered_bytes = self.scattered_bytes + moved


def _axes(stage: Stage, loop: Axis | None) -> tuple[Sequence[Axis], Axis | None]:
    """The coordinates of what a stage evaluates, and the innermost loop by which it does."""
    match stage:
        case Points():
            return (), stage.axes[-1].axis
        case Fold():
            return (*stage.at, *stage.axes), (*stage.axes, *stage.over)[-1]
        case Product():
            return (*stage.at, stage.depth), stage.depth
        case Let() | Keep() | Effect() | Access():
            return stage.at, loop
        case _:
            return (), loop


def _waits(stages: Sequence[Stage]) -> IntExpr:
    """Sweeps of one level that follow others, in the deepest body; each waits for all of the one before."""
    own = sum(isinstance(stage, Points | Fold | Product | Loop) for stage in stages)
    deeper = [_waits(inside(stage)) for stage in stages]
    most = max((found.constant or 0 for found in deeper), default=0)
    return IntExpr.of(max(own - 1, 0) + most)


def _refused(draft: Draft) -> Iterator[Rejected]:
    """The plans beside a draft that would not be legal."""
    if sum(isinstance(stage, Points | Fold | Product) for stage in draft.stages) > 1:
        yield Rejected("a launch for each nest", "gate.kernel.split", "a kernel is one launch")
    yield from _rescaled(draft)
    for stage in every(draft.stages):
        loops = [b.axis for b in stage.axes] if isinstance(stage, Points) else []
        sweeps = stage.axes if isinstance(stage, Fold) else ()
        if any(not known_at_call(draft.kernel, axis.extent) for axis in (*loops, *sweeps)):
            because = "its extent is known only inside the kernel, a launch is sized before it runs"
            yield Rejected("an instance for each member", "portable.launch.data_dependent", because)


def _rescaled(draft: Draft) -> Iterator[Rejected]:
    """The plan that needs a permission of the author: a sum merged into the sweep of the maximum under it."""
    sweeps = (stage for stage in every(draft.stages) if isinstance(stage, Fold))
    reductions = [op for stage in sweeps for op in stage.ops if isinstance(op, Reduce)]
    for later in reductions:
        leaves = [
            value for root in roots_of(later, draft.demand.classes) for value, _ in draft.demand.seen(root).leaves
        ]
        for earlier in reductions:
            if earlier.combiner is Combiner.MAXIMUM and later.combiner is Combiner.ADD and earlier.result in leaves:
                because = "merging the sum into the sweep of its maximum rescales partial sums: another rounding"
                yield Rejected("one sweep, rescaled", "numerics.permission", because)


def compared(candidates: Sequence[Candidate], seed: int) -> tuple[Dominance, ...]:
    """Which candidates are better than which others; extents are probed at numbers drawn by the seed."""
    drawn = random.Random(seed)
    probes = tuple(drawn.randrange(2, 1 << 12) for _ in range(PROBES))
    found = ((one, other, _basis(one.takes, other.takes, probes)) for one in candidates for other in candidates)
    return tuple(Dominance(one.structure, other.structure, basis) for one, other, basis in found if basis)


def _basis(one: Quantities, other: Quantities, probes: Sequence[int]) -> str:
    """How it is seen that one plan is no worse in any quantity and better in one; empty when it is not."""
    pairs = list(zip(one.all, other.all, strict=True))
    names = [SPOKEN[f.name] for f, (mine, theirs) in zip(fields(Quantities), pairs, strict=True) if mine != theirs]
    if not names:
        return ""
    if all(all(c >= 0 for _, c in (theirs - mine).terms) for mine, theirs in pairs):
        return f"less in {', '.join(names)}, by the form of the expressions"
    known = sorted({symbol for pair in pairs for side in pair for symbol in symbols(side)})
    values = [(_at(mine, known, n), _at(theirs, known, n)) for n in probes for mine, theirs in pairs]
    if all(mine <= theirs for mine, theirs in values) and any(mine < theirs for mine, theirs in values):
        return f"less in {', '.join(names)}, where every extent is one of {', '.join(map(str, probes))}"
    return ""


def _at(expression: IntExpr, known: Sequence[Symbol], extent: int) -> int:
    return evaluate(expression, dict.fromkeys(known, extent))
