"""A matrix from both sides."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def sides(a: I.In[I.f32, ("M", "N")], x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("M",)], z: I.Out[I.f32, ("N",)]):
    y[:] = I.matvec(a[:, :], x[:], acc_dtype=I.f32)
    z[:] = I.vecmat(y[:], a[:, :], acc_dtype=I.f32)


INPUTS = {"a": np.array([[1, 2], [3, 4]], np.float32), "x": np.array([1, 1], np.float32)}
EXPECTED = {"y": np.array([3, 7], np.float32), "z": np.array([24, 34], np.float32)}
