"""Tickets: every point gets another one."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def tickets(x: I.In[I.i32, ("N",)], counter: I.InOut[I.i32, (1,)], y: I.InOut[I.i32, ("N",)]):
    for n in I.parallel(I.domain(0, x.shape[0])):
        if x[n] > 0:
            ticket = I.atomic.add(counter, 0, 1, order="relaxed")
            y[ticket] = 1


INPUTS = {
    "x": np.array([1, 0, 5, 7], np.int32),
    "counter": np.zeros(1, np.int32),
    "y": np.zeros(4, np.int32),
}
EXPECTED = {"counter": np.array([3], np.int32), "y": np.array([1, 1, 1, 0], np.int32)}
