"""What ties a plan to a target, and is therefore in no portable one: found in every key and every value, at any depth.

The schema has no field for any of it; the walk is for what stands in text, and for records that somebody adds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.plan.portable import PortablePlan

FORBIDDEN: Mapping[str, tuple[str, ...]] = {
    "implementation": (
        "implementation", "kernel_id", "simt", "wgmma", "mma", "ldmatrix", "cp_async", "shuffle", "simd", "unroll",
    ),
    "library": (
        "library", "cublas", "cudnn", "cutlass", "cub", "thrust", "mkl", "onednn", "nccl", "openblas", "eigen",
    ),
    "device": (
        "device", "gpu", "cpu", "cuda", "nvidia", "amd", "intel", "arm", "x86", "armv8", "avx", "neon", "sm_", "uuid",
        "ordinal", "h100", "h200", "a100",
    ),
    "route": ("route", "link", "pcie", "nvlink", "channel", "copy_path"),
    "queue": ("queue", "stream"),
    "engine": ("engine", "tensor_core", "tensorcore", "openmp", "omp", "thread_pool"),
    "bank": ("bank", "shared_memory", "smem", "register", "registers", "tensor_memory", "l1", "l2", "cache"),
    "address": ("address", "offset", "pointer"),
    "latency": (
        "latency_ns", "nanosecond", "nanoseconds", "microsecond", "microseconds", "gflop", "gflops", "tflops",
        "peak_rate", "bandwidth_gbs", "efficiency", "occupancy", "cycles", "clock",
    ),
    "timestamp": ("timestamp", "start_time", "end_time", "started", "finished", "duration"),
}  # fmt: skip
"""Words by what they name. One that ends with `_` is also the beginning of longer words."""

_NAMED = {
    kind: re.compile(
        "|".join(f"_{word}{'' if word.endswith('_') else '_' if word[-1].isdigit() else '[0-9]*_'}" for word in words)
    )
    for kind, words in FORBIDDEN.items()
}
"""Whether a word stands in a row of words between underscores, or begins one, or has a number behind it.

One that ends with a digit has none behind it: `a1000548` is a digest.
"""

DIALECT = "intent"


def forbidden(plan: PortablePlan) -> Iterator[Diagnostic]:
    """A finding for each word that names something of a target; the names that authors chose may be anything."""
    authors = {plan.kernel, *(b.id for b in plan.buffers), *(name for d in plan.data for name in (d.name, d.table))}
    for text in dict.fromkeys(_texts(plan)):
        if text not in authors:
            for kind in kinds(text):
                yield Diagnostic(
                    f"portable.forbidden.{kind}", "a portable plan names nothing of a target", subject=text
                )
    for task in plan.tasks:
        if task.operation.partition(".")[0] != DIALECT:
            yield Diagnostic("portable.dialect", f"{task.operation} is no operation of the language", subject=task.id)


def kinds(text: str) -> Iterator[str]:
    """What of a target the words of a text name."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text).lower()
    parts = re.split(r"[^a-z0-9]+", spaced)
    joined = "_" + "_".join(part for part in parts if part) + "_"
    return (kind for kind, named in _NAMED.items() if named.search(joined))


def _texts(item: Any) -> Iterator[str]:
    """Every text in a record: values of fields, keys and values of mappings, names of fields that no schema has."""
    match item:
        case str():
            yield item
        case Enum():
            yield str(item.value)
        case IntExpr() | None | bool() | int() | float():
            return
        case Mapping():
            for key, value in cast(Mapping[Any, Any], item).items():
                yield from _texts(key)
                yield from _texts(value)
        case tuple() | list() | set() | frozenset():
            for part in cast(Collection[Any], item):
                yield from _texts(part)
        case _ if is_dataclass(item):
            known = type(item).__module__.startswith("intent2cuda.")
            for each in fields(item):
                if not known:
                    yield each.name
                yield from _texts(getattr(item, each.name))
        case _:
            yield repr(item)
