"""The constants: the running maximum begins at -inf, and exp2 computes exp."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def decayed(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    peak: I.f32 = -I.inf
    for n in range(x.shape[0]):
        peak = I.maximum(peak, x[n])
    y[:] = I.exp2((x[:] - peak) * I.LOG2E)


INPUTS = {"x": np.array([1, 3, 2], np.float32)}
EXPECTED = {"y": np.exp(np.array([-2, 0, -1], np.float32))}
TOLERANCE = 1e-6
