"""Plans of kernels that are given as text."""

from __future__ import annotations

from pathlib import Path

from intent2cuda.ir.kernel import Kernel
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import Planned, plan

KERNELS = Path(__file__).with_name("kernels.py")
TARGETS = ("cpu", "sm_80", "sm_90a")


def kernel(name: str) -> Kernel:
    return parse_kernel(KERNELS, name).kernel


def planned(name: str, target: str = "cpu") -> Planned:
    return plan(kernel(name), target)
