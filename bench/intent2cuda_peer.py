"""intent2cuda itself as a contender: the kernels of the examples, compiled for `cpu`, called on given arrays.

Only rows whose kernel the language part covers are written; an op without a builder is left blank by the harness.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

import intent2cuda as intent

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def version() -> str:
    return f"intent2cuda {intent.__version__}"


def compiled(folder: str, kernel: str):
    return intent.compile(intent.load(f"{EXAMPLES / folder / 'kernel.py'}:{kernel}"), target="cpu")


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


def matmul(a, b):
    return called(compiled("06_matmul", "matmul"), a, b, np.empty((a.shape[0], b.shape[1]), np.float32))


def argmax(x):
    artifact = compiled("05_reductions", "row_peaks")
    value, place = np.empty(x.shape[0], np.float32), np.empty(x.shape[0], np.int64)
    return called(artifact, x, value, place)
