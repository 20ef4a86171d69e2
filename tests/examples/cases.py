"""Calls of the examples' kernels with NumPy's answers, at sizes that no block, vector or tile divides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import oracles, records

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """A call: all arguments in the order of the parameters, and what the written ones hold afterwards, by position."""

    kernel: str
    arguments: tuple[Any, ...]
    answers: Mapping[int, Array]
    rtol: float = 0.0
    atol: float = 0.0
    constexprs: Mapping[str, Any] = field(default_factory=dict)


def normal(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape).astype(np.float32)


def whole(rng: np.random.Generator, *shape: int, bound: int = 9) -> Array:
    """Small whole numbers, whose sums are exact in any order."""
    return rng.integers(-bound, bound + 1, shape).astype(np.float32)


def empty(*shape: int, dtype: Any = np.float32) -> Array:
    """An output, full of what no answer holds."""
    return np.full(shape, 77, dtype)


def attention(rng: np.random.Generator) -> Iterator[Case]:
    for h, n, m, d, e in ((1, 1, 1, 1, 1), (2, 33, 65, 5, 3), (3, 67, 131, 16, 9)):
        q, k, v = normal(rng, h, n, d), normal(rng, h, m, d), normal(rng, h, m, e)
        for causal in (False, True):
            arguments = (q, k, v, d**-0.5, empty(h, n, e))
            answers = {4: oracles.attention(q, k, v, d**-0.5, causal)}
            yield Case("attention", arguments, answers, 1e-4, 1e-5, {"CAUSAL": causal})


def linear_attention(rng: np.random.Generator) -> Iterator[Case]:
    for h, t, d, e in ((1, 1, 1, 1), (2, 67, 5, 3), (1, 131, 16, 9), (2, 0, 3, 2)):
        q, k, v = normal(rng, h, t, d), normal(rng, h, t, d), normal(rng, h, t, e)
        out, state = oracles.linear_attention(q, k, v)
        yield Case("linear_attention", (q, k, v, empty(h, t, e), empty(h, d, e)), {3: out, 4: state}, 1e-4, 1e-4)


def mixture_of_experts(rng: np.random.Generator) -> Iterator[Case]:
    for tokens, lengths, k, h, n in ((1, (1,), 1, 1, 1), (9, (5, 0, 13), 7, 5, 3), (33, (40, 1, 0, 25), 17, 33, 9)):
        offsets = np.cumsum([0, *lengths]).astype(np.int32)
        token = rng.integers(0, tokens, offsets[-1]).astype(np.int32)
        expert = np.repeat(np.arange(len(lengths)), lengths)
        x, first, gate = normal(rng, tokens, k), normal(rng, len(lengths), k, h), normal(rng, offsets[-1])
        product = np.einsum("rk,rkh->rh", x[token].astype(np.float64), first[expert])
        hidden = product / (1 + np.exp(-product))
        yield Case("expand", (x, offsets, token, first, empty(offsets[-1], h)), {4: hidden}, 1e-5, 1e-5)
        rows, second, y = hidden.astype(np.float32), normal(rng, len(lengths), h, n), whole(rng, tokens, n)
        answer = y.astype(np.float64)
        np.add.at(answer, token, gate[:, None] * np.einsum("rh,rhn->rn", rows.astype(np.float64), second[expert]))
        yield Case("contract", (rows, offsets, token, gate, second, y), {5: answer}, 1e-4, 1e-4)


def quantised(rng: np.random.Generator) -> Iterator[Case]:
    for m, n, g in ((1, 1, 1), (3, 5, 2), (2, 7, 5)):
        x, weight = normal(rng, m, g, 256), records.q4_k(rng, n, g)
        quants = np.apply_along_axis(records.q8_k, 2, x)
        yield Case("quantise", (x, empty(m, g, 292, dtype=np.uint8)), {1: quants})
        rows, columns = (
            np.apply_along_axis(records.decoded_q8_k, 2, quants),
            np.apply_along_axis(records.decoded_q4_k, 2, weight),
        )
        yield Case("q4_matmul", (quants, weight, empty(m, n)), {2: np.einsum("mgi,ngi->mn", rows, columns)}, 1e-5, 1e-3)
    for m, k, n in ((1, 1, 1), (33, 67, 35), (5, 300, 9)):
        a, b = rng.integers(-128, 128, (m, k)).astype(np.int8), rng.integers(-128, 128, (k, n)).astype(np.int8)
        yield Case("int8_matmul", (a, b, empty(m, n, dtype=np.int32)), {2: a.astype(np.int32) @ b.astype(np.int32)})


def k_means(rng: np.random.Generator) -> Iterator[Case]:
    for n, d, k in ((1, 1, 1), (67, 3, 5), (257, 9, 7)):
        x, centre = whole(rng, n, d), whole(rng, k, d)
        owner = ((x[:, None] - centre) ** 2).sum(2).argmin(1).astype(np.int32)
        yield Case("assign", (x, centre, empty(n, dtype=np.int32)), {2: owner})
        total, count = np.zeros((k, d), np.float32), np.zeros(k, np.int32)
        np.add.at(total, owner, x)
        np.add.at(count, owner, 1)
        arguments = (x, owner, np.zeros_like(total), np.zeros_like(count))
        yield Case("accumulate", arguments, {2: total, 3: count})
        mean = np.where(count[:, None] > 0, total / np.maximum(count, 1)[:, None], centre)
        yield Case("move", (total, count, centre), {2: mean}, 1e-6)


def stencil(rng: np.random.Generator) -> Iterator[Case]:
    for height, width, pairs in ((3, 3, 1), (1, 5, 2), (19, 37, 0), (19, 37, 3), (67, 131, 2)):
        grid = normal(rng, height, width)
        swept = [grid]
        for _ in range(2 * pairs):
            swept.append(oracles.jacobi(swept[-1]))
        answers = {0: swept[-1]} | ({1: swept[-2]} if pairs else {})
        yield Case("jacobi", (grid, grid.copy(), pairs), answers, 1e-5, 1e-6)
        change = np.abs(oracles.jacobi(grid) - grid)[1:-1, 1:-1].max(initial=-np.inf)
        yield Case("residual", (grid, empty()), {1: np.array(change)}, 1e-5, 1e-6)


def monte_carlo(rng: np.random.Generator) -> Iterator[Case]:
    for n in (1, 5, 1027):
        seed = 7 + (n << 40)
        yield Case("uniform", (seed, empty(n)), {1: records.uniform(seed, n)})
    for paths in (3, 1003):
        stream = records.uniform(11, 2 * paths)
        mean, error = oracles.call_option(stream, spot=100, strike=105, rate=0.03, volatility=0.2, years=2)
        yield Case("call_option", (11, paths, 100, 105, 0.03, 0.2, 2, empty(), empty()), {7: mean, 8: error}, 1e-4)


def top_k(rng: np.random.Generator) -> Iterator[Case]:
    for m, n, k in ((1, 1, 1), (5, 33, 3), (3, 1027, 8)):
        x = whole(rng, m, n, bound=99)
        order = np.argsort(-x, axis=1, kind="stable")[:, :k]
        answers = {1: np.take_along_axis(x, order, 1), 2: order.astype(np.int32)}
        yield Case("top_k", (x, empty(m, k), empty(m, k, dtype=np.int32)), answers)
        yield Case("top_k_once", (x, empty(m, k), empty(m, k, dtype=np.int32)), answers, constexprs={"K": k})


def sparse_products(rng: np.random.Generator) -> Iterator[Case]:
    for m, n, c in ((1, 1, 1), (33, 67, 5), (9, 300, 33)):
        dense = np.where(rng.random((m, n)) < 0.3, whole(rng, m, n), 0).astype(np.float32)
        row, column = np.nonzero(dense)
        start = np.searchsorted(row, np.arange(m + 1)).astype(np.int32)
        vector, matrix = whole(rng, n), whole(rng, n, c)
        sparse = (start, column.astype(np.int32), dense[row, column])
        yield Case("csr_vector", (*sparse, vector, empty(m)), {4: dense @ vector})
        yield Case("csr_matrix", (*sparse, matrix, empty(m, c)), {4: dense @ matrix})
    for m, q, n in ((1, 1, 1), (7, 5, 9), (33, 17, 35)):
        value, x = whole(rng, m, 2 * q), whole(rng, 4 * q, n)
        first, second = np.sort(np.argsort(rng.random((m, q, 4)), axis=2)[..., :2], axis=2).transpose(2, 0, 1)
        dense = np.zeros((m, q, 4), np.float32)
        np.put_along_axis(dense, np.stack([first, second], 2), value.reshape(m, q, 2), 2)
        places = (first | second << 2).astype(np.uint8)
        yield Case("two_of_four", (value, places, x, empty(m, n)), {3: dense.reshape(m, 4 * q) @ x})


def sequences(rng: np.random.Generator) -> Iterator[Case]:
    for b, t, s in ((1, 1, 1), (3, 19, 5), (2, 33, 35)):
        emission, step = whole(rng, b, t, s, bound=999), whole(rng, s, s, bound=999)
        path = np.array([oracles.viterbi(e, step) for e in emission], np.int32)
        yield Case("viterbi", (emission, step, empty(b, t, dtype=np.int32)), {2: path})
    for pairs, m, n in ((1, 1, 1), (3, 19, 33), (2, 67, 35), (2, 5, 0)):
        first, second = (rng.integers(0, 3, (pairs, length)).astype(np.int32) for length in (m, n))
        score = np.array([oracles.smith_waterman(x, y) for x, y in zip(first, second, strict=True)], np.int32)
        yield Case("smith_waterman", (first, second, empty(pairs, dtype=np.int32)), {2: score})


def n_body(rng: np.random.Generator) -> Iterator[Case]:
    for n in (1, 37, 261):
        position, mass = normal(rng, 3, n), rng.random(n).astype(np.float32)
        answer = oracles.accelerations(position, mass, 1e-3)
        yield Case("accelerations", (position, mass, 1e-3, empty(3, n)), {3: answer}, 1e-4, 1e-4)


def cross_entropy(rng: np.random.Generator) -> Iterator[Case]:
    for m, n in ((1, 1), (5, 33), (37, 1027)):
        score, label = 3 * normal(rng, m, n), rng.integers(0, n, m).astype(np.int32)
        loss, gradient = oracles.cross_entropy(score, label)
        yield Case("mean_loss", (score, label, empty()), {2: loss}, 1e-5, 1e-6)
        yield Case("gradient", (score, label, empty(m, n)), {2: gradient}, 1e-4, 1e-7)


def aggregation(rng: np.random.Generator) -> Iterator[Case]:
    for lengths in ((1,), (3, 0, 67, 1, 300), (0, 0)):
        offsets = np.cumsum([0, *lengths]).astype(np.int32)
        x = whole(rng, offsets[-1])
        mean = [part.sum() / max(len(part), 1) for part in np.split(x, offsets[1:-1])]
        yield Case("segment_mean", (x, offsets, empty(len(lengths))), {2: np.array(mean)}, 1e-6)
    for n, d, k in ((1, 1, 1), (67, 5, 7), (261, 33, 3)):
        rows, key, total = whole(rng, n, d), rng.integers(0, k, n).astype(np.int32), whole(rng, k, d)
        answer = total.copy()
        np.add.at(answer, key, rows)
        yield Case("scatter_add", (rows, key, total), {2: answer})
    for n, bins in ((1, 1), (1027, 7), (5003, 256)):
        x = rng.integers(-3, bins + 3, n).astype(np.int32)
        count = np.bincount(x[(x >= 0) & (x < bins)], minlength=bins).astype(np.int32)
        yield Case("histogram", (x, empty(bins, dtype=np.int32)), {1: count})
    for m, n in ((1, 1), (5, 67), (3, 1027)):
        x = whole(rng, m, n)
        yield Case("running_sums", (x, empty(m, n)), {1: np.cumsum(x, 1)})


EXAMPLES = {
    "08_attention": attention,
    "09_linear_attention": linear_attention,
    "10_mixture_of_experts": mixture_of_experts,
    "11_quantised": quantised,
    "12_k_means": k_means,
    "13_stencil": stencil,
    "14_monte_carlo": monte_carlo,
    "15_top_k": top_k,
    "16_sparse_products": sparse_products,
    "17_sequences": sequences,
    "18_n_body": n_body,
    "19_cross_entropy": cross_entropy,
    "20_aggregation": aggregation,
}
