"""Everything that the analyses have to say to the author about a kernel."""

from __future__ import annotations

from intent2cuda.analysis import bounds, equated, spinning, undefined
from intent2cuda.analysis.races import Races
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.sites import sites
from intent2cuda.analysis.structure import structure
from intent2cuda.analysis.surroundings import Surroundings
from intent2cuda.base.diagnostics import Diagnostic, Findings
from intent2cuda.ir.kernel import Kernel


def check(kernel: Kernel) -> tuple[Diagnostic, ...]:
    """Errors for what is proved wrong and notes for what the author answers for, in the order of their places."""
    found = structure(kernel)
    relations = Relations(found)
    surroundings = Surroundings(found, relations)
    all_sites = sites(found, relations)
    collected = Findings()
    for diagnostic in (
        *undefined.findings(kernel, all_sites),
        *bounds.findings(surroundings, all_sites),
        *equated.findings(kernel),
        *spinning.findings(surroundings, all_sites),
        *Races(surroundings, all_sites).findings(),
    ):
        collected.add(diagnostic)
    return collected.all
