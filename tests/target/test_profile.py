"""Profiles are found by the names of targets."""

from __future__ import annotations

import pytest

from intent2cuda.target.profile import PROFILES, CpuProfile, CudaProfile, profile


@pytest.mark.parametrize(("name", "found"), [("cpu", "x86-64-v3"), ("cuda", "sm_80"), ("cuda-sim", "sm_80")])
def test_plain_targets_have_a_usual_profile(name: str, found: str) -> None:
    assert profile(name).name == found


def test_every_profile_has_a_name_of_its_own() -> None:
    assert len({p.name for p in PROFILES}) == len(PROFILES)
    assert all(profile(p.name) is p for p in PROFILES)


def test_other_names_are_refused() -> None:
    with pytest.raises(KeyError):
        profile("sm_10")


def test_limits_are_those_of_the_architectures() -> None:
    for found in PROFILES:
        match found:
            case CudaProfile():
                assert found.block_threads <= 1024 and found.block_threads % 32 == 0
                assert (found.grid_x, found.grid_yz) == (2**31 - 1, 65535)
            case CpuProfile():
                assert found.march
