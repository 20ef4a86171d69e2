"""Sums and maxima; bytes are added as u32."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def totals(x: I.In[I.u8, ("M", "N")], rows: I.Out[I.u32, ("M",)], whole: I.Out[I.u32, ()], most: I.Out[I.u8, ("N",)]):
    rows[:] = I.reduce.sum(x[:, :], axis=1)
    whole[()] = I.reduce.sum(x[:, :], axis=(0, 1))
    most[:] = I.reduce.max(x[:, :], axis=0)


INPUTS = {"x": np.array([[200, 100], [7, 255]], np.uint8)}
EXPECTED = {
    "rows": np.array([300, 262], np.uint32),
    "whole": np.array(562, np.uint32),
    "most": np.array([200, 255], np.uint8),
}
