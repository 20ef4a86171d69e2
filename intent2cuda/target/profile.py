"""Target profiles: what generated code may assume of an architecture. Each is a data file beside this module."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from intent2cuda.base.codec import canonical, digest
from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.target.files import named, plain, record

SCHEMA = "intent.target/0"
_FEATURE_SETS = 100
"""The capability from which every generation has them; before, sm_90a is one of its own."""

USUAL = {"cpu": "x86-64-v3", "cuda": "sm_80", "cuda-sim": "sm_80"}


@dataclass(frozen=True)
class Abi:
    """What kernels and their callers agree on. `capability`: the least of a device, ten times its number; else 0."""

    name: str
    language: str
    pointer_bits: int
    index_bits: int
    runtime: str
    runtime_minimum: str
    capability: int


@dataclass(frozen=True)
class Arithmetic:
    """Element types by how the architecture computes with them; those that are only stored are converted to compute."""

    native: tuple[str, ...]
    converted: tuple[str, ...]
    stored: tuple[str, ...]


@dataclass(frozen=True)
class Atomics:
    """Element types that have indivisible accesses, and what these order around themselves."""

    dtypes: tuple[str, ...]
    updates: tuple[str, ...]
    orders: tuple[str, ...]
    scopes: tuple[str, ...]


@dataclass(frozen=True)
class MatrixUnit:
    """A matrix instruction: `m` x `n` x `k` elements of `inputs`, summed in `accumulator`."""

    name: str
    inputs: str
    accumulator: str
    m: int
    n: int
    k: int


@dataclass(frozen=True)
class CpuProfile:
    """`local_elements`: a buffer of at most as many elements of known number lies in the frame of one thread.

    `stack_bytes`: what such frames may have in all. `march` is the compiler's word for `isa`.
    """

    name: str
    isa: str
    march: str
    abi: Abi
    arithmetic: Arithmetic
    atomics: Atomics
    vector_bytes: int
    masked_tail: bool
    gather: bool
    instructions: tuple[str, ...]
    spaces: tuple[str, ...]
    barriers: tuple[str, ...]
    threads: int
    stack_bytes: int
    local_elements: int


@dataclass(frozen=True)
class CudaProfile:
    """`shared_bytes` is what a block may have without asking for more, `shared_opt_in` with it.

    `grid_x`, `grid_yz`: the greatest numbers of blocks; `block_threads`: how many threads blocks usually have.
    """

    name: str
    arch: str
    abi: Abi
    arithmetic: Arithmetic
    atomics: Atomics
    matrix: tuple[MatrixUnit, ...]
    access_bytes: int
    transaction_bytes: int
    instructions: tuple[str, ...]
    spaces: tuple[str, ...]
    barriers: tuple[str, ...]
    warp: int
    threads_per_block: int
    block_threads: int
    grid_x: int
    grid_yz: int
    registers_per_thread: int
    registers_per_block: int
    shared_bytes: int
    shared_opt_in: int
    local_elements: int


Profile: TypeAlias = CpuProfile | CudaProfile
KINDS = {"cpu": CpuProfile, "cuda": CudaProfile}


def kind_of(found: Profile) -> str:
    """`cpu` or `cuda`."""
    return "cpu" if isinstance(found, CpuProfile) else "cuda"


def fingerprint(found: Profile | Abi) -> str:
    """A digest of all that a profile says, so that a plan can name the very profile that it was bound to."""
    return digest(SCHEMA, canonical(plain(found)))


def profile_names() -> tuple[str, ...]:
    return named("profiles")


@cache
def profile(name: str) -> Profile:
    """The profile of an instruction set level or an architecture; of the usual one for `cpu`, `cuda` and `cuda-sim`.

    Raises: IntentError when there is none.
    """
    wanted = USUAL.get(name, name)
    if wanted not in profile_names():
        known = f"known: {', '.join(profile_names())}"
        raise IntentError([Diagnostic("gate.target.unknown", f"there is no profile of `{name}`", help=known)])
    return record(KINDS, "profiles", wanted)


def architectures() -> tuple[str, ...]:
    """The CUDA architectures that emitted code runs on, by age: those with all that the usual one has."""
    found = (profile(name) for name in profile_names())
    served = [p for p in found if isinstance(p, CudaProfile) and p.abi.capability >= profile("cuda").abi.capability]
    return tuple(p.arch for p in sorted(served, key=lambda each: (each.abi.capability, each.arch)))


def is_served(architecture: str) -> bool:
    """Whether it is one of `architectures`, or a feature set of one: `sm_100a` and `sm_100f` are of `sm_100`."""
    generation = architecture.rstrip("af")
    has_sets = generation in architectures() and profile(generation).abi.capability >= _FEATURE_SETS
    return architecture in architectures() or has_sets


def least(names: tuple[str, ...]) -> Profile:
    """The profile that all of some architectures of one family have what it has: that of the least capability."""
    return min((profile(name) for name in names), key=lambda found: found.abi.capability)
