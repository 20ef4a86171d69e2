"""A size that the algorithm sees, bound when the kernel is compiled."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def block_sums(x: I.In[I.f32, ("G", "WIDTH")], y: I.Out[I.f32, ("G",)], WIDTH: I.Constexpr[int] = 4):
    assert WIDTH > 0
    y[:] = I.reduce.sum(x[:, :], axis=1) if WIDTH > 1 else x[:, 0]


CONSTEXPRS = {"WIDTH": 2}
INPUTS = {"x": np.array([[1, 2], [3, 4]], np.float32)}
EXPECTED = {"y": np.array([3, 7], np.float32)}
