"""intent2cuda itself as a contender: the kernels of the examples, compiled for `cpu`, called on given arrays.

A builder makes the outputs and compiles; what its peers do inside the timed call (a copy of the grid, zeros to add to,
bodies side by side) is done inside the timed call here too.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

import intent2cuda as intent

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def version() -> str:
    return f"intent2cuda {intent.__version__}"


def compiled(folder: str, kernel: str, **constexprs):
    return intent.compile(intent.load(f"{EXAMPLES / folder / 'kernel.py'}:{kernel}"), "cpu", constexprs)


def called(artifact, *arguments) -> Callable[[], object]:
    """A call that runs to completion and returns the last argument, the output."""

    def call():
        artifact(*arguments)
        return arguments[-1]

    return call


def gelu(x, b, a):
    return called(compiled("01_saxpy_gelu", "saxpy_gelu"), x, b, float(a), np.empty_like(x))


def softmax(x):
    return called(compiled("04_softmax", "softmax"), x, np.empty_like(x))


def layernorm(x, res, g, be):
    return called(compiled("03_layer_norm", "layer_norm"), x, res, g, be, 1e-5, np.empty_like(x))


def sum_(x):
    return called(compiled("05_reductions", "total"), x, np.empty((), np.float32))


def max_(x):
    return called(compiled("05_reductions", "maximum"), x, np.empty((), np.float32))


def argmax(x):
    value, place = np.empty(len(x), np.float32), np.empty(len(x), np.int64)
    return called(compiled("05_reductions", "row_peaks"), x, value, place)


def matmul(a, b):
    return called(compiled("06_matmul", "matmul"), a, b, np.empty((a.shape[0], b.shape[1]), np.float32))


def matmul_i8(a, b):
    return called(compiled("11_quantised", "int8_matmul"), a, b, np.empty((a.shape[0], b.shape[1]), np.int32))


def attention(q, k, v, causal):
    return called(compiled("08_attention", "attention", CAUSAL=causal), q, k, v, q.shape[-1] ** -0.5, np.empty_like(q))


def linattn(q, k, v):
    artifact = compiled("09_linear_attention", "linear_attention")
    out, state = np.empty_like(q), np.empty((q.shape[0], q.shape[2], v.shape[2]), np.float32)

    def call():
        artifact(q, k, v, out, state)
        return out

    return call


def jacobi2d(u, steps):
    assert steps % 2 == 0
    artifact = compiled("13_stencil", "jacobi")
    grid, other = np.empty_like(u), np.empty_like(u)

    def call():
        grid[:] = u
        other[:] = u
        artifact(grid, other, steps // 2)
        return grid

    return call


def philox(n, k0, k1):
    return called(compiled("14_monte_carlo", "uniform"), k1 << 32 | k0, np.empty(n, np.float32))


def top8(x, k):
    artifact = compiled("15_top_k", "top_k_once", K=k)
    value, place = np.empty((len(x), k), np.float32), np.empty((len(x), k), np.int32)

    def call():
        artifact(x, value, place)
        return value, place

    return call


def spmv(ptr, col, val, x):
    return called(compiled("16_sparse_products", "csr_vector"), ptr, col, val, x, np.empty(len(ptr) - 1, np.float32))


def spmm(ptr, col, val, x):
    y = np.empty((len(ptr) - 1, x.shape[1]), np.float32)
    return called(compiled("16_sparse_products", "csr_matrix"), ptr, col, val, x, y)


def smith_waterman(a, b):
    return called(compiled("17_sequences", "smith_waterman"), a, b, np.empty(len(a), np.int32))


def viterbi(em, tr):
    return called(compiled("17_sequences", "viterbi"), em, tr, np.empty(em.shape[:2], np.int32))


def nbody(p, m):
    artifact = compiled("18_n_body", "accelerations")
    out = np.empty((3, len(p)), np.float32)

    def call():
        artifact(np.ascontiguousarray(p.T), m, 1e-3, out)
        return out.T

    return call


def xent(x, t):
    return called(compiled("19_cross_entropy", "mean_loss"), x, t, np.empty((), np.float32))


def segmean(x, off):
    return called(compiled("20_aggregation", "segment_mean"), x, off, np.empty(len(off) - 1, np.float32))


def scatter_add(g, idx, rows):
    artifact = compiled("20_aggregation", "scatter_add")
    total = np.empty((rows, g.shape[1]), np.float32)

    def call():
        total.fill(0)
        artifact(g, idx, total)
        return total

    return call


def histogram(x):
    return called(compiled("20_aggregation", "histogram"), x, np.empty(256, np.int32))


def cumsum(x):
    return called(compiled("20_aggregation", "running_sums"), x, np.empty_like(x))
