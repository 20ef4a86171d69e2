"""What an emitted project needs of the machine that it is loaded on, and whether a machine has it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from intent2cuda.base.codec import Plain
from intent2cuda.project.errors import ArtifactError
from intent2cuda.project.machine import Device, Machine

_V2 = ("cx16", "lahf_lm", "pni", "popcnt", "sse4_1", "sse4_2", "ssse3")
_V3 = (*_V2, "abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
LEVELS: Mapping[str, tuple[str, ...]] = {
    "x86-64": (),
    "x86-64-v2": _V2,
    "x86-64-v3": _V3,
    "x86-64-v4": _V4,
    "armv8-a": ("asimd", "fp"),
}
"""The flags of a processor, as Linux names them, that each instruction set level promises."""


@dataclass(frozen=True)
class Unmet:
    """`name`: which requirement, as the manifest names it; `needed` and `found` are what it says and what is there."""

    name: str
    needed: str
    found: str


@dataclass(frozen=True)
class Requirements:
    """`processor`: the instruction set level for each kind of processor that code is compiled for a level of.

    For cuda: `architectures`, one of which the device must run, `driver`, the least CUDA version that it serves, and
    what a block needs of the device.
    """

    language: str
    processor: Mapping[str, str] = field(default_factory=dict[str, str])
    architectures: tuple[str, ...] = ()
    driver: str = ""
    threads_per_block: int = 0
    shared_bytes_per_block: int = 0

    def record(self) -> dict[str, Plain]:
        """The requirements in the form of a manifest."""
        if not self.architectures:
            return {"language": self.language, "processor": dict(self.processor)}
        return {
            "language": self.language,
            "architectures": list(self.architectures),
            "driver": self.driver,
            "threads_per_block": self.threads_per_block,
            "shared_bytes_per_block": self.shared_bytes_per_block,
        }


def requirements_of(record: Mapping[str, Any]) -> Requirements:
    """The requirements that `record` was made from. Raises KeyError when one is missing."""
    if "architectures" not in record:
        return Requirements(record["language"], dict(record["processor"]))
    return Requirements(
        language=record["language"],
        architectures=tuple(record["architectures"]),
        driver=record["driver"],
        threads_per_block=record["threads_per_block"],
        shared_bytes_per_block=record["shared_bytes_per_block"],
    )


def unmet(needs: Requirements, machine: Machine) -> tuple[Unmet, ...]:
    """The requirements that a machine does not meet."""
    if not needs.architectures:
        return tuple(_of_processor(needs, machine))
    if machine.device is None:
        return (Unmet("architectures", ", ".join(needs.architectures), "no CUDA device"),)
    return tuple(_of_device(needs, machine.device))


def check_requirements(manifest: Mapping[str, Any], machine: Machine) -> None:
    """Raises ArtifactError for the first requirement of a manifest that a machine does not meet."""
    if manifest["target"] == "cuda-sim":
        return
    try:
        lacking = unmet(requirements_of(manifest["requires"]), machine)
    except (KeyError, TypeError, ValueError) as error:
        raise ArtifactError("artifact.requires", f"the manifest does not say what it requires: {error}") from error
    for need in lacking:
        raise ArtifactError(
            "artifact.requires",
            f"{manifest['project']} requires {need.name} {need.needed}; here is {need.found}",
            "run it on another machine, or emit it for this one",
            need.name,
        )


def runs_on(architecture: str, capability: tuple[int, int]) -> bool:
    """Whether code compiled for an architecture runs on a device.

    Without a letter: on later ones of the same major number too. With `a`: on this very one. With `f`: as without.
    """
    found = re.fullmatch(r"sm_(\d+)(\d)([af]?)", architecture)
    if found is None:
        return False
    major, minor, kind = int(found[1]), int(found[2]), found[3]
    return capability == (major, minor) if kind == "a" else capability[0] == major and capability[1] >= minor


def _of_processor(needs: Requirements, machine: Machine) -> Iterator[Unmet]:
    level = needs.processor.get(machine.processor)
    if level is not None and machine.features is not None:
        missing = sorted(set(LEVELS[level]) - machine.features)
        if missing:
            yield Unmet("processor", level, f"a processor without {', '.join(missing)}")


def _of_device(needs: Requirements, device: Device) -> Iterator[Unmet]:
    if not any(runs_on(architecture, device.capability) for architecture in needs.architectures):
        yield Unmet("architectures", ", ".join(needs.architectures), f"sm_{device.capability[0]}{device.capability[1]}")
    if device.driver < _version(needs.driver):
        yield Unmet("driver", f"CUDA {needs.driver}", f"a driver for CUDA {device.driver[0]}.{device.driver[1]}")
    if device.threads_per_block < needs.threads_per_block:
        yield Unmet("threads_per_block", str(needs.threads_per_block), str(device.threads_per_block))
    if device.shared_bytes < needs.shared_bytes_per_block:
        yield Unmet("shared_bytes_per_block", str(needs.shared_bytes_per_block), str(device.shared_bytes))


def _version(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    return int(major), int(minor or 0)
