"""Conversions: toward zero, modulo 2^8, to bool."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def converted(
    x: I.In[I.f32, ("N",)], whole: I.Out[I.i32, ("N",)], byte: I.Out[I.u8, ("N",)], some: I.Out[I.bool, ("N",)]
):
    whole[:] = I.cast(x[:], I.i32)
    byte[:] = I.cast(I.cast(x[:], I.i32), I.u8)
    some[:] = I.cast(x[:], I.bool)


INPUTS = {"x": np.array([2.75, -2.75, 0, 257], np.float32)}
EXPECTED = {
    "whole": np.array([2, -2, 0, 257], np.int32),
    "byte": np.array([2, 254, 0, 1], np.uint8),
    "some": np.array([True, True, False, True]),
}
