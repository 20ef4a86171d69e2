"""Row-major order under another shape; `...` is inferred."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def paired(x: I.In[I.f32, (6,)], y: I.Out[I.f32, (3, 2)]):
    y[:, :] = I.reshape(x[:], (..., 2))


INPUTS = {"x": np.arange(6, dtype=np.float32)}
EXPECTED = {"y": np.array([[0, 1], [2, 3], [4, 5]], np.float32)}
