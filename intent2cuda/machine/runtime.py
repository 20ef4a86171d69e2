"""The names of the runtime that programs use: the header of each, for all targets and for one."""

from __future__ import annotations

from collections.abc import Mapping

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
    "from_bytes",
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
_CHECKS = (
    "require_extents",
    "require_equal",
    "require_one_or_equal",
    "require_stride",
    "require_capacity",
    "require_disjoint",
    "require_disjoint_or_same",
)

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

COMMON: Mapping[str, str] = {
    **dict.fromkeys(_INTEGER, "intent/integer.hpp"),
    **dict.fromkeys(_NUMERIC, "intent/numeric.hpp"),
    **dict.fromkeys(_CHECKS, "intent/check.hpp"),
    **dict.fromkeys(("Add", "Maximum", "Minimum", "All", "Any"), "intent/combine.hpp"),
    **dict.fromkeys(("line", "lines", "unit_stride"), "intent/line.hpp"),
    "philox": "intent/philox.hpp",
}
CPU: Mapping[str, str] = {
    **dict.fromkeys(_MATH, "intent/cpu/math.hpp"),
    **dict.fromkeys(
        (
            *("fold", "parallel_fold", "fold_columns", "arg_max", "parallel_fold_columns"),
            *("PrefetchRow", "PrefetchAhead"),
        ),
        "intent/cpu/fold.hpp",
    ),
    "RowsAhead": "intent/cpu/rows_ahead.hpp",
    **dict.fromkeys(("Values", "Each"), "intent/cpu/fold_together.hpp"),
    **dict.fromkeys(("fold_abreast", "fold_few"), "intent/cpu/fold_abreast.hpp"),
    **dict.fromkeys(("arg_max_columns", "parallel_arg_max_columns"), "intent/cpu/arg_max_columns.hpp"),
    **dict.fromkeys(("map", "map_row"), "intent/cpu/map_line.hpp"),
    "map_inside": "intent/cpu/map_inside.hpp",
    **dict.fromkeys(("map_random", "map_random_row", "PhiloxRow"), "intent/cpu/map_random.hpp"),
    **dict.fromkeys(("kParallelWork", "kStreamBytes", "least"), "intent/cpu/parallel.hpp"),
    **dict.fromkeys(("Matrix", "matmul", "computed"), "intent/cpu/matmul.hpp"),
    "fill": "intent/cpu/fill.hpp",
    "matrix": "intent/cpu/matrix.hpp",
    **dict.fromkeys(("Faults", "holds", "require_kept"), "intent/cpu/faults.hpp"),
    **dict.fromkeys(("scan_row", "parallel_scan", "ScanKind"), "intent/cpu/scan_line.hpp"),
    **dict.fromkeys(("scan_columns", "parallel_scan_columns"), "intent/cpu/scan_columns.hpp"),
    **dict.fromkeys(("ragged_folds", "ragged_rows"), "intent/cpu/ragged_rows.hpp"),
    "scatter_add": "intent/cpu/scatter.hpp",
    "parallel_fold_rows": "intent/cpu/fold_rows.hpp",
    "finish_streaming": "intent/cpu/stream.hpp",
    **dict.fromkeys(_ATOMICS, "intent/cpu/atomic.hpp"),
    **dict.fromkeys(("thread_scratch", "team_scratch"), "intent/cpu/scratch.hpp"),
    "for_each_where": "intent/cpu/for_each_where.hpp",
    **dict.fromkeys(("time_tiles", "Turns", "Rows", "Planes"), "intent/cpu/time_tiles.hpp"),
    "Caught": "intent/cpu/caught.hpp",
}
TAKE_MEMORY = frozenset(
    f"intent::{name}"
    for name in (
        *("thread_scratch", "team_scratch", "matmul", "scatter_add", "ragged_folds", "ragged_rows", "parallel_scan"),
        *("parallel_fold", "parallel_fold_columns", "parallel_fold_rows", "parallel_arg_max_columns"),
    )
)
"""Those for cpu that throw std::bad_alloc where there is not enough."""
CUDA: Mapping[str, str] = {
    **dict.fromkeys(_MATH, "intent/device/math.cuh"),
    **dict.fromkeys(("thread_fold", "thread_arg_max"), "intent/device/thread/fold.cuh"),
    **dict.fromkeys(("Values", "Each"), "intent/together.hpp"),
    "block_fill": "intent/device/block/fill.cuh",
    "block_fold": "intent/device/block/fold.cuh",
    "block_arg_max": "intent/device/block/arg_max.cuh",
    "block_matmul": "intent/device/block/matmul.cuh",
    "launch": "intent/device/device.cuh",
    "swap": "intent/device/swap.cuh",
    "grid_of": "intent/device/grid.cuh",
    "grid_of_at_most": "intent/device/grid.cuh",
    **dict.fromkeys(_ATOMICS, "intent/device/atomic.cuh"),
    "block_once": "intent/device/block/once.cuh",
    "device_require_equal": "intent/device/check.cuh",
    **dict.fromkeys(("workspace_array", "workspace_bytes", "require_workspace"), "intent/device/workspace.cuh"),
}
NARROW: Mapping[str, str] = {
    "f16": "intent/float16.hpp",
    "bf16": "intent/float16.hpp",
    "f8e4m3fn": "intent/float8.hpp",
    "f8e5m2": "intent/float8.hpp",
}
