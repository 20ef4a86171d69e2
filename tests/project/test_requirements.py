"""What a project requires, and which machines have it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from intent2cuda.project import machine
from intent2cuda.project.machine import Device, Machine, this_machine
from intent2cuda.project.requirements import LEVELS, Requirements, Unmet, requirements_of, runs_on, unmet

CPU = Requirements("C++17", {"x86_64": "x86-64-v3"})
CUDA = Requirements("CUDA C++17", architectures=("sm_80", "sm_90a"), driver="12.0", threads_per_block=256)
H200 = Device((9, 0), (12, 4), 1024, 232448, 141 << 30, "NVIDIA H200")


def cpu(*features: str, processor: str = "x86_64") -> Machine:
    return Machine(processor, frozenset(features), 64, None)


def cuda(device: Device | None) -> Machine:
    return Machine("x86_64", frozenset(), 64, device)


@pytest.mark.req("P112")
@pytest.mark.parametrize("needs", [CPU, CUDA])
def test_record_and_back(needs: Requirements) -> None:
    assert requirements_of(needs.record()) == needs


@pytest.mark.req("P112")
def test_processor_without_a_level_is_told_what_it_lacks() -> None:
    v3 = LEVELS["x86-64-v3"]
    assert unmet(CPU, cpu(*v3, "avx512f")) == ()
    (lacking,) = unmet(CPU, cpu(*(flag for flag in v3 if flag not in ("avx2", "fma"))))
    assert lacking == Unmet("processor", "x86-64-v3", "a processor without avx2, fma")
    assert unmet(CPU, cpu(processor="aarch64")) == ()  # nothing was promised about it
    assert unmet(CPU, Machine("x86_64", None, 64, None)) == ()  # nobody can tell


@pytest.mark.req("P112")
@pytest.mark.parametrize(
    ("device", "name", "found"),
    [
        (None, "architectures", "no CUDA device"),
        (Device((7, 5), (12, 4), 1024, 65536, 1), "architectures", "sm_75"),
        (Device((12, 0), (12, 8), 1024, 101376, 1), "architectures", "sm_120"),
        (Device((8, 6), (11, 8), 1024, 101376, 1), "driver", "a driver for CUDA 11.8"),
        (Device((8, 0), (12, 0), 128, 101376, 1), "threads_per_block", "128"),
    ],
)
def test_device_that_lacks_something(device: Device | None, name: str, found: str) -> None:
    assert [(each.name, each.found) for each in unmet(CUDA, cuda(device))] == [(name, found)]


def test_device_that_has_all() -> None:
    assert unmet(CUDA, cuda(H200)) == () == unmet(CUDA, cuda(Device((8, 9), (13, 0), 1024, 101376, 1)))
    big = Requirements("CUDA C++17", architectures=("sm_90a",), driver="12.0", shared_bytes_per_block=300_000)
    assert unmet(big, cuda(H200)) == (Unmet("shared_bytes_per_block", "300000", "232448"),)


@pytest.mark.parametrize(
    ("architecture", "capability", "runs"),
    [
        ("sm_80", (8, 0), True),
        ("sm_80", (8, 9), True),
        ("sm_86", (8, 0), False),
        ("sm_80", (9, 0), False),
        ("sm_90a", (9, 0), True),
        ("sm_100a", (10, 3), False),
        ("sm_100f", (10, 3), True),
        ("sm_120", (12, 1), True),
        ("nonsense", (8, 0), False),
    ],
)
def test_which_devices_an_architecture_runs_on(architecture: str, capability: tuple[int, int], runs: bool) -> None:
    assert runs_on(architecture, capability) is runs


def test_this_machine() -> None:
    here = this_machine()
    assert here.processor and here.pointer_bits == 64
    assert here.features is None or len(here.features) > 3
    assert here.device is None or here.device.capability >= (3, 0)


def driver(fails: str = "") -> SimpleNamespace:
    """The functions of the CUDA driver that are asked, for a machine with one device."""
    attributes = {75: 9, 76: 0, 1: 1024, 97: 232448}

    def answer(place: Any, value: int) -> int:
        place._obj.value = value
        return 0

    def named(place: Any, room: int, device: object) -> int:
        place.value = b"NVIDIA H200"
        return 0

    return SimpleNamespace(
        cuInit=lambda flags: int(fails == "cuInit"),
        cuDeviceGet=lambda device, ordinal: int(fails == "cuDeviceGet"),
        cuDriverGetVersion=lambda version: answer(version, 12040),
        cuDeviceGetName=named,
        cuDeviceTotalMem_v2=lambda memory, device: answer(memory, 141 << 30),
        cuDeviceGetAttribute=lambda value, number, device: answer(value, attributes[number]),
    )


class TestDriver:
    def test_device(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(machine, "_driver", driver)
        assert machine.first_device() == H200

    @pytest.mark.parametrize("fails", ["cuInit", "cuDeviceGet"])
    def test_driver_without_a_device(self, monkeypatch: pytest.MonkeyPatch, fails: str) -> None:
        monkeypatch.setattr(machine, "_driver", lambda: driver(fails))
        assert machine.first_device() is None

    def test_no_driver(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(machine, "_LIBRARIES", ("libnothing-of-that-name.so",))
        assert machine.first_device() is None
