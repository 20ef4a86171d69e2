"""What all rows unpack alike, two numbers of a byte, may be unpacked once and kept. Rows: L45 L46."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I
from conformance.case import Case


@intent.kernel
def packed_product(
    x: I.In[I.f32, ("M", "K")],
    w: I.In[I.u8, ("N", "H")],
    scale: I.In[I.f32, ("N", "G")],
    y: I.Out[I.f32, ("M", "N")],
    SIZE: I.Constexpr[int] = 4,
):
    k = I.indices(I.domain(0, x.shape[1]))
    for n in I.parallel(I.domain(0, w.shape[0])):
        byte = I.cast(w[n, k // 2], I.i32)
        code = (byte >> (4 * I.cast(k % 2, I.i32))) & 15
        weight = I.cast(code - 8, I.f32) * scale[n, k // SIZE]
        y[:, n] = I.reduce.sum(x[:, :] * weight[None, :], axis=1)


def cases(rng):
    for m, n, k in ((1, 1, 1), (0, 3, 5), (5, 3, 0), (7, 5, 33), (9, 33, 67), (3, 2, 1025)):
        x = rng.integers(-9, 9, (m, k)).astype(np.float32)
        w = rng.integers(0, 256, (n, (k + 1) // 2)).astype(np.uint8)
        scale = rng.integers(-3, 4, (n, (k + 3) // 4)).astype(np.float32)
        codes = np.stack([w & 15, w >> 4], axis=2).reshape(n, -1)[:, :k].astype(np.float32) - 8
        answer = x @ (codes * np.repeat(scale, 4, axis=1)[:, :k]).T
        yield Case("packed_product", (x, w, scale), {"y": answer.astype(np.float32)}, id=f"{m}x{n}x{k}")
