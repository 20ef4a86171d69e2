"""Side by side on a new last axis; a reshape then interleaves."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def interleaved(even: I.In[I.f32, ("N",)], odd: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("M",)]):
    y[:] = I.reshape(I.join(even[:], odd[:]), (y.shape[0],))


INPUTS = {"even": np.array([0, 2], np.float32), "odd": np.array([1, 3], np.float32)}
EXPECTED = {"y": np.array([0, 1, 2, 3], np.float32)}
