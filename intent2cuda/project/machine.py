"""What this machine can do, as far as compiled kernels ask: its processor, and the CUDA device if there is one."""

from __future__ import annotations

import ctypes
import functools
import platform
import re
import struct
from dataclasses import dataclass
from typing import Any

from intent2cuda.project import toolchain

_MACHINES = {"AMD64": "x86_64", "arm64": "aarch64"}
_LIBRARIES = ("libcuda.so.1", "libcuda.so", "nvcuda.dll")
_MAJOR, _MINOR, _THREADS, _SHARED_OPT_IN = 75, 76, 1, 97
"""Numbers of `CUdevice_attribute`."""
_NAME_BYTES = 128


@dataclass(frozen=True)
class Device:
    """A CUDA device. `capability` and `driver` are major and minor number; `driver` is the newest CUDA it serves.

    `name`: as its maker calls it.
    """

    capability: tuple[int, int]
    driver: tuple[int, int]
    threads_per_block: int
    shared_bytes: int
    memory_bytes: int
    name: str = ""


@dataclass(frozen=True)
class Machine:
    """`features`: the flags of the processor as Linux names them; None when nobody says what it has."""

    processor: str
    features: frozenset[str] | None
    pointer_bits: int
    device: Device | None


@functools.cache
def this_machine() -> Machine:
    """The machine that this program runs on, with its first CUDA device."""
    name = platform.machine()
    return Machine(_MACHINES.get(name, name), _features(), struct.calcsize("P") * 8, first_device())


def _features() -> frozenset[str] | None:
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", toolchain.host_processor(), re.MULTILINE)
    return frozenset(found[1].split()) if found else None


def first_device() -> Device | None:
    """The first device, asked of the driver itself: no CUDA toolkit is needed for that."""
    driver = _driver()
    if driver is None or driver.cuInit(0) != 0:
        return None
    device, version, memory = ctypes.c_int(), ctypes.c_int(), ctypes.c_size_t()
    if driver.cuDeviceGet(ctypes.byref(device), 0) != 0 or driver.cuDriverGetVersion(ctypes.byref(version)) != 0:
        return None
    driver.cuDeviceTotalMem_v2(ctypes.byref(memory), device)
    name = ctypes.create_string_buffer(_NAME_BYTES)
    driver.cuDeviceGetName(name, _NAME_BYTES, device)

    def attribute(number: int) -> int:
        value = ctypes.c_int()
        return value.value if driver.cuDeviceGetAttribute(ctypes.byref(value), number, device) == 0 else 0

    return Device(
        capability=(attribute(_MAJOR), attribute(_MINOR)),
        driver=(version.value // 1000, version.value % 1000 // 10),
        threads_per_block=attribute(_THREADS),
        shared_bytes=attribute(_SHARED_OPT_IN),
        memory_bytes=memory.value,
        name=name.value.decode(errors="replace"),
    )


def _driver() -> Any:
    for name in _LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None
