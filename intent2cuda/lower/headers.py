"""Which headers a unit needs: read off the names that its text uses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from intent2cuda.machine.expressions import Call, Construct, Literal
from intent2cuda.machine.types import Named, Scalar, View
from intent2cuda.machine.unit import Constant, Function
from intent2cuda.machine.walk import nodes
from intent2cuda.types.dtype import DTYPES, DType


@dataclass(frozen=True)
class Headers:
    runtime: tuple[str, ...]
    system: tuple[str, ...]


_INTEGER = (
    "wrap_add",
    "wrap_sub",
    "wrap_mul",
    "wrap_neg",
    "wrap_abs",
    "floor_div",
    "floor_mod",
    "ceil_div",
    "shift_left",
    "shift_right",
)
_NUMERIC = (
    "maximum",
    "minimum",
    "maximum_num",
    "minimum_num",
    "infinity",
    "quiet_nan",
    "lowest",
    "highest",
    "bit_cast",
    "select",
    "rounded",
)
_MATH = (
    "exp",
    "exp2",
    "log",
    "log1p",
    "lgamma",
    "sin",
    "cos",
    "asin",
    "tanh",
    "floor",
    "sqrt",
    "rsqrt",
    "sigmoid",
    "erf",
    "erfc",
    "i0",
    "abs",
    "pow",
)
_CHECKS = ("require_shape", "require_stride", "require_capacity", "require_disjoint", "require_disjoint_or_same")

_ATOMICS = (
    "atomic_load",
    "atomic_store",
    "atomic_add",
    "atomic_max",
    "atomic_min",
    "atomic_exchange",
    "atomic_and",
    "atomic_or",
    "atomic_xor",
    "atomic_compare_exchange",
)

_COMMON: dict[str, str] = {
    **dict.fromkeys(_INTEGER, "intent/integer.hpp"),
    **dict.fromkeys(_NUMERIC, "intent/numeric.hpp"),
    **dict.fromkeys(_CHECKS, "intent/check.hpp"),
    **dict.fromkeys(("Add", "Maximum", "Minimum", "All", "Any"), "intent/combine.hpp"),
    **dict.fromkeys(("line", "lines", "unit_stride"), "intent/line.hpp"),
    "philox": "intent/philox.hpp",
}
_CPU: dict[str, str] = {
    **dict.fromkeys(_MATH, "intent/cpu/math.hpp"),
    **dict.fromkeys(
        (
            *("fold", "parallel_fold", "fold_columns", "arg_max", "parallel_fold_columns"),
            *("PrefetchRow", "PrefetchAhead"),
        ),
        "intent/cpu/fold.hpp",
    ),
    **dict.fromkeys(("arg_max_columns", "parallel_arg_max_columns"), "intent/cpu/arg_max_columns.hpp"),
    **dict.fromkeys(("map", "map_row"), "intent/cpu/map_line.hpp"),
    **dict.fromkeys(("kParallelWork", "kStreamBytes", "least"), "intent/cpu/parallel.hpp"),
    **dict.fromkeys(("Matrix", "matmul", "computed"), "intent/cpu/matmul.hpp"),
    "matrix": "intent/cpu/matrix.hpp",
    **dict.fromkeys(("scan_row", "parallel_scan", "ScanKind"), "intent/cpu/scan.hpp"),
    "scatter_add": "intent/cpu/scatter.hpp",
    "parallel_fold_rows": "intent/cpu/fold_rows.hpp",
    "finish_streaming": "intent/cpu/stream.hpp",
    **dict.fromkeys(_ATOMICS, "intent/cpu/atomic.hpp"),
    "thread_scratch": "intent/cpu/scratch.hpp",
}
_CUDA: dict[str, str] = {
    **dict.fromkeys(_MATH, "intent/device/math.cuh"),
    **dict.fromkeys(("thread_fold", "thread_arg_max"), "intent/device/thread/fold.cuh"),
    "block_fold": "intent/device/block/fold.cuh",
    "block_arg_max": "intent/device/block/arg_max.cuh",
    "block_matmul": "intent/device/block/matmul.cuh",
    "launch": "intent/device/device.cuh",
    "grid_of": "intent/device/grid.cuh",
    **dict.fromkeys(_ATOMICS, "intent/device/atomic.cuh"),
    "block_once": "intent/device/block/once.cuh",
    "device_require": "intent/device/check.cuh",
    **dict.fromkeys(("workspace_array", "workspace_bytes"), "intent/device/workspace.cuh"),
}
_NARROW = {
    "f16": "intent/float16.hpp",
    "bf16": "intent/float16.hpp",
    "f8e4m3fn": "intent/float8.hpp",
    "f8e5m2": "intent/float8.hpp",
}


def headers(target: str, functions: Iterable[Function], constants: Iterable[Constant]) -> Headers:
    """The headers of the names in use, and those that every kernel of the target needs."""
    table = {**_COMMON, **(_CUDA if target == "cuda" else _CPU)}
    runtime = {"intent/config.hpp", "intent/view.hpp"}
    system: set[str] = set()
    if target == "cuda":
        runtime.add("intent/device/device.cuh")
    for item in (*functions, *constants):
        for node in nodes(item):
            for name in _runtime_names(node):
                if name in table:
                    runtime.add(table[name])
            for dtype in _dtypes(node):
                if dtype.name in _NARROW:
                    runtime.add(_NARROW[dtype.name])
                if dtype.is_integer:
                    system.add("cstdint")
    for function in functions:
        if function.launch_bounds:
            system.add("cstddef")
    return Headers(tuple(sorted(runtime)), tuple(sorted(system)))


def _runtime_names(node: object) -> Iterable[str]:
    text = ""
    match node:
        case Call():
            text = node.function
        case Construct():
            text = node.type
        case Named():
            text = node.name
        case str():
            text = node
        case Literal():
            text = _literal_function(node)
        case _:
            text = (
                " ".join(p for p in getattr(node, "pragmas", ()))
                + str(getattr(node, "pragma", ""))
                + str(getattr(node, "text", ""))
            )
    return re.findall(r"intent::(\w+)", text)


def _literal_function(literal: Literal) -> str:
    if isinstance(literal.value, float) and literal.value != literal.value:
        return "intent::quiet_nan"
    if isinstance(literal.value, float) and literal.value in (float("inf"), float("-inf")):
        return "intent::infinity"
    dtype = literal.dtype
    return "intent::lowest" if dtype.is_integer and dtype.is_signed and literal.value == dtype.integer_range[0] else ""


def _dtypes(node: object) -> Iterable[DType]:
    match node:
        case Scalar() | View() | Literal():
            return (node.dtype,)
        case Named():
            return tuple(d for d in DTYPES if f"intent::{d.name}" in node.name)
        case _:
            return ()
