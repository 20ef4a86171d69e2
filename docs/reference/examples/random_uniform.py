"""Numbers of [0, 1): 24 bits of each word."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def numbers(seed: I.u64, y: I.Out[I.f32, (2,)]):
    y[:] = I.random.uniform(seed, I.indices(I.domain(0, 2)), dtype=I.f32)


INPUTS = {"seed": 0}
EXPECTED = {"y": np.array([0x6627E8, 0xE169C5], np.float32) / 2**24}
