"""Target profiles: limits and facts that plans use, each a record of plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class CpuProfile:
    """`local_elements`: a buffer of at most as many elements of known number lives in the frame of one thread."""

    name: str
    march: str
    local_elements: int = 256


@dataclass(frozen=True)
class CudaProfile:
    """`shared_bytes` is what a block may have without asking for more; `grid_x`, `grid_yz` are the greatest numbers
    of blocks.
    """

    name: str
    arch: str
    shared_bytes: int = 48 * 1024
    block_threads: int = 256
    grid_x: int = 2**31 - 1
    grid_yz: int = 65535
    local_elements: int = 16


Profile: TypeAlias = CpuProfile | CudaProfile

PROFILES: tuple[Profile, ...] = (
    CpuProfile("x86-64-v3", "x86-64-v3"),
    CpuProfile("native", "native"),
    CudaProfile("sm_80", "sm_80"),
    CudaProfile("sm_90a", "sm_90a"),
)


def profile(name: str) -> Profile:
    """The profile of a target name: an instruction set level, an architecture, or `cpu`, `cuda`, `cuda-sim` for the
    usual one.
    """
    usual = {"cpu": "x86-64-v3", "cuda": "sm_80", "cuda-sim": "sm_80"}
    wanted = usual.get(name, name)
    for found in PROFILES:
        if found.name == wanted:
            return found
    raise KeyError(name)
