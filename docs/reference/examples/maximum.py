"""What becomes of NaN."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def clipped(
    x: I.In[I.f32, ("N",)],
    kept: I.Out[I.f32, ("N",)],
    ignored: I.Out[I.f32, ("N",)],
    total: I.Out[I.f32, ("N",)],
):
    kept[:] = I.minimum(I.maximum(x[:], -1.0), 1.0)
    ignored[:] = I.minimum_num(I.maximum_num(x[:], -1.0), 1.0)
    total[:] = I.add(x[:], 1.0)


INPUTS = {"x": np.array([-5, 0.5, np.nan], np.float32)}
EXPECTED = {
    "kept": np.array([-1, 0.5, np.nan], np.float32),
    "ignored": np.array([-1, 0.5, -1], np.float32),
    "total": np.array([-4, 1.5, np.nan], np.float32),
}
