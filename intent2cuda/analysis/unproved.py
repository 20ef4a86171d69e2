"""What no proof covers, of all that the language asks of a run: what a checked build has to look at."""

from __future__ import annotations

from dataclasses import dataclass, replace

from intent2cuda.analysis.bounds import inside
from intent2cuda.analysis.effects import Access, Mode, access
from intent2cuda.analysis.races import Open, Races
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.sites import Site, conditions, sites
from intent2cuda.analysis.structure import Structure, structure
from intent2cuda.analysis.surroundings import Surroundings, implied
from intent2cuda.analysis.written import open_reads
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Gather, Subregion


@dataclass(frozen=True)
class Unproved:
    """`axes`: of each access and gather those that a position may lie outside of. `parts`: subregions that may not lie
    inside their source. `meetings`: writes that may meet others. `reads`: those that may find nothing, in resources of
    the serials `empty`.
    """

    axes: dict[Op, tuple[int, ...]]
    parts: frozenset[Subregion]
    meetings: tuple[Open, ...]
    reads: frozenset[Op]
    empty: frozenset[int]


def unproved(kernel: Kernel) -> Unproved:
    """What is open in a kernel whose author's promises are not believed."""
    found = replace(structure(kernel), promises={})
    relations = Relations(found)
    surroundings = _Kept(found, relations)
    axes: dict[Op, tuple[int, ...]] = {}
    parts: set[Subregion] = set()
    for op in found.order:
        made = _read_of_tensor(op) or access(op)
        if made is not None:
            site = _site(made, found, relations)
            open_axes = tuple(axis for axis, proved in enumerate(inside(surroundings, site)) if not proved)
            if open_axes:
                axes[op] = open_axes
        if isinstance(op, Subregion) and not _lies_inside(op, found, surroundings):
            parts.add(op)
    all_sites = sites(found, relations)
    meetings = tuple(Races(surroundings, all_sites).open())
    reads = tuple(open_reads(found, relations, all_sites))
    empty = frozenset(site.resource.serial for site in reads)
    return Unproved(axes, frozenset(parts), meetings, frozenset(site.op for site in reads), empty)


class _Kept(Surroundings):
    """Behind a part of a domain it lies inside: that was proved, or looked at."""

    def positive(self, site: Site) -> list[IntExpr]:
        found = super().positive(site)
        order, frames = self.structure.order, self.structure.frames
        for op in order:
            if order[op] > order[site.op]:
                break
            if isinstance(op, Subregion) and frames[op] == site.frames[: len(frames[op])]:
                found += [distance + 1 for distance in _distances(op, self)]
        return found


def _read_of_tensor(op: Op) -> Access | None:
    return Access(op, Mode.READ, op.source, op.terms, op.valid) if isinstance(op, Gather) else None


def _site(made: Access, found: Structure, relations: Relations) -> Site:
    frames = found.frames[made.op]
    return Site(made, relations.coordinates(made.terms), frames, conditions(frames, relations))


def _lies_inside(op: Subregion, found: Structure, surroundings: Surroundings) -> bool:
    frames = found.frames[op]
    loops = [frame.owner for frame in frames]
    positive = [size for loop in loops for _, d in surroundings.loop_domains(loop) for size in (d.extent, d.step)]
    for condition in conditions(frames, surroundings.relations):
        positive += implied(condition)
    facts = Facts(found, surroundings.loop_bounds(loops), positive)
    return all(facts.nonneg(distance) for distance in _distances(op, surroundings))


def _distances(op: Subregion, surroundings: Surroundings) -> tuple[IntExpr, IntExpr, IntExpr]:
    """What must not be negative: from the source's begin to that of the part, to its end, to that of the source."""
    source, part = (surroundings.relations.domain(value) for value in (op.source, op.result))
    behind = source.begin + source.extent - part.begin - part.extent
    return part.begin - source.begin, part.extent, behind
