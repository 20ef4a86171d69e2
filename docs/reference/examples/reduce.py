"""A reduction of two sums at once by a helper."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.fn
def merged(a, b):
    return I.record(count=a.count + b.count, total=a.total + b.total)


@intent.kernel
def means(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M",)]):
    ones = I.full(x.shape, 1.0, I.f32)
    sums = I.reduce(
        I.record(count=ones, total=x[:, :]), axis=1, identity=I.record(count=0.0, total=0.0), combine=merged
    )
    y[:] = sums.total / sums.count


INPUTS = {"x": np.array([[1, 2, 3], [4, 6, 8]], np.float32)}
EXPECTED = {"y": np.array([2, 6], np.float32)}
