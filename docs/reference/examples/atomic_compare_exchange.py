"""One point takes an element that is free; another replaces whatever is there."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def taken(x: I.In[I.i32, ("N",)], owner: I.InOut[I.i32, (2,)], won: I.Out[I.bool, ("N",)]):
    for n in I.parallel(I.domain(0, x.shape[0])):
        found = I.atomic.compare_exchange(owner, 0, expected=-1, desired=x[n], order="acq_rel")
        won[n] = found.success and (found.old_value == -1)
        I.atomic.exchange(owner, 1, x[n], order="relaxed")


INPUTS = {"x": np.array([5], np.int32), "owner": np.array([-1, -1], np.int32)}
EXPECTED = {"owner": np.array([5, 5], np.int32), "won": np.array([True])}
