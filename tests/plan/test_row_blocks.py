"""Rows beside an axis in slices are cut into blocks where each is on its own, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from intent2cuda.base.intexpr import evaluate, symbols
from intent2cuda.interpret import run
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Parallel, Reduce, RegionFold
from intent2cuda.ir.verify import verify
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.portable import DecisionKind
from intent2cuda.plan.row_axes import RowAxes
from intent2cuda.plan.row_blocks import in_row_blocks
from intent2cuda.plan.writing_out import Open, written_out

HEAD = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.fn
def part(key, value, query, place, limit):
    score = I.matmul(query, key, acc_dtype=I.f64, transpose_rhs=True)
    near = I.mask(score, valid=place[:, None] >= limit, fill=0.0)
    return I.record(most=I.reduce.max(near, axis=1), mix=I.matmul(near, value, acc_dtype=I.f64))

@intent.fn
def joined(a, b):
    return I.record(most=I.maximum(a.most, b.most), mix=a.mix + b.mix)

@intent.kernel
def k(
    q: I.In[I.f64, ("H", "Q", "D")],
    key: I.In[I.f64, ("H", "K", "D")],
    value: I.In[I.f64, ("H", "K", "E")],
    weight: I.In[I.f64, ("Q",)],
    mix: I.InOut[I.f64, ("H", "Q", "E")],
    most: I.Out[I.f64, ("H", "Q")],
):
    rows = I.domain(0, q.shape[1])
    none = I.record(
        most=I.full((q.shape[1],), -I.inf, dtype=I.f64), mix=I.zeros((q.shape[1], value.shape[2]), dtype=I.f64)
    )
"""

FOLD = """
        seen = I.region_fold(
            (key[head, :, :], value[head, :, :]), 0, part, joined, none, (q[head, rows, :], I.indices(rows), {limit})
        )
"""
STORES = """
        mix[head, rows, :] = seen.mix * weight[:, None]
        most[head, :] = seen.most
"""
HEADS = "    for head in I.parallel(I.domain(0, q.shape[0])):"
CUT = {
    "rows": HEADS + FOLD.format(limit="3") + STORES,
    "what is one for all rows is done before": HEADS
    + FOLD.format(limit="I.cast(I.reduce.sum(I.abs(key[head, :, :]), axis=(0, 1)), I.index)")
    + STORES,
    "one head": dedent(FOLD.format(limit="1") + STORES).replace("head", "0").replace("\n", "\n    "),
}
KEPT = {
    "a sum over the rows": HEADS
    + FOLD.format(limit="0")
    + STORES
    + "        most[head, 0] = I.reduce.sum(seen.most, axis=0)\n",
    "rows that are read where they are written": HEADS
    + FOLD.format(limit="I.cast(I.reduce.sum(mix[head, :, 0], axis=0), I.index)")
    + STORES,
    "other rows": HEADS
    + FOLD.format(limit="0")
    + STORES.replace("[head, rows, :]", "[head, q.shape[1] - 1 - I.indices(rows), :]"),
    "something else is written": HEADS + FOLD.format(limit="0") + STORES + "        most[0, 0] = 1.0\n",
}


def kernel_of(folder: Path, body: str) -> Kernel:
    file = folder / "k.py"
    file.write_text(HEAD + body, encoding="utf-8")
    return parse_kernel(file, "k").kernel


def arrays(h: int, q: int, k: int, d: int, e: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(h + 3 * q + 5 * k)
    shapes = {"q": (h, q, d), "key": (h, k, d), "value": (h, k, e), "weight": (q,), "mix": (h, q, e), "most": (h, q)}
    return {name: random.integers(-3, 4, shape).astype(np.float64) for name, shape in shapes.items()}


@pytest.mark.parametrize("name", CUT)
def test_blocks_give_what_all_rows_at_once_give(tmp_path: Path, name: str) -> None:
    kernel = kernel_of(tmp_path, CUT[name])
    for rows in (1, 3, 8):
        cut = verify(in_row_blocks(kernel, rows))
        assert cut is not kernel
        for sizes in ((1, 0, 3, 2, 2), (2, 1, 4, 3, 1), (2, 7, 5, 2, 3), (1, 8, 0, 1, 2), (3, 9, 2, 0, 4)):
            one, other = arrays(*sizes), arrays(*sizes)
            run(kernel, one)
            run(cut, other)
            for key in one:
                np.testing.assert_array_equal(one[key], other[key])


@pytest.mark.parametrize("name", KEPT)
def test_rows_that_meet_stay_together(tmp_path: Path, name: str) -> None:
    kernel = kernel_of(tmp_path, KEPT[name])
    assert any(isinstance(op, RegionFold) for op in walk(kernel.body))
    assert not RowAxes(kernel).rows and in_row_blocks(kernel, 4) is kernel


def test_blocks_join_the_loop_around_unless_it_has_work_of_its_own(tmp_path: Path) -> None:
    """Work that is the same for all rows stays outside of the blocks."""
    joined = in_row_blocks(kernel_of(tmp_path, CUT["rows"]), 4)
    (loop,) = (op for op in walk(joined.body) if isinstance(op, Parallel))
    assert len(loop.domains) == 2
    apart = in_row_blocks(kernel_of(tmp_path, CUT["what is one for all rows is done before"]), 4)
    outer, inner = (op for op in walk(apart.body) if isinstance(op, Parallel))
    sums = [op for op in outer.body.ops if isinstance(op, Reduce)]
    assert [len(op.domains) for op in (outer, inner)] == [1, 1] and len(sums) == 1


@pytest.mark.req("P17", "P53")
def test_the_rows_of_a_block_are_left_to_the_gate(tmp_path: Path) -> None:
    kernel = kernel_of(tmp_path, CUT["rows"])
    assert [each for each, _ in written_out(kernel).left] == [Open.FOLD, Open.ROWS]
    plans = [plan(kernel, target) for target in ("cpu", "cuda")]
    assert plans[0].portable.digest == plans[1].portable.digest
    assert [[p.value for p in each.concrete.parameters] for each in plans] == [[256, 256], [64, 64]]
    decisions = [d for d in plans[0].portable.decisions if d.kind is DecisionKind.SEGMENT]
    cuts = [d for d in decisions if "all rows at once" in d.alternatives]
    assert len(cuts) == 1 and cuts[0].subject[-1] == "r"


@pytest.mark.req("P47")
def test_what_a_plan_takes_counts_all_pieces_once(tmp_path: Path) -> None:
    """However whole blocks and segments are cut, no element is counted twice or left out."""
    (candidate, *_) = plan(kernel_of(tmp_path, CUT["rows"]), "cpu").planset.candidates
    sizes = {"H": 3, "Q": 64, "K": 40, "D": 7, "E": 5}
    read = candidate.takes.read_bytes
    counts = [
        evaluate(read, {symbol: {**sizes, **cut}[symbol.name] for symbol in symbols(read)})
        for cut in ({"g": 40, "r": 64}, {"g": 8, "r": 16}, {"g": 1, "r": 1})
    ]
    assert counts[0] == counts[1] == counts[2] > 8 * 3 * 64 * 40 * (2 * 7 + 5)
