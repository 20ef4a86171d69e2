"""Softmax over the last axis."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def softmax(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    """Each row of y is exp(x - max) over its sum."""
    for row in I.parallel(I.domain(0, x.shape[0])):
        value = x[row, :]
        peak = I.reduce.max(value, axis=0)
        weight = I.exp(value - peak)
        y[row, :] = weight / I.reduce.sum(weight, axis=0)
