"""What the examples compute, in NumPy and plain Python, wider and slower."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def attention(q: Array, k: Array, v: Array, scale: float, causal: bool) -> Array:
    score = scale * np.einsum("hqd,hkd->hqk", q.astype(np.float64), k)
    if causal:
        score = np.where(np.tri(*score.shape[1:], dtype=bool), score, -np.inf)
    weight = np.exp(score - score.max(2, keepdims=True))
    return weight / weight.sum(2, keepdims=True) @ v


def linear_attention(q: Array, k: Array, v: Array) -> tuple[Array, Array]:
    """One place after the other."""
    state = np.zeros((q.shape[0], q.shape[2], v.shape[2]))
    out = np.zeros((q.shape[0], q.shape[1], v.shape[2]))
    for t in range(q.shape[1]):
        state += k[:, t, :, None] * v[:, t, None, :]
        out[:, t] = np.einsum("hd,hde->he", q[:, t], state)
    return out, state


def jacobi(grid: Array) -> Array:
    swept = grid.copy()
    across = grid[1:-1, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
    swept[1:-1, 1:-1] = np.float32(0.2) * (across + grid[2:, 1:-1] + grid[:-2, 1:-1])
    return swept


def call_option(
    uniform: Array, spot: float, strike: float, rate: float, volatility: float, years: float
) -> tuple[Array, Array]:
    normal = np.sqrt(-2 * np.log(1 - uniform[::2])) * np.cos(2 * np.pi * uniform[1::2])
    final = spot * np.exp((rate - volatility**2 / 2) * years + volatility * np.sqrt(years) * normal)
    payoff = np.exp(-rate * years) * np.maximum(final - strike, 0)
    return np.array(payoff.mean()), np.array(payoff.std() / np.sqrt(len(payoff)))


def viterbi(emission: Array, step: Array) -> list[int]:
    score, back = emission[0], list[Array]()
    for row in emission[1:]:
        table = score[:, None] + step
        back.append(table.argmax(0))
        score = table.max(0) + row
    path = [int(score.argmax())]
    for pointers in reversed(back):
        path.append(int(pointers[path[-1]]))
    return path[::-1]


def smith_waterman(a: Sequence[int], b: Sequence[int], match: int = 3, mismatch: int = -3, gap: int = 2) -> int:
    above, best = [0] * (len(b) + 1), 0
    for letter in a:
        row = [0]
        for j, other in enumerate(b):
            diagonal = above[j] + (match if letter == other else mismatch)
            row.append(max(0, diagonal, above[j + 1] - gap, row[j] - gap))
        above, best = row, max(best, *row)
    return best


def accelerations(position: Array, mass: Array, softening: float) -> Array:
    gap = position[:, None, :].astype(np.float64) - position[:, :, None]
    square = (gap * gap).sum(0) + softening
    return (gap * (mass / square**1.5)).sum(2)


def cross_entropy(score: Array, label: Array) -> tuple[Array, Array]:
    """The mean loss and its gradient."""
    wide = score.astype(np.float64)
    weight = np.exp(wide - wide.max(1, keepdims=True))
    share = weight / weight.sum(1, keepdims=True)
    rows = np.arange(len(score))
    loss = -np.log(share[rows, label]).mean()
    share[rows, label] -= 1
    return np.array(loss), share / len(score)
