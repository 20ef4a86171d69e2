"""The plans that were considered for a kernel: those that are legal and what each costs, and those that are not
legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from intent2cuda.base.codec import canonical, digest
from intent2cuda.base.intexpr import IntExpr, Symbol, evaluate, symbols
from intent2cuda.ir.ops import Combiner, Pointwise, Reduce
from intent2cuda.plan.covering import own_roots
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.facts import Sizes
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.plain import plain
from intent2cuda.plan.roots import Root, roots_of
from intent2cuda.plan.stage import Fold, Points, Product, Stage
from intent2cuda.plan.staging import Draft
from intent2cuda.plan.trees import every, inside
from intent2cuda.types.scalar_fn import SCALAR_FNS, Work
from intent2cuda.types.value_type import BufferType, TensorType

SCHEMA = "intent.planset/0"
BUDGET = 8
HEAVY = (Work.TRANSCENDENTAL, Work.DIVIDE)
PROBES = (7, 1000, 4096)
"""Expressions whose form does not decide which is less are compared where every extent is one of these."""


@dataclass(frozen=True)
class Candidate:
    """`heavy`: evaluations of functions and divisions; `visits`: elements visited; `resident_bytes`: stored on the
    way.
    """

    name: str
    does: str
    heavy: IntExpr
    visits: IntExpr
    resident_bytes: IntExpr
    tree: str

    @property
    def quantities(self) -> tuple[IntExpr, ...]:
        return (self.heavy, self.visits, self.resident_bytes)


@dataclass(frozen=True)
class Rejected:
    plan: str
    code: str
    because: str


@dataclass(frozen=True)
class Dominance:
    """`better` is no worse in any quantity and better in one; `basis` says how that was seen."""

    better: str
    worse: str
    basis: str


@dataclass(frozen=True)
class PlanSet:
    kernel: str
    candidates: tuple[Candidate, ...]
    rejected: tuple[Rejected, ...]
    dominance: tuple[Dominance, ...]
    chosen: str
    budget: int
    digest: str


def plan_set(drafts: Sequence[tuple[str, str, Draft]], identities: Identities) -> PlanSet:
    """`drafts`: name, description and stages of each plan, the chosen one first; equal ones are listed once."""
    found: dict[str, Candidate] = {}
    for name, does, draft in drafts[:BUDGET]:
        candidate = _candidate(name, does, draft, identities)
        found.setdefault(candidate.tree, candidate)
    candidates = tuple(found.values())
    first = drafts[0][2]
    refused = tuple(dict.fromkeys(r for _, _, draft in drafts for r in _rescaled(draft)))
    made = PlanSet(
        kernel=first.kernel.name,
        candidates=candidates,
        rejected=(*refused, *_launched(first)),
        dominance=tuple(_dominance(candidates)),
        chosen=drafts[0][0],
        budget=BUDGET,
        digest="",
    )
    return replace(made, digest=digest(SCHEMA, canonical(plain(made, identities))))


def _candidate(name: str, does: str, draft: Draft, identities: Identities) -> Candidate:
    sizes = Sizes(draft.kernel)
    heavy, visits = _work(draft.stages, draft.demand, sizes, IntExpr.of(1))
    resident = IntExpr.of(0)
    for buffer in draft.buffers:
        kind = buffer.value.type
        assert isinstance(kind, TensorType | BufferType)
        resident = resident + prod(map(sizes.known, buffer.extents), start=IntExpr.of(kind.dtype.bytes))
    tree = digest("tree", canonical(plain(draft.stages, identities)))
    return Candidate(name, does, heavy, visits, resident, tree)


def _work(stages: Sequence[Stage], demand: Demand, sizes: Sizes, times: IntExpr) -> tuple[IntExpr, IntExpr]:
    """Heavy evaluations and visits of stages that run `times` times."""
    heavy, visits = IntExpr.of(0), IntExpr.of(0)
    for stage in stages:
        own = times * sizes.own(stage)
        for root in own_roots(stage, demand):
            heavy = heavy + own * _heavy(demand, root)
        if not inside(stage):
            visits = visits + own
        inner = _work(inside(stage), demand, sizes, own)
        heavy, visits = heavy + inner[0], visits + inner[1]
    return heavy, visits


def _heavy(demand: Demand, root: Root) -> int:
    """Functions and divisions that one element of a root takes."""
    ends = set(demand.seen(root).leaves)
    reads = [read for read in demand.seen(root).reads if read not in ends and (read[1] or not root.classes)]
    ops = [demand.producers.get(value) for value, _ in reads]
    return sum(isinstance(op, Pointwise) and SCALAR_FNS[op.fn].work in HEAVY for op in ops)


def _launched(draft: Draft) -> Iterator[Rejected]:
    """The plan that the language does not allow: more than one launch."""
    if sum(isinstance(stage, Points | Fold | Product) for stage in draft.stages) > 1:
        yield Rejected("a launch for each nest", "language.one_launch", "a kernel is one launch")


def _rescaled(draft: Draft) -> Iterator[Rejected]:
    """The plan that needs a permission of the author: a sum merged into the sweep of the maximum under it."""
    reductions = [stage.op for stage in every(draft.stages) if isinstance(stage, Fold) and isinstance(stage.op, Reduce)]
    for later in reductions:
        leaves = [
            value for root in roots_of(later, draft.demand.classes) for value, _ in draft.demand.seen(root).leaves
        ]
        for earlier in reductions:
            if earlier.combiner is Combiner.MAXIMUM and later.combiner is Combiner.ADD and earlier.result in leaves:
                because = "merging the sum into the sweep of its maximum rescales partial sums: another rounding"
                yield Rejected("one sweep, rescaled", "numerics.permission", because)


def _dominance(candidates: Sequence[Candidate]) -> Iterator[Dominance]:
    for one in candidates:
        for other in candidates:
            if one is not other and (basis := _dominates(one, other)):
                yield Dominance(one.name, other.name, basis)


def _dominates(one: Candidate, other: Candidate) -> str:
    """How it is seen that one plan is no worse in any quantity and better in one; empty when it is not."""
    pairs = list(zip(one.quantities, other.quantities, strict=True))
    if one.quantities == other.quantities:
        return ""
    if all(all(c >= 0 for _, c in (theirs - mine).terms) for mine, theirs in pairs):
        return "by the form of the expressions"
    known = sorted({symbol for pair in pairs for side in pair for symbol in symbols(side)})
    values = [(_at(mine, known, n), _at(theirs, known, n)) for n in PROBES for mine, theirs in pairs]
    if all(mine <= theirs for mine, theirs in values) and any(mine < theirs for mine, theirs in values):
        return f"where every extent is one of {', '.join(map(str, PROBES))}"
    return ""


def _at(expression: IntExpr, known: Sequence[Symbol], extent: int) -> int:
    return evaluate(expression, dict.fromkeys(known, extent))
