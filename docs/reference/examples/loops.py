"""Ordered loops carry names from round to round."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def first_above(x: I.In[I.f32, ("N",)], limit: I.f32, place: I.Out[I.i64, ()], rounds: I.Out[I.i64, ()]):
    found = -1
    for ordinal, n in enumerate(I.domain(0, x.shape[0])):
        if x[n] > limit:
            found = I.cast(ordinal, I.i64)
            break
    place[()] = found
    count = 0
    power = 1.0
    while power < 100.0:
        power = power * 3.0
        count += 1
    rounds[()] = count


INPUTS = {"x": np.array([1, 5, 9], np.float32), "limit": 4.0}
EXPECTED = {"place": np.array(1), "rounds": np.array(5)}
