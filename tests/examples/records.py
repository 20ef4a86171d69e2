"""The quantised records and the random stream that the examples are tested with, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def q8_k(block: Array) -> Array:
    """The record of 256 numbers that are not all zero; every step is rounded to f32."""
    high, low = block.max(), block.min()
    inverse = np.float32(-127) / (high if abs(high) > abs(low) else low)
    quants = np.clip(np.rint(block * inverse), -128, 127).astype(np.int8)
    sums = quants.reshape(16, 16).sum(1, dtype=np.int16)
    return np.concatenate([part.view(np.uint8) for part in (np.array([1 / inverse], np.float32), quants, sums)])


def q4_k(rng: np.random.Generator, *shape: int) -> Array:
    """Records of random scales, minima and nibbles."""
    records = rng.integers(0, 256, (*shape, 144)).astype(np.uint8)
    records[..., :4] = rng.uniform(0.001, 0.02, (*shape, 2)).astype(np.float16).view(np.uint8)
    return records


def decoded_q4_k(record: Array) -> Array:
    """The 256 numbers that a record stands for."""
    scale, least = record[:4].view(np.float16).astype(np.float64)
    low, middle, high = record[4:16].astype(int).reshape(3, 4)
    scales = np.concatenate([low & 63, (high & 15) | (low >> 6) << 4])
    minima = np.concatenate([middle & 63, (high >> 4) | (middle >> 6) << 4])
    nibbles = (record[16:].reshape(4, 1, 32) >> np.array([[0], [4]])) & 15
    return (scale * scales[:, None] * nibbles.reshape(8, 32) - least * minima[:, None]).ravel()


def decoded_q8_k(record: Array) -> Array:
    return record[:4].view(np.float32) * record[4:260].view(np.int8).astype(np.float64)


def uniform(seed: int, count: int) -> Array:
    """The first numbers of a stream: Philox4x32-10, four words a block."""
    mask, key = np.uint64(0xFFFFFFFF), [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    block = np.arange((count + 3) // 4, dtype=np.uint64)
    c = [block & mask, block >> np.uint64(32), np.zeros_like(block), np.zeros_like(block)]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ key[0], b & mask, (a >> np.uint64(32)) ^ c[3] ^ key[1], a & mask]
        key = [(k + np.uint64(step)) & mask for k, step in zip(key, (0x9E3779B9, 0xBB67AE85), strict=True)]
    return (np.stack(c, 1).ravel()[:count] >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24)
