"""Targets by name and by object."""

from __future__ import annotations

import pytest

from intent2cuda import ArgumentError, CpuTarget, CudaTarget, ReferenceTarget
from intent2cuda.api.targets import target_of


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("reference", ReferenceTarget()),
        ("cpu", CpuTarget()),
        ("cuda", CudaTarget("sm_80", "sm_90a")),
        ("cuda-sim", CudaTarget(simulated=True)),
    ],
)
def test_names(name: str, target: object) -> None:
    assert target_of(name) == target
    assert target_of(name).kind == name
    assert target_of(target_of(name)) is not None


def test_unknown_targets() -> None:
    with pytest.raises(ArgumentError, match="there is no target 'gpu'; the targets are reference, cpu, cuda"):
        target_of("gpu")


def test_architectures() -> None:
    assert CudaTarget("sm_90a").architectures == ("sm_90a",)
    assert CudaTarget("sm_80, sm_90a", "sm_80").architectures == ("sm_80", "sm_90a")
    assert CudaTarget("sm_80") == CudaTarget("sm_80") != CudaTarget("sm_86")


def test_architectures_that_no_code_is_emitted_for() -> None:
    """Older ones, and those that there is no profile of; each with those that there are."""
    for name in ("sm_20", "sm_75", "sm_85", "sm_80a", "sm_300"):
        with pytest.raises(ArgumentError, match=f"`{name}`; there is for sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100"):
            CudaTarget("sm_80", name)
    assert CudaTarget("sm_100a,sm_100f,sm_120").architectures == ("sm_100a", "sm_100f", "sm_120")


@pytest.mark.parametrize("name", ["", "80", "sm80", "compute_80", "sm_100x", "sm_1", "sm_80 -o x", "native"])
def test_spellings_that_are_no_architecture(name: str) -> None:
    with pytest.raises(ArgumentError, match="is no CUDA architecture"):
        CudaTarget(name)
