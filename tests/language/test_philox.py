"""Random bits: the published answers of the generator, and counters and seeds of 64 bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent2cuda.language.bodies.philox import bits

MASK = 0xFFFFFFFF
WORDS = st.integers(0, 2**64 - 1)

# From the generator's own table of known answers; its other rows use counter words that are zero in this language.
PUBLISHED = (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)


def word(seed: int, counter: int) -> int:
    """The same generator in Python's integers, round by round."""
    x, key = [(counter >> 2) & MASK, counter >> 34, 0, 0], [seed & MASK, seed >> 32]
    for _ in range(10):
        left, right = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [right >> 32 ^ x[1] ^ key[0], right & MASK, left >> 32 ^ x[3] ^ key[1], left & MASK]
        key = [key[0] + 0x9E3779B9 & MASK, key[1] + 0xBB67AE85 & MASK]
    return x[counter & 3]


def test_published_answers() -> None:
    assert bits(np.uint64(0), np.arange(4, dtype=np.uint64)).tolist() == [*PUBLISHED]
    assert [word(0, k) for k in range(4)] == [*PUBLISHED]


@given(seed=WORDS, counters=st.lists(WORDS, max_size=9))
def test_any_seed_and_counter(seed: int, counters: list[int]) -> None:
    found = bits(np.uint64(seed), np.array(counters, np.uint64))
    assert found.dtype == np.uint32
    assert found.tolist() == [word(seed, counter) for counter in counters]


@pytest.mark.parametrize("counter", [-1, -(2**63), 2**40])
def test_signed_counters_are_taken_modulo_the_word(counter: int) -> None:
    assert bits(np.uint64(3), np.array([counter])) == word(3, counter % 2**64)


def test_seeds_and_counters_broadcast() -> None:
    seeds = np.array([[1], [2**63]], np.uint64)
    wanted = [[word(s, c) for c in range(5)] for s in (1, 2**63)]
    assert bits(seeds, np.arange(5)).tolist() == wanted
