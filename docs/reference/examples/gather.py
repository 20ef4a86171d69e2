"""A read that is valid in part: where it is not, the fill, and no access."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def shifted(x: I.In[I.f32, ("N",)], by: I.index, y: I.Out[I.f32, ("N",)]):
    places = I.indices(I.domain(0, x.shape[0])) - by
    y[:] = I.gather(x, index=places, valid=places >= 0, fill=-1.0)


INPUTS = {"x": np.array([1, 2, 3], np.float32), "by": 2}
EXPECTED = {"y": np.array([-1, -1, 1], np.float32)}
