"""Where a kernel is to run, as the compile call says it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from intent2cuda.api.errors import ArgumentError
from intent2cuda.target import profile

TargetName: TypeAlias = Literal["reference", "cpu", "cuda", "cuda-sim"]

_ARCHITECTURE = re.compile(r"sm_[1-9][0-9]{1,2}[af]?")


@dataclass(frozen=True)
class CpuTarget:
    """The processor of this machine: C++ and OpenMP."""

    @property
    def kind(self) -> Literal["cpu"]:
        return "cpu"

    @property
    def architectures(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True, init=False)
class CudaTarget:
    """CUDA devices of the given architectures, such as "sm_80" or "sm_90a".

    With `simulated` the same CUDA text runs on the host, under the checker.
    """

    architectures: tuple[str, ...]
    simulated: bool

    def __init__(self, *architectures: str, simulated: bool = False) -> None:
        chosen = tuple(name.strip() for group in architectures for name in group.split(",")) or DEFAULT_ARCHITECTURES
        for name in chosen:
            if not _ARCHITECTURE.fullmatch(name):
                raise ArgumentError(f"`{name}` is no CUDA architecture; they are written like sm_80 or sm_90a")
            if not profile.is_served(name):
                known = ", ".join(profile.architectures())
                raise ArgumentError(f"no code is emitted for `{name}`; there is for {known}")
        object.__setattr__(self, "architectures", tuple(dict.fromkeys(chosen)))
        object.__setattr__(self, "simulated", simulated)

    @property
    def kind(self) -> Literal["cuda", "cuda-sim"]:
        return "cuda-sim" if self.simulated else "cuda"


@dataclass(frozen=True)
class ReferenceTarget:
    """The NumPy interpreter of Kernel IR, the meaning that all other targets are tested against."""

    @property
    def kind(self) -> Literal["reference"]:
        return "reference"

    @property
    def architectures(self) -> tuple[str, ...]:
        return ()


Target: TypeAlias = CpuTarget | CudaTarget | ReferenceTarget

DEFAULT_ARCHITECTURES = ("sm_80", "sm_90a")


def target_of(target: Target | str) -> Target:
    """The target of a name: "reference", "cpu", "cuda" or "cuda-sim".

    Raises:
        ArgumentError: there is no such target.
    """
    match target:
        case CpuTarget() | CudaTarget() | ReferenceTarget():
            return target
        case "reference":
            return ReferenceTarget()
        case "cpu":
            return CpuTarget()
        case "cuda":
            return CudaTarget()
        case "cuda-sim":
            return CudaTarget(simulated=True)
        case _:
            raise ArgumentError(f"there is no target {target!r}; the targets are reference, cpu, cuda and cuda-sim")
