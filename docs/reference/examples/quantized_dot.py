"""Weights in q4_k times numbers that are quantised in the kernel."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def product(w: I.In[I.u8, ("G", 144)], x: I.In[I.f32, ("G", 256)], y: I.Out[I.f32, ()]):
    numbers = I.quantize(x[:, :], format=I.quant.q8_k)
    y[()] = I.quantized_dot(w[:, :], numbers, lhs_format=I.quant.q4_k, rhs_format=I.quant.q8_k, acc_dtype=I.f32)


ONES = np.zeros((1, 144), np.uint8)
ONES[0, 0:2] = np.frombuffer(np.float16(1).tobytes(), np.uint8)  # the scale; the minimum is zero
ONES[0, 4:8] = 1  # scales of the first four groups of 32
ONES[0, 12:16] = 1  # and of the others
ONES[0, 16:] = 0x11  # every nibble is one
INPUTS = {"w": ONES, "x": np.full((1, 256), 127, np.float32)}
EXPECTED = {"y": np.array(127 * 256, np.float32)}
