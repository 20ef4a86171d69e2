"""The first words of the Philox stream of seed 0."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def words(seed: I.u64, y: I.Out[I.u32, (4,)]):
    y[:] = I.random.bits(seed, I.indices(I.domain(0, 4)))


INPUTS = {"seed": 0}
EXPECTED = {"y": np.array([0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8], np.uint32)}
