"""A promise about positions that come from data."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def looked_up(table: I.In[I.f32, ("K",)], place: I.In[I.i32, ("N",)], y: I.Out[I.f32, ("N",)]):
    places = place[:]
    I.assume_in_bounds(places, table, 0)
    y[:] = table[places]


INPUTS = {"table": np.array([10, 20, 30], np.float32), "place": np.array([2, 0, 2, 1], np.int32)}
EXPECTED = {"y": np.array([30, 10, 30, 20], np.float32)}
