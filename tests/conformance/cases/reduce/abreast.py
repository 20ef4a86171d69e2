"""Reductions of neighbours whose members overlap or lie side by side: convolutions, columns. Rows: L91 L45."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I
from conformance.case import Case


@intent.kernel
def convolution(
    x: I.In[I.f32, ("C", "H", "W")],
    w: I.In[I.f32, ("O", "C", 3, 3)],
    bias: I.In[I.f32, ("O",)],
    y: I.Out[I.f32, ("O", "P", "Q")],
):
    for o, p, q in I.parallel((I.domain(0, w.shape[0]), I.domain(0, y.shape[1]), I.domain(0, y.shape[2]))):
        total = I.reduce.sum(x[:, p : p + 3, q : q + 3] * w[o, :, :, :], axis=(0, 1, 2))
        y[o, p, q] = I.maximum(total + bias[o], 0.0)


@intent.kernel
def own_columns(x: I.In[I.f64, ("B", "K", "Q")], y: I.InOut[I.f64, ("B", "Q")]):
    for b, q in I.parallel((I.domain(0, y.shape[0]), I.domain(0, y.shape[1]))):
        y[b, q] = y[b, q] - I.reduce.max(x[b, :, q] + y[b, q], axis=0)


@intent.kernel
def any_above(x: I.In[I.i32, ("B", "K", "Q")], least: I.i32, y: I.Out[I.bool, ("B", "Q")]):
    for b, q in I.parallel((I.domain(0, y.shape[0]), I.domain(0, y.shape[1]))):
        y[b, q] = I.reduce.any(x[b, :, q] > least, axis=0)


def cases(rng):
    for c, o, p, q in ((1, 1, 1, 1), (0, 2, 3, 5), (3, 2, 5, 7), (2, 3, 2, 8), (5, 2, 3, 33), (2, 1, 2, 131)):
        x = rng.integers(-9, 9, (c, p + 2, q + 2)).astype(np.float32)
        w = rng.integers(-9, 9, (o, c, 3, 3)).astype(np.float32)
        bias = rng.integers(-9, 9, o).astype(np.float32)
        windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
        total = np.einsum("cpqij,ocij->opq", windows, w) + bias[:, None, None]
        answer = np.maximum(total, 0).astype(np.float32)
        yield Case("convolution", (x, w, bias), {"y": answer}, id=f"{c}x{o}x{p}x{q}")
    for b, k, q in ((2, 3, 1), (3, 1, 4), (1, 5, 11), (2, 9, 37), (2, 2, 130)):
        x, y = rng.integers(-99, 99, (b, k, q)), rng.integers(-99, 99, (b, q)).astype(np.float64)
        answer = y - (x + y[:, None, :]).max(1)
        yield Case("own_columns", (x.astype(np.float64), y), {"y": answer}, id=f"{b}x{k}x{q}")
        yield Case("any_above", (x.astype(np.int32), 70), {"y": (x > 70).any(1)}, id=f"{b}x{k}x{q}")
