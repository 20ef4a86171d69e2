"""Names that authors of other systems and of older texts write, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Hint:
    """The code, why the name does not exist, and the replacement."""

    code: str
    reason: str
    help: str


def _query(reason: str, help: str) -> Hint:
    return Hint("src.kernel.query", reason, help)


_MACHINE = "a kernel cannot ask about the machine it runs on"
_NO_MACHINE = "leave it out: the compiler decides for each target"
_POINTS = "use I.parallel over a domain, or I.indices for coordinates"

QUERIES: Mapping[str, Hint] = {
    **{
        name: _query(_MACHINE, _POINTS)
        for name in (
            "program_id", "num_programs", "thread_id", "block_id", "lane_id", "warp_id", "grid_size", "block_size",
            "threadIdx", "blockIdx", "blockDim", "gridDim", "laneId", "warpId",
        )
    },
    **{
        name: _query(_MACHINE, _NO_MACHINE)
        for name in (
            "warp_size", "warpSize", "device_count", "device", "capability", "target", "arch", "sm_count", "num_sms",
            "shared_memory_size", "compute_capability", "provider", "backend", "max_threads",
        )
    },
    **{
        name: _query("synchronisation is the compiler's", "leave it out: program order inside a point is kept")
        for name in ("barrier", "sync", "syncthreads", "__syncthreads", "fence", "debug_barrier")
    },
}  # fmt: skip

_LAYOUT_HELP = "leave it out: layouts are tested at the call"
_ALIGNMENT = Hint("src.view.physical", "alignment is no matter of the algorithm", _LAYOUT_HELP)
_SPACE = Hint("src.buffer.space", "memory spaces are the compiler's", "use I.buffer")
_OLDER = "the name is of an older text"

_CONCAT = "values are not concatenated"
_SUBREGIONS = "write each part by assignment to its subregion, or pair equal shapes with I.join"

REMOVED: Mapping[str, Hint] = {
    "partition": Hint(
        "src.partition", "there is no partition", "iterate I.domain with I.parallel, and slice the domain for parts"
    ),
    "auto": Hint(
        "src.partition",
        "`auto` extents do not exist",
        "leave blocking to the compiler; logical parts come from slices of I.domain",
    ),
    "state_stream": Hint(
        "src.state_stream",
        "there is no state_stream",
        "use reduce, scan, region_fold, region_scan, or a plain loop",
    ),
    "ordered": Hint("src.ordered", "there is no ordered marker", "a plain `for` over I.domain keeps its order"),
    "stop": Hint(
        "src.stop", "there is no stop operation", "use break, the condition of a while, or the end of the domain"
    ),
    "copy": Hint("src.copy", "there is no copy operation", "write an assignment: o[:] = x[:]"),
    "async_copy": Hint("src.copy", "copies are the compiler's", "write an assignment: o[:] = x[:]"),
    **dict.fromkeys(("concat", "concatenate", "cat"), Hint("src.concat.unsupported", _CONCAT, _SUBREGIONS)),
    "stack": Hint("src.concat.unsupported", "values are not stacked", "I.join pairs two values on a new last axis"),
    **dict.fromkeys(("shared", "shared_memory", "local"), _SPACE),
    "atomic_add": Hint("src.removed.atomic_add", _OLDER, "use I.atomic.add"),
    "atomic_max": Hint("src.removed.atomic_max", _OLDER, "use I.atomic.max"),
    "atomic_min": Hint("src.removed.atomic_min", _OLDER, "use I.atomic.min"),
    "f8e8m0fnu": Hint("src.removed.f8e8m0fnu", "scales have no dtype of their own", "use u8: E8M0 scales are I.u8"),
    "assume": Hint("src.assume", "conditions are not assumed", "use I.assume_in_bounds for an index"),
    **dict.fromkeys(("assume_aligned", "multiple_of"), _ALIGNMENT),
    "load": Hint("src.pointer", "there are no pointers", "read by subscript, x[...], or with I.gather"),
}

_LEAST = "I.reduce(value, axis=..., identity=..., combine=I.minimum)"

SPELLINGS: Mapping[str, str] = {
    "reduce.min": _LEAST, "reduce.minimum": _LEAST, "reduce.maximum": "I.reduce.max", "reduce.add": "I.reduce.sum",
    "where": "I.select", "arange": "I.indices of an I.domain", "iota": "I.indices of an I.domain",
    "sum": "I.reduce.sum", "max": "I.reduce.max, or I.maximum of two values",
    "min": f"{_LEAST}, or I.minimum of two values",
    "any": "I.reduce.any", "all": "I.reduce.all", "argmax": "I.arg_reduce.max", "mean": "I.reduce.sum and a division",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "sub": "-", "mul": "*", "div": "/",
    "power": "**", "pow": "**", "neg": "-", "float32": "I.f32", "float16": "I.f16", "float64": "I.f64",
    "bfloat16": "I.bf16", "int8": "I.i8", "int16": "I.i16", "int32": "I.i32", "int64": "I.i64", "uint8": "I.u8",
    "uint16": "I.u16", "uint32": "I.u32", "uint64": "I.u64", "bool_": "I.bool", "softmax": "I.exp and I.reduce",
    "relu": "I.maximum(x, 0.0)", "gelu": "I.erf or I.tanh", "logical_and": "`and`", "logical_or": "`or`",
    "logical_not": "`not`", "clip": "I.minimum and I.maximum", "clamp": "I.minimum and I.maximum",
    "einsum": "I.contract",
    "ones": "I.full", "empty": "I.buffer", "broadcast_to": "`None` in an index", "expand_dims": "`None` in an index",
    "T": "I.transpose", "permute": "I.transpose", "view": "I.reshape", "astype": "I.cast", "to": "I.cast",
    "cdiv": "(a + b - 1) // b", "size": "shape", "ndim": "the number of extents in shape", "item": "a subscript",
}  # fmt: skip

PYTHON_CALLS: Mapping[str, str] = {
    "max": "I.maximum", "min": "I.minimum", "abs": "I.abs", "sum": "I.reduce.sum", "len": "x.shape[0]", "pow": "**",
    "float": "I.cast", "int": "I.cast", "bool": "I.cast", "round": "I.floor(x + 0.5)", "any": "I.reduce.any",
    "all": "I.reduce.all", "zip": "one loop over a domain", "reversed": "a forward ordinal: n - 1 - i",
    **dict.fromkeys(("rand", "randn", "random", "uniform", "normal"), "I.random.uniform or I.random.bits"),
    "divmod": "// and %", "print": "an Out view", "map": "an expression over whole tensors",
}  # fmt: skip

PHYSICAL_WORDS = frozenset(
    {
        "level",
        "num_warps",
        "num_stages",
        "num_ctas",
        "vectorize",
        "vector",
        "vector_width",
        "unroll",
        "threads",
        "block",
        "blocks",
        "warp",
        "warps",
        "grid",
        "tile",
        "tile_size",
        "chunk",
        "schedule",
        "stages",
        "layout",
        "space",
        "alignment",
        "align",
        "contiguous",
        "swizzle",
        "memory",
        "memory_space",
        "scope",
        "allow_tf32",
        "tf32",
        "pipeline",
        "cluster",
        "eviction_policy",
        "cache",
        "cache_modifier",
        "volatile",
        "simd",
        "parallelism",
    }
)

_TARGET = (
    "target",
    "provider",
    "gpu",
    "sm",
    "arch",
    "isa",
    "capability",
    "device",
    "cuda",
    "vendor",
    "backend",
    "hardware",
)
_LAYOUT = ("tma", "mma", "wgmma", "wmma", "layout", "swizzle", "ldmatrix", "tensorcore", "tensorcores")
_TILE = ("warp", "warps", "stages", "tile", "tiles", "cta", "ctas", "smem", "unroll", "numthreads", "simd")
_TUNING = ("autotune", "autotuning", "tuning", "tune")

CONSTEXPR_WORDS: Mapping[str, str] = {
    **dict.fromkeys(_TARGET, "src.constexpr.target"),
    **dict.fromkeys(_LAYOUT, "src.constexpr.layout"),
    **dict.fromkeys(_TILE, "src.constexpr.tile"),
    **dict.fromkeys(_TUNING, "src.constexpr.tuning"),
}


def hardware_code(name: str) -> str | None:
    """The code under which a Constexpr's name is refused, when one of its words names a machine."""
    return next((CONSTEXPR_WORDS[w] for w in name.lower().split("_") if w in CONSTEXPR_WORDS), None)
