"""Plans of kernels that are given as text."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from intent2cuda.base.report import Report
from intent2cuda.ir.kernel import Kernel
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import Planned, plan, verify
from intent2cuda.plan.building import sealed
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.structures import CANDIDATES
from intent2cuda.target.profile import profile

KERNELS = Path(__file__).with_name("kernels.py")
DOCUMENTED = Path(__file__).resolve().parents[2] / "docs" / "planning" / "kernels.py"
TARGETS = ("cpu", "sm_80", "sm_90a")


def kernel(name: str) -> Kernel:
    return parse_kernel(KERNELS, name).kernel


@cache
def planned(name: str, target: str = "cpu") -> Planned:
    return plan(kernel(name), target)


def made(found: Planned) -> verify.Made:
    """What the concrete plan was made from."""
    bound, wanted = found.bound, found.concrete.origin.structure
    policy = next(policy for _, _, policy in CANDIDATES if bound.fingerprint(policy) == wanted)
    return verify.Made(bound.of(policy), bound.identities)


def verified(found: Planned, target: str, **changes: object) -> Report:
    """What verification says of the plan with some of its fields changed."""
    changed: ConcretePlan = replace(found.concrete, **changes)
    sealed(changed, found.bound.identities)  # it still has a digest
    return verify.report(changed, made(found), found.portable, profile(target))
