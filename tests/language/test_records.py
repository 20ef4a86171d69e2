"""Records of quantised numbers, byte by byte: packing, rounding points, extremes, order of the records."""

from __future__ import annotations

import struct
from fractions import Fraction

import numpy as np
import pytest

from intent2cuda.language.bodies.records import quantize, quantized_dot, record_products


def nearest(value: Fraction | float) -> np.float32:
    """A number rounded to f32 once."""
    exact = Fraction(value)
    if exact == 0:
        return np.float32(0)
    exponent = max(-126, (abs(exact).numerator.bit_length() - abs(exact).denominator.bit_length()))
    while abs(exact) < Fraction(2) ** exponent and exponent > -126:
        exponent -= 1
    unit = Fraction(2) ** (exponent - 23)
    return np.float32(float(round(exact / unit) * unit))


def q8_record(block: np.ndarray) -> bytes:
    values = [Fraction(float(v)) for v in block]
    extreme = max(values) if abs(max(values)) > abs(min(values)) else min(values)
    if extreme == 0:
        return bytes(292)
    inverse = nearest(Fraction(-127) / extreme)
    numbers = [max(-128, min(127, round(Fraction(float(nearest(v * Fraction(float(inverse)))))))) for v in values]
    sums = [sum(numbers[start : start + 16]) for start in range(0, 256, 16)]
    return struct.pack("<f", nearest(1 / Fraction(float(inverse)))) + struct.pack("<256b16h", *numbers, *sums)


def blocks() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    tie = np.zeros(256, np.float32)
    tie[[5, 9]] = 3, -3
    return {
        "normal": rng.standard_normal(256).astype(np.float32),
        "zero": np.zeros(256, np.float32),
        "tie": tie,
        "halves": ((np.arange(256) % 255 - 127) / 2).astype(np.float32),
        "one sign": rng.uniform(1, 2, 256).astype(np.float32),
        "tiny": (rng.standard_normal(256) * 1e-30).astype(np.float32),
    }


@pytest.mark.parametrize("name", blocks())
def test_quantisation_bit_for_bit(name: str) -> None:
    block = blocks()[name]
    assert quantize(block[None])[0].tobytes() == q8_record(block)


def test_any_leading_axes() -> None:
    stacked = np.stack([*blocks().values()])
    both = np.stack([stacked, -stacked])
    assert quantize(both).tobytes() == b"".join(q8_record(block) for block in both.reshape(-1, 256))
    assert quantize(np.empty((0, 256), np.float32)).shape == (0, 292)


def q4_numbers(record: bytes) -> tuple[np.float16, np.float16, list[int], list[int], list[int]]:
    """Both factors, the eight scales and minima, and the 256 numbers, from the bytes of a record."""
    d, least = np.frombuffer(record[:4], np.float16)
    scales, minima = [], []
    for i in range(8):
        if i < 4:
            scales.append(record[4 + i] & 63)
            minima.append(record[8 + i] & 63)
        else:
            t = i - 4
            scales.append((record[12 + t] & 15) | ((record[4 + t] >> 6) << 4))
            minima.append((record[12 + t] >> 4) | ((record[8 + t] >> 6) << 4))
    numbers = []
    for i in range(256):
        byte = record[16 + 32 * (i // 64) + i % 32]
        numbers.append(byte & 15 if i % 64 < 32 else byte >> 4)
    return d, least, scales, minima, numbers


def product(weights: bytes, values: bytes) -> np.float32:
    """The value of a pair of records, each rounding where the language prescribes it."""
    d, least, scales, minima, numbers = q4_numbers(weights)
    (scale,) = struct.unpack("<f", values[:4])
    members = struct.unpack("<256b", values[4:260])
    sums = struct.unpack("<16h", values[260:])
    total = sum(scales[i // 32] * numbers[i] * members[i] for i in range(256))
    offset = sum(minima[j] * (sums[2 * j] + sums[2 * j + 1]) for j in range(8))
    p, n = nearest(Fraction(float(d)) * total), nearest(Fraction(float(least)) * offset)
    difference = nearest(Fraction(float(p)) - Fraction(float(n)))
    return nearest(Fraction(scale) * Fraction(float(difference)))


def weights(rng: np.random.Generator, *shape: int) -> np.ndarray:
    records = rng.integers(0, 256, (*shape, 144)).astype(np.uint8)
    factors = rng.uniform(-0.5, 0.5, (*shape, 2)).astype(np.float16)
    records[..., :4] = factors.view(np.uint8)
    return records


def test_products_of_records_bit_for_bit() -> None:
    rng = np.random.default_rng(1)
    w, x = weights(rng, 50), quantize((10 * rng.standard_normal((50, 256))).astype(np.float32))
    found = record_products(w, x)
    assert found.dtype == np.float32
    assert found.tolist() == [product(a.tobytes(), b.tobytes()) for a, b in zip(w, x, strict=True)]


def test_integer_sums_beyond_the_mantissa_of_f32_are_exact() -> None:
    """The greatest scales and numbers: the sum has 25 bits, and only its product with the factor is rounded."""
    rng = np.random.default_rng(2)
    w, x = weights(rng, 40), np.zeros((40, 292), np.uint8)
    w[:, 4:] = 255
    x[:, :4] = np.frombuffer(struct.pack("<f", 1.0), np.uint8)
    x[:, 4:260] = rng.integers(120, 128, (40, 256))
    w[:, 2:4] = 0
    assert record_products(w, x).tolist() == [product(a.tobytes(), b.tobytes()) for a, b in zip(w, x, strict=True)]


def test_records_are_added_in_order() -> None:
    rng = np.random.default_rng(3)
    w, x = weights(rng, 4, 30), quantize((10 * rng.standard_normal((30, 256))).astype(np.float32))
    wanted = []
    for row in w:
        total = np.float32(0)
        for a, b in zip(row, x, strict=True):
            total = total + product(a.tobytes(), b.tobytes())
        wanted.append(total)
    assert quantized_dot(w, x).tolist() == wanted
    assert quantized_dot(w[:, :0], x[:0]).tolist() == [0] * 4
