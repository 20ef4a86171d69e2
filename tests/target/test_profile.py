"""Profiles are data files with nothing missing and nothing unknown; each has a fingerprint."""

from __future__ import annotations

from dataclasses import replace

import pytest

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.target.files import ProfileError, made
from intent2cuda.target.profile import Abi, CpuProfile, CudaProfile, fingerprint, kind_of, least, profile, profile_names
from intent2cuda.types.dtype import BY_NAME

EVERY = profile_names()


def test_the_profiles_are_those_that_the_documentation_lists() -> None:
    cpu = ("armv8", "x86-64-v3", "x86-64-v4")
    cuda = ("sm_100", "sm_120", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a")
    assert sorted((*cpu, *cuda)) == list(EVERY)
    assert {kind_of(profile(name)) for name in cpu} == {"cpu"} and {kind_of(profile(name)) for name in cuda} == {"cuda"}


@pytest.mark.parametrize(("name", "found"), [("cpu", "x86-64-v3"), ("cuda", "sm_80"), ("cuda-sim", "sm_80")])
def test_plain_targets_have_a_usual_profile(name: str, found: str) -> None:
    assert profile(name).name == found


def test_other_names_are_refused() -> None:
    with pytest.raises(IntentError) as refused:
        profile("sm_10")
    assert refused.value.code == "gate.target.unknown" and "sm_120" in refused.value.diagnostics[0].help
    with pytest.raises(IntentError):
        profile("_cuda")


@pytest.mark.req("P69")
def test_fingerprints_tell_profiles_apart_and_cover_every_field() -> None:
    assert len({fingerprint(profile(name)) for name in EVERY}) == len(EVERY)
    found = profile("sm_80")
    assert isinstance(found, CudaProfile)
    assert fingerprint(replace(found, warp=64)) != fingerprint(found) != fingerprint(found.abi)


@pytest.mark.parametrize("name", EVERY)
def test_limits_are_those_of_the_architectures(name: str) -> None:
    found = profile(name)
    kinds = found.arithmetic
    assert {*kinds.native, *kinds.converted, *kinds.stored} == set(BY_NAME)
    assert len((*kinds.native, *kinds.converted, *kinds.stored)) == len(BY_NAME)
    match found:
        case CudaProfile():
            assert found.arch == name and found.block_threads <= found.threads_per_block == 1024
            assert found.block_threads % found.warp == 0
            assert (found.grid_x, found.grid_yz) == (2**31 - 1, 65535)
            assert found.shared_bytes <= found.shared_opt_in < 256 * 1024
            assert f"{found.abi.capability}" == name.removeprefix("sm_").rstrip("a")
        case CpuProfile():
            assert found.march and found.vector_bytes in (16, 32, 64)


def test_of_several_architectures_the_least_one_decides() -> None:
    assert least(("sm_90a", "sm_80", "sm_120")).name == "sm_80"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"capability": "80"}, "abi.capability: '80' is no int"),
        ({"pointer_bits": 64.0}, "is no int"),
        ({"vendor": "x"}, "says vendor, which a Abi does not have"),
        ({"runtime": None}, "is no str"),
    ],
)
def test_a_table_that_says_something_else_is_refused(change: dict[str, object], why: str) -> None:
    table = {
        "name": "a", "language": "C++17", "pointer_bits": 64, "index_bits": 64, "runtime": "r", "runtime_minimum": "1",
        "capability": 0,
    }  # fmt: skip
    assert isinstance(made(Abi, table, "abi"), Abi)
    with pytest.raises(ProfileError, match=why):
        made(Abi, {**table, **change}, "abi")
    with pytest.raises(ProfileError, match="does not say capability"):
        made(Abi, {key: value for key, value in table.items() if key != "capability"}, "abi")
