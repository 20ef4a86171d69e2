"""Counter-based random bits: Philox4x32-10."""

from __future__ import annotations

import numpy as np

from intent2cuda.language.bodies.storage import Array

ROUNDS = 10
MULTIPLIERS = np.array([0xD2511F53, 0xCD9E8D57], np.uint64)
KEY_STEPS = np.array([0x9E3779B9, 0xBB67AE85], np.uint64)
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def bits(seed: Array, counter: Array) -> Array:
    """Word `counter % 4` of block `counter // 4` under the key `seed`, as u32. Seeds and counters broadcast."""
    words = np.asarray(counter).astype(np.uint64)
    block, which = words >> np.uint64(2), words & np.uint64(3)
    key = np.asarray(seed).astype(np.uint64)
    found = block_words(block & LOW, block >> HALF, key & LOW, key >> HALF)
    return np.select([which == word for word in range(len(found))], found).astype(np.uint32)


def block_words(c0: Array, c1: Array, k0: Array, k1: Array) -> tuple[Array, Array, Array, Array]:
    """The four words of the block with the counter words (c0, c1, 0, 0) under the key (k0, k1); all held as u64."""
    c2: Array = np.zeros_like(c0)
    c3: Array = np.zeros_like(c0)
    for _ in range(ROUNDS):
        first: Array = c0 * MULTIPLIERS[0]
        second: Array = c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (second >> HALF) ^ c1 ^ k0, second & LOW, (first >> HALF) ^ c3 ^ k1, first & LOW
        k0, k1 = (k0 + KEY_STEPS[0]) & LOW, (k1 + KEY_STEPS[1]) & LOW
    return c0, c1, c2, c3
