"""Running sums and maxima."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def running(
    x: I.In[I.i32, ("N",)], sums: I.Out[I.i32, ("N",)], before: I.Out[I.i32, ("N",)], peaks: I.Out[I.i32, ("N",)]
):
    sums[:] = I.cumsum(x[:], axis=0)
    before[:] = I.cumsum(x[:], axis=0, inclusive=False)
    peaks[:] = I.cummax(x[:], axis=0, reverse=True)


INPUTS = {"x": np.array([3, 1, 2], np.int32)}
EXPECTED = {
    "sums": np.array([3, 4, 6], np.int32),
    "before": np.array([0, 3, 4], np.int32),
    "peaks": np.array([3, 2, 2], np.int32),
}
