"""Ordered loops that look ahead for members whose round does anything: which do, and that nothing changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import intent2cuda as intent
import numpy as np
import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Loop
from intent2cuda.plan.trees import every

TEXT = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def k(
    x: I.In[I.f32, ("M", "N")],
    place: I.In[I.i32, ("N",)],
    low: I.f32,
    value: I.Out[I.f32, ("M",)],
    where: I.Out[I.i32, ("M",)],
    work: I.InOut[I.f32, ("M", "N")],
):
    for row in I.parallel(I.domain(0, x.shape[0])):
        best, seen, rounds = I.cast(low, I.f32), I.cast(-1, I.i32), I.cast(0, I.i32)
        follower = I.cast(low, I.f32)
        kept = I.buffer((2,), dtype=I.f32, init=0.0)
        {loop}
        value[row] = best + follower + kept[0] + kept[1]
        where[row] = seen + rounds
"""


def source(loop: str) -> str:
    return TEXT.format(loop="\n".join(("", *("        " + line for line in loop.splitlines()))))


def loop(condition: str, body: str, head: str = "for n in I.domain(0, x.shape[1]):") -> str:
    return f"{head}\n    if {condition}:\n" + "\n".join(f"        {line}" for line in body.split("; "))


FOUND = "best = x[row, n]; seen = I.cast(n, I.i32)"
AHEAD = {
    "the greatest": loop("x[row, n] > best", FOUND),
    "from the second on": loop("x[row, n] > best", FOUND, "for n in I.domain(1, x.shape[1]):"),
    "records count": loop("x[row, n] > best", FOUND.replace("I.cast(n, I.i32)", "seen + 1")),
    "of sums": loop("(x[row, n] * 2.0 + low > best) & (x[row, n] < 100.0)", FOUND),
    "in a buffer": loop("x[row, n] > kept[1]", "kept[0] = kept[1]; kept[1] = x[row, n]"),
    "what is read is written too": loop(
        "work[row, n] + x[row, n] > kept[0]", "kept[0] = x[row, n]; work[row, n] = best"
    ),
    "exchanged": loop("x[row, n] > best", "other = best; best = x[row, n]; kept[0] = kept[0] + other"),
}
ROUND_BY_ROUND = {
    "nothing that is read changes": loop("x[row, n] > low", "seen = seen + 1"),
    "something happens otherwise": loop("x[row, n] > best", FOUND) + "\n    else:\n        seen = seen + 1",
    "every round counts": loop("x[row, n] > best", FOUND) + "\n    rounds = rounds + 1",
    "a carry follows another one": loop("x[row, n] > best", FOUND) + "\n    follower = best",
    "a carry follows what it was": "follower = low\n"
    + loop("x[row, n] > best", "follower = x[row, n]")
    + "\n    best = follower",
    "the loop is left": loop("x[row, n] > best", FOUND) + "\n        break",
    "a place that is read": loop("x[row, place[n]] > best", FOUND),
    "a place that changes": loop("x[row, I.cast(seen + 1, I.index)] > best", FOUND),
    "every other member": loop("x[row, n] > best", FOUND, "for n in I.domain(0, x.shape[1], 2):"),
    "one below the other": loop("x[n, 0] > best", "best = x[n, 0]", "for n in I.domain(0, x.shape[0]):"),
    "a division that may fail": loop("(place[n] // (seen + 2) > 0) & (x[row, n] > best)", FOUND),
}


def implementations(folder: Path, text: str) -> list[str]:
    path = folder / "k.py"
    path.write_text(text)
    stages = every(plan(parse_kernel(path, "k").kernel, "cpu").concrete.stages)
    return [s.implementation.name for s in stages if isinstance(s, Loop) and s.implementation]


def arrays(rows: int, columns: int, kind: str) -> dict[str, np.ndarray | float]:
    random = np.random.default_rng(rows + 7 * columns)
    x = random.integers(-9, 9, (rows, columns)).astype(np.float32)
    if kind == "rising":
        x.sort(axis=1)
    if kind == "wild":
        x[random.random(x.shape) < 0.3] = np.nan
        x[random.random(x.shape) < 0.1] = np.inf
    if kind == "strided":
        x = np.asarray(np.repeat(x, 2, axis=1)[:, ::2])
    value, where = np.zeros(rows, np.float32), np.zeros(rows, np.int32)
    place = random.integers(0, max(columns, 1), columns).astype(np.int32)
    return {"x": x, "place": place, "low": -3.0, "value": value, "where": where, "work": x[::-1].copy()}


def called(artifact: intent.Artifact, given: Mapping[str, np.ndarray | float]) -> dict[str, np.ndarray]:
    own = {name: a.copy() if isinstance(a, np.ndarray) and name != "x" else a for name, a in given.items()}
    artifact(*own.values())
    return {name: a for name, a in own.items() if isinstance(a, np.ndarray)}


@pytest.mark.parametrize("name", AHEAD)
def test_looks_ahead_and_finds_the_same(tmp_path: Path, name: str) -> None:
    """Around the number of members that are looked at together, with none, ties, rises, NaN, infinities and strides."""
    text = source(AHEAD[name])
    assert implementations(tmp_path, text) == ["cpu.loop.search"]
    kernel = intent.load(f"{tmp_path / 'k.py'}:k")
    fast, meaning = intent.compile(kernel, "cpu"), intent.compile(kernel, "reference")
    for columns in (0, 1, 63, 64, 65, 131):
        for kind in ("even", "rising", "wild", "strided"):
            given = arrays(3, columns, kind)
            expected = called(meaning, given)
            for key, got in called(fast, given).items():
                np.testing.assert_array_equal(got, expected[key], f"{key} of {columns} {kind}")


@pytest.mark.parametrize("name", ROUND_BY_ROUND)
def test_other_loops_run_round_by_round(tmp_path: Path, name: str) -> None:
    assert implementations(tmp_path, source(ROUND_BY_ROUND[name])) == []


def test_checked_builds_check_every_round(tmp_path: Path) -> None:
    """Looking ahead would check members before their turn."""
    text = source(loop("x[row, n] > best", FOUND, "for n in I.domain(0, I.cast(low, I.index)):"))
    assert implementations(tmp_path, text) == ["cpu.loop.search"]
    given = {**arrays(1, 9, "even"), "low": 12.0}
    with pytest.raises(intent.BoundsError, match="position 9"):
        intent.compile(intent.load(f"{tmp_path / 'k.py'}:k"), "cpu", checked=True)(*given.values())
