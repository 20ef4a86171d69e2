"""The front of planning."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.ir.kernel import Kernel
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.contractions import with_virtual_products
from intent2cuda.plan.gate import bind_cpu, bind_cuda
from intent2cuda.target.profile import CpuProfile, profile


@dataclass(frozen=True)
class Planned:
    concrete: ConcretePlan


def plan(kernel: Kernel, target: str) -> Planned:
    prepared = with_virtual_products(kernel)
    found = profile(target)
    bound = bind_cpu(prepared, found) if isinstance(found, CpuProfile) else bind_cuda(prepared, found)
    return Planned(bound)
