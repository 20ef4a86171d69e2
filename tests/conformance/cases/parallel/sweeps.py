"""Rounds of sweeps that read the rows around what they write: two buffers, in place, one side. Rows: L45 L59."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I
from conformance.case import Case


@intent.kernel
def two_buffers(u: I.InOut[I.f32, ("H", "W")], v: I.InOut[I.f32, ("H", "W")], rounds: I.index):
    H, W = u.shape
    for t in I.domain(0, rounds):
        for r, c in I.parallel((I.domain(1, H - 1), I.domain(1, W - 1))):
            v[r, c] = u[r - 1, c] + u[r + 1, c] - u[r, c - 1] + I.cast(t, I.f32)
        for r, c in I.parallel((I.domain(1, H - 1), I.domain(1, W - 1))):
            u[r, c] = 0.5 * (v[r - 1, c] - v[r, c + 1])


@intent.kernel
def in_place(u: I.InOut[I.i32, ("D", "H", "W")], v: I.InOut[I.i32, ("D", "H", "W")], rounds: I.index):
    D, H, W = u.shape
    for _ in I.domain(0, rounds):
        for d, r, c in I.parallel((I.domain(2, D), I.domain(0, H), I.domain(0, W))):
            v[d, r, c] = v[d, r, c] + u[d - 2, r, W - 1 - c]
        for d, r, c in I.parallel((I.domain(2, D), I.domain(0, H), I.domain(0, W))):
            u[d, r, c] = v[d, r, c] - u[d, r, c]


def cases(rng):
    for h, w, rounds in ((0, 4, 2), (1, 1, 3), (2, 5, 1), (3, 3, 0), (3, 4, 2), (17, 9, 3), (300, 120, 4)):
        u, v = (rng.integers(-4, 5, (h, w)).astype(np.float32) for _ in range(2))
        after_u, after_v = u.copy(), v.copy()
        for t in range(rounds if h > 2 and w > 2 else 0):
            after_v[1:-1, 1:-1] = after_u[:-2, 1:-1] + after_u[2:, 1:-1] - after_u[1:-1, :-2] + np.float32(t)
            after_u[1:-1, 1:-1] = np.float32(0.5) * (after_v[:-2, 1:-1] - after_v[1:-1, 2:])
        yield Case("two_buffers", (u, v, rounds), {"u": after_u, "v": after_v}, id=f"{h}x{w} {rounds}")
    for d, h, w, rounds in ((1, 2, 3, 2), (2, 2, 3, 2), (3, 1, 5, 4), (40, 7, 9, 5), (90, 20, 40, 3)):
        u, v = (rng.integers(-(2**31), 2**31, (d, h, w)).astype(np.int32) for _ in range(2))
        after_u, after_v = u.copy(), v.copy()
        for _ in range(rounds):
            after_v[2:] += after_u[:-2, :, ::-1]
            after_u[2:] = after_v[2:] - after_u[2:]
        yield Case("in_place", (u, v, rounds), {"u": after_u, "v": after_v}, id=f"{d}x{h}x{w} {rounds}")
