"""Random bits of counters that rise by one along a line, whole and in rows, and of counters that only look like it.

Rows: L128 L129.
"""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I
from conformance.case import Case, layouts
from conformance.cases.random.philox import word


@intent.kernel
def line(seed: I.u64, first: I.u64, y: I.Out[I.u32, ("N",)]):
    y[:] = I.random.bits(seed, first + I.cast(I.indices(I.domain(0, y.shape[0])), I.u64))


@intent.kernel
def rows(seed: I.u64, y: I.Out[I.f32, ("M", "N")]):
    m, n = y.shape
    for row in I.parallel(I.domain(0, m)):
        y[row, :] = I.random.uniform(seed, row * n + I.indices(I.domain(0, n)) + 2, dtype=I.f32)


@intent.kernel
def points(seed: I.u64, y: I.Out[I.u32, ("N",)]):
    for n in I.parallel(I.domain(0, y.shape[0])):
        y[n] = I.random.bits(seed, n + 5)


@intent.kernel
def named(seed: I.u64, first: I.index, y: I.Out[I.u32, ("N",)]):
    for n in I.parallel(I.domain(0, y.shape[0])):
        back = first - n
        at = back + 3 * n
        place = back + 2 * n
        y[n] = I.random.bits(seed, place) - I.random.bits(seed, at)


@intent.kernel
def others(seed: I.u64, last: I.index, y: I.Out[I.u32, ("N",)]):
    n = I.indices(I.domain(0, y.shape[0]))
    falling, even, narrow = last - n, 2 * n, I.cast(I.cast(n + 65530, I.u16), I.u64)
    y[:] = I.random.bits(seed, falling) + I.random.bits(seed, even) + I.random.bits(seed, narrow)


@intent.kernel
def two_keys(seed: I.u64, y: I.Out[I.u32, ("N",)]):
    n = I.indices(I.domain(0, y.shape[0]))
    y[:] = I.random.bits(seed, n) ^ I.random.bits(seed + 1, n)


@intent.kernel
def own_keys(seeds: I.In[I.u64, ("N",)], y: I.Out[I.u32, ("N",)]):
    for n in I.parallel(I.domain(0, y.shape[0])):
        y[n] = I.random.bits(seeds[n] + I.cast(n, I.u64), n)


@intent.kernel
def signed(seed: I.u64, first: I.i64, y: I.Out[I.u32, ("N",)]):
    y[:] = I.random.bits(seed, I.cast(I.cast(I.indices(I.domain(0, y.shape[0])), I.i64) + first, I.index))


@intent.kernel
def rounded(seed: I.u64, first: I.f64, y: I.Out[I.u32, ("N",)]):
    y[:] = I.random.bits(seed, I.cast(I.cast(I.indices(I.domain(0, y.shape[0])), I.f64) + first, I.u64))


def words(seed, counters):
    return np.array([word(seed, int(c) % 2**64) for c in counters], np.uint32)


def cases(rng):
    seed = 0x9E3779B97F4A7C15
    for n in (0, 1, 5, 300):
        for first in (0, 3, 2**64 - 7):
            answer = words(seed, [first + i for i in range(n)])
            for kind, y in layouts(answer).items():
                yield Case("line", (np.uint64(seed), np.uint64(first)), {"y": y}, id=f"{n}-{first:x}-{kind}")
        yield Case("points", (np.uint64(seed),), {"y": words(seed, range(5, n + 5))}, id=str(n))
        drawn = words(seed, range(9, 9 + n)) - words(seed, range(9, 9 + 2 * n, 2))
        yield Case("named", (np.uint64(seed), 9), {"y": drawn}, id=str(n))
        narrow = [(i + 65530) % 65536 for i in range(n)]
        sums = [words(seed, [1000 - i for i in range(n)]), words(seed, range(0, 2 * n, 2)), words(seed, narrow)]
        yield Case("others", (np.uint64(seed), 1000), {"y": sum(sums, np.zeros(n, np.uint32))}, id=str(n))
        both = words(seed, range(n)) ^ words(seed + 1, range(n))
        yield Case("two_keys", (np.uint64(seed),), {"y": both}, id=str(n))
        keys = rng.integers(0, 2**63, n, np.uint64)
        owned = [word((int(key) + i) % 2**64, i) for i, key in enumerate(keys)]
        yield Case("own_keys", (keys,), {"y": np.array(owned, np.uint32)}, id=str(n))
        yield Case("signed", (np.uint64(seed), -3), {"y": words(seed, range(-3, n - 3))}, id=str(n))
        rounds = [int(float(i) + 2.0**53) for i in range(n)]
        yield Case("rounded", (np.uint64(seed), 2.0**53), {"y": words(seed, rounds)}, id=str(n))
    for m, n in ((1, 7), (3, 65)):
        answer = [(word(seed, i + 2) >> 8) * 2.0**-24 for i in range(m * n)]
        for kind, y in layouts(np.array(answer, np.float32).reshape(m, n)).items():
            yield Case("rows", (np.uint64(seed),), {"y": y}, id=f"{m}x{n}-{kind}")
