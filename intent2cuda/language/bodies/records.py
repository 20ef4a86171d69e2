"""Blocks of 256 quantised numbers in bytes: their making and their products, every rounding to f32 as prescribed."""

from __future__ import annotations

import numpy as np

from intent2cuda.language.bodies.storage import Array

MEMBERS = 256
SUM_OF = 16  # members in each partial sum of a q8_k record
LEAST, GREATEST = -128, 127


def quantize(values: Array) -> Array:
    """Records in q8_k, u8 [..., 292], of f32 [..., 256]."""
    low: Array = values.min(-1, keepdims=True)
    high: Array = values.max(-1, keepdims=True)
    extreme = np.where(np.abs(high) > np.abs(low), high, low)
    empty = extreme == 0
    inverse = np.float32(-GREATEST) / np.where(empty, np.float32(1), extreme)
    rounded = np.clip(np.rint(values * inverse), LEAST, GREATEST)
    numbers = np.where(empty, 0, rounded).astype(np.int8)
    sums = numbers.reshape(*numbers.shape[:-1], MEMBERS // SUM_OF, SUM_OF).sum(-1, dtype=np.int64).astype("<i2")
    scale = np.where(empty, np.float32(0), 1 / inverse).astype("<f4")
    return np.concatenate([np.ascontiguousarray(part).view(np.uint8) for part in (scale, numbers, sums)], -1)


def quantized_dot(lhs: Array, rhs: Array) -> Array:
    """The f32 dot products of q4_k records, u8 [..., G, 144], and q8_k records, u8 [..., G, 292], added in order."""
    values = record_products(lhs, rhs)
    start = np.zeros((*values.shape[:-1], 1), np.float32)
    return np.add.accumulate(np.concatenate([start, values], -1), -1)[..., -1]


def record_products(lhs: Array, rhs: Array) -> Array:
    """The f32 product of each pair of records: exact integer sums, then four roundings."""
    weight, least = _six_bits(lhs[..., 4:16].astype(np.int64))
    nibbles = lhs[..., 16:].reshape(*lhs.shape[:-1], 4, 1, 32) >> np.array([0, 4], np.uint8).reshape(2, 1) & 15
    members = _numbers(rhs, slice(4, 4 + MEMBERS), "i1").reshape(*rhs.shape[:-1], 8, 32)
    sums = _numbers(rhs, slice(4 + MEMBERS, None), "<i2").reshape(*rhs.shape[:-1], 8, 2)
    products = (nibbles.reshape(*lhs.shape[:-1], 8, 32).astype(np.int64) * members).sum(-1)
    total, offset = (weight * products).sum(-1), (least * sums.sum(-1)).sum(-1)
    factors = _numbers(lhs, slice(0, 4), "<f2")
    # f64 holds the products of an f16 and these sums exactly, so that each is rounded once
    p, n = ((factors[..., i] * s).astype(np.float32) for i, s in enumerate((total, offset)))
    return _numbers(rhs, slice(0, 4), "<f4")[..., 0].astype(np.float32) * (p - n)


def _six_bits(packed: Array) -> tuple[Array, Array]:
    """The eight scales and the eight minima of a q4_k record from twelve bytes."""
    first, second, third = packed[..., :4], packed[..., 4:8], packed[..., 8:]
    scales = [first & 63, third & 15 | first >> 6 << 4]
    minima = [second & 63, third >> 4 | second >> 6 << 4]
    return np.concatenate(scales, -1), np.concatenate(minima, -1)


def _numbers(records: Array, place: slice, kind: str) -> Array:
    """Numbers that lie in some bytes of records: f64 for floats, i64 for integers."""
    found = np.ascontiguousarray(records[..., place]).view(kind)
    return found.astype(np.float64 if kind[-2] == "f" else np.int64)
