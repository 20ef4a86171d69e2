"""The files of emitted projects that several layers know, as paths inside the project."""

from __future__ import annotations

MANIFEST = "MANIFEST.json"
DIAGNOSTICS = "diagnostics/"
"""Below it lies what a project does without: it may be taken away."""
LINEAGE = "diagnostics/lineage.json"
PLANS = "diagnostics/plan.json"
