"""log(sum(exp(x))) of rows: a slice gives its maximum and its mass."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.fn
def summary(part):
    peak = I.reduce.max(part, axis=0)
    return I.record(peak=peak, mass=I.reduce.sum(I.exp(part - peak), axis=0))


@intent.fn
def joined(a, b):
    peak = I.maximum(a.peak, b.peak)
    return I.record(peak=peak, mass=a.mass * I.exp(a.peak - peak) + b.mass * I.exp(b.peak - peak))


@intent.kernel
def log_sum_exp(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M",)]):
    nothing = I.record(peak=I.cast(-1e30, I.f32), mass=I.cast(0.0, I.f32))
    for m in I.parallel(I.domain(0, x.shape[0])):
        whole = I.region_fold(x[m, :], 0, summary, joined, nothing)
        y[m] = whole.peak + I.log(whole.mass)


INPUTS = {"x": np.array([[0, 0, 0], [1, 2, 3]], np.float32)}
EXPECTED = {"y": np.log(np.exp(np.array([[0, 0, 0], [1, 2, 3]])).sum(axis=1)).astype(np.float32)}
TOLERANCE = 1e-6
