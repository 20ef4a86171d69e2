"""The greatest member and its place; the first on ties."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def winners(x: I.In[I.f32, ("M", "N")], best: I.Out[I.f32, ("M",)], place: I.Out[I.i64, ("M",)]):
    value, position = I.arg_reduce.max(x[:, :], axis=1)
    best[:] = value
    place[:] = I.cast(position, I.i64)


INPUTS = {"x": np.array([[1, 9, 9], [5, 2, 3]], np.float32)}
EXPECTED = {"best": np.array([9, 5], np.float32), "place": np.array([1, 0])}
