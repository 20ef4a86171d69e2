"""Updates whose order does not show."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def extremes(x: I.In[I.i32, ("N",)], y: I.InOut[I.i32, (5,)]):
    for n in I.parallel(I.domain(0, x.shape[0])):
        I.atomic.max(y, 0, x[n], order="relaxed")
        I.atomic.min(y, 1, x[n], order="relaxed")
        I.atomic.and_(y, 2, x[n], order="relaxed")
        I.atomic.or_(y, 3, x[n], order="relaxed")
        I.atomic.xor(y, 4, x[n], order="relaxed")


INPUTS = {"x": np.array([6, 3, 7], np.int32), "y": np.array([0, 9, 7, 0, 0], np.int32)}
EXPECTED = {"y": np.array([7, 3, 2, 7, 2], np.int32)}
