"""Rounds of sweeps over rows that run together while rows are in the caches: which do, and that nothing changes."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path

import intent2cuda as intent
import numpy as np
import pytest
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import levels_cpu, plan
from intent2cuda.plan.concrete_sealing import loaded, snapshot
from intent2cuda.plan.stage import Loop, TimeTiles
from intent2cuda.plan.text import stage_text
from intent2cuda.plan.time_tiles import TIME_TILES, Obstacle
from intent2cuda.plan.trees import every
from intent2cuda.plan.wording import reader_names

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def k(
    u: I.InOut[I.f32, ("H", "W")],
    v: I.InOut[I.f32, ("H", "W")],
    w: I.InOut[I.f32, ("H", "W")],
    cells: I.InOut[I.i32, ("H", "W")],
    space: I.InOut[I.f32, ("H", "W", 3)],
    other: I.InOut[I.f32, ("H", "W", 3)],
    fixed: I.In[I.f32, ("H", "W")],
    place: I.In[I.i32, ("H",)],
    rounds: I.index,
    first: I.index,
):
    H, W = u.shape
"""


def loop(*sweeps: str, head: str = "for t in I.domain(0, rounds):", rows: str = "I.domain({0}, H - {0})") -> str:
    """Rounds of sweeps over the elements that are not within some rows (the first character) of the border."""
    lines = [head]
    for sweep in sweeps:
        border, _, body = sweep.partition(" ")
        members = rows.format(border)
        lines.append(f"    for r, c in I.parallel(({members}, I.domain(1, W - 1))):")
        lines += [f"        {line}" for line in body.split("; ")]
    return "\n".join(lines)


FIVE = "1 {1}[r, c] = 0.2 * ({0}[r, c] + {0}[r, c - 1] + {0}[r, c + 1] + {0}[r + 1, c] + {0}[r - 1, c])"
JACOBI = (FIVE.format("u", "v"), FIVE.format("v", "u"))
TOGETHER = {
    "two buffers": (1, loop(*JACOBI)),
    "wave in place": (
        1,
        loop(
            "1 v[r, c] = v[r, c] + fixed[r, c] * (u[r - 1, c] + u[r + 1, c] - 2.0 * u[r, c])",
            "1 u[r, c] = u[r, c] + v[r, c]",
        ),
    ),
    "three buffers": (
        1,
        loop(
            "1 w[r, c] = 2.0 * v[r, c] - u[r, c] + 0.25 * (v[r - 1, c] + v[r + 1, c] - v[r, c])",
            "1 u[r, c] = 2.0 * w[r, c] - v[r, c] + 0.25 * (w[r - 1, c] + w[r + 1, c] - w[r, c])",
            "1 v[r, c] = 2.0 * u[r, c] - w[r, c] + 0.25 * (u[r - 1, c] + u[r + 1, c] - u[r, c])",
        ),
    ),
    "two rows away": (
        2,
        loop("2 v[r, c] = u[r + 2, c] - 0.5 * u[r - 2, c]", "2 u[r, c] = v[r + 1, c] + 0.25 * v[r, c]"),
    ),
    "one side": (1, loop("1 v[r, c] = u[r, c] - u[r - 1, c]", "1 u[r, c] = v[r, c] + v[r - 1, c - 1]")),
    "another buffer's row": (
        1,
        loop("2 v[r + 1, c] = u[r, c] + u[r + 1, c]", "2 u[r, c] = 0.5 * v[r, c] + v[r + 2, c]"),
    ),
    "the round is read": (1, loop("1 v[r, c] = u[r + 1, c] * 0.5 + I.cast(t, I.f32)", "1 u[r, c] = v[r - 1, c]")),
    "a scalar of the round": (
        1,
        "for t in I.domain(first, first + rounds):\n    step = 0.5 * I.cast(t, I.f32) + 1.0\n"
        + loop("1 v[r, c] = u[r + 1, c] * step", "1 u[r, c] = 0.25 * v[r - 1, c] + step").partition("\n")[2],
    ),
    "whole slices": (
        1,
        "for t in I.domain(0, rounds):\n"
        "    v[1 : H - 1, 1 : W - 1] = 0.5 * (u[0 : H - 2, 1 : W - 1] + u[2:H, 1 : W - 1])\n"
        "    u[1 : H - 1, 1 : W - 1] = v[1 : H - 1, 0 : W - 2] - v[0 : H - 2, 1 : W - 1]",
    ),
    "loops in loops": (
        2,
        "for t in I.domain(0, rounds):\n"
        "    for r in I.parallel(I.domain(2, H)):\n"
        "        edge = u[r - 2, 0]\n"
        "        v[r, 0] = edge\n"
        "        for c in I.parallel(I.domain(1, W)):\n"
        "            v[r, c] = edge + u[r, c - 1]\n"
        "    for r in I.parallel(I.domain(2, H)):\n"
        "        u[r, :] = 0.5 * v[r, :]",
    ),
    "planes": (
        1,
        "for t in I.domain(0, rounds):\n"
        "    for r, c, d in I.parallel((I.domain(1, H - 1), I.domain(1, W - 1), I.domain(0, 3))):\n"
        "        space[r, c, d] = 0.25 * (u[r - 1, c] + u[r + 1, c] + u[r, c - 1] + u[r, c + 1])\n"
        "    for r, c in I.parallel((I.domain(1, H - 1), I.domain(1, W - 1))):\n"
        "        u[r, c] = space[r - 1, c, 0] + space[r, c, 1] - space[r + 1, c, 2]",
    ),
    "cubes": (
        (1, 2),
        "for t in I.domain(0, rounds):\n"
        "    for r, c, d in I.parallel((I.domain(1, H - 1), I.domain(2, W - 2), I.domain(0, 3))):\n"
        "        space[r, c, d] = 0.25 * (other[r - 1, c, d] + other[r + 1, c, 2 - d] + other[r, c - 2, 0])\n"
        "    for r, c, d in I.parallel((I.domain(1, H - 1), I.domain(2, W - 2), I.domain(0, 3))):\n"
        "        other[r, c, d] = space[r, c, d] - space[r, c + 1, 2 - d] + fixed[r, c]",
    ),
    "a batch": (
        (0, 1),
        "for t in I.domain(0, rounds):\n"
        "    for d, r, c in I.parallel((I.domain(0, H), I.domain(1, W - 1), I.domain(0, 3))):\n"
        "        space[d, r, c] = other[d, r - 1, c] + 0.5 * other[d, r + 1, c]\n"
        "    for d, r, c in I.parallel((I.domain(0, H), I.domain(1, W - 1), I.domain(0, 3))):\n"
        "        other[d, r, c] = 0.5 * space[d, r, 2 - c] + I.cast(t, I.f32)",
    ),
    "integers": (
        1,
        "alive = I.buffer((H, W), dtype=I.i32, init=0)\n"
        + loop(
            "1 n = cells[r - 1, c] + cells[r + 1, c] + cells[r, c - 1] + cells[r, c + 1]; "
            "alive[r, c] = I.cast((n == 3) | ((n == 2) & (cells[r, c] > 0)), I.i32)",
            "1 cells[r, c] = alive[r, c]",
        ),
    ),
    "what is not written is read anywhere": (
        1,
        loop(
            "1 v[r, c] = u[r + 1, c] + fixed[H - 1 - r, c] + fixed[I.cast(place[r], I.index), c]", "1 u[r, c] = v[r, c]"
        ),
    ),
    "conditions and places of rounds": (
        1,
        loop("1 v[r, c] = I.select(u[r - 1, c] > fixed[r, c], u[r + 1, c], I.cast(t, I.f32))", "1 u[r, c] = -v[r, c]"),
    ),
    "a small buffer": (
        0,
        "small = I.buffer((4, 8), dtype=I.f32, init=0.5)\n"
        "for t in I.domain(0, rounds):\n"
        "    for r, c in I.parallel((I.domain(1, 3), I.domain(1, 7))):\n"
        "        small[r, c] = small[r, c] + 0.25\n"
        "    for r, c in I.parallel((I.domain(1, 3), I.domain(1, 7))):\n"
        "        small[r, c] = small[r, c] * 0.5\n"
        "for c in I.parallel(I.domain(0, W)):\n"
        "    u[H - 1, c] = small[1, 1] + small[2, 6]",
    ),
}
APART = {
    "twice the row": (
        Obstacle.READS,
        loop("1 v[r, c] = u[r, c] + u[I.minimum(2 * r, H - 1), c]", "1 u[r, c] = v[r, c]"),
    ),
    "a computed row": (Obstacle.READS, loop("1 v[r, c] = u[I.cast(place[r], I.index), c]", "1 u[r, c] = v[r, c]")),
    "a row of the round": (Obstacle.READS, loop("1 v[r, c] = u[I.minimum(r + t, H - 1), c]", "1 u[r, c] = v[r, c]")),
    "the same row for all": (Obstacle.READS, loop("1 v[r, c] = u[r, c] + u[0, c]", "1 u[r, c] = v[r, c]")),
    "one element for all": (
        Obstacle.READS,
        "for t in I.domain(0, rounds):\n    scale = u[0, 0]\n"
        + loop("1 v[r, c] = scale", "1 u[r, c] = v[r, c]").partition("\n")[2],
    ),
    "rows and columns": (Obstacle.READS, loop("1 v[r, c] = u[c, r]", "1 u[r, c] = v[r, c]")),
    "two rows written": (
        Obstacle.WRITES,
        loop("1 v[2 * r, c] = u[r, c]; v[2 * r + 1, c] = u[r, c]", "1 u[r, c] = v[r, c]"),
    ),
    "a row of the round written": (Obstacle.WRITES, loop("1 v[r + t, c] = u[r, c]", "1 u[r, c] = v[r, c]")),
    "written at two rows": (
        Obstacle.WRITES,
        loop("1 v[r, c] = u[r, c]", "1 v[r + 1, c] = u[r, c]", "1 u[r, c] = v[r, c]"),
    ),
    "other rows": (Obstacle.ROWS, loop("1 v[r, c] = u[r + 1, c]", "2 u[r, c] = v[r - 1, c]")),
    "rows of the round": (Obstacle.ROWS, loop(*JACOBI, rows="I.domain(t + {0}, H - {0})")),
    "columns of the round": (
        Obstacle.ROWS,
        loop("1 v[r, c] = u[r + 1, c]", "1 u[r, c] = v[r - 1, c]").replace(
            "I.domain(1, W - 1)", "I.domain(t + 1, W - 1)"
        ),
    ),
    "every other row": (Obstacle.ROWS, loop(*JACOBI, rows="I.domain({0}, H - {0}, 2)")),
    "every other round": (Obstacle.STEPS, loop(*JACOBI, head="for t in I.domain(0, rounds, 2):")),
    "a scalar handed on": (
        Obstacle.OTHER_WORK,
        "total = I.cast(0, I.f32)\n"
        + loop("1 v[r, c] = u[r + 1, c] + total", "1 u[r, c] = v[r - 1, c]")
        + "\n    total = 0.5 * total + 1.0\nw[0, 0] = total",
    ),
    "a sum over all": (
        Obstacle.OTHER_WORK,
        loop("1 v[r, c] = u[r + 1, c]", "1 u[r, c] = v[r - 1, c]")
        + "\n    w[0, 0] = I.reduce.sum(u[:, :], axis=(0, 1))",
    ),
    "the loop is left": (Obstacle.OTHER_WORK, loop(*JACOBI) + "\n    if u[1, 1] > 4.0:\n        break"),
    "an element between": (Obstacle.OTHER_WORK, loop(*JACOBI) + "\n    u[0, 0] = v[1, 1]"),
    "an atomic addition": (
        Obstacle.OTHER_WORK,
        loop(
            "1 v[r, c] = u[r + 1, c]; I.atomic.add(w, (r, c), 1.0, order='relaxed')",
            "1 u[r, c] = v[r, c]",
        ),
    ),
    "nothing is read again": (Obstacle.NOTHING_READ, loop("1 v[r, c] = fixed[r + 1, c] + I.cast(t, I.f32)")),
    "a row of one element": (
        Obstacle.ELEMENTS,
        "for t in I.domain(0, rounds):\n"
        "    for r in I.parallel(I.domain(1, H - 1)):\n        v[r, 0] = u[r - 1, 0] + u[r + 1, 0]\n"
        "    for r in I.parallel(I.domain(1, H - 1)):\n        u[r, 0] = v[r, 0]",
    ),
}


SAME = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def k(
    x: I.In[I.f32, ("T", "H", "W"), I.constraints(noalias={noalias})],
    y: I.InOut[I.f32, ("T", "H", "W"), I.constraints(noalias={noalias})],
):
    T, H, W = x.shape
    for t in I.domain(1, T):
        for r, c in I.parallel((I.domain(1, H), I.domain(1, W))):
            y[t, r, c] = x[t, r, c] + y[t - 1, r - 1, c]
"""


def loops(folder: Path, body: str) -> list[Loop]:
    path = folder / "k.py"
    path.write_text(HEADER + "\n".join(f"    {line}" for line in body.splitlines()) + "\n")
    stages = every(plan(parse_kernel(path, "k").kernel, "cpu").concrete.stages)
    return [stage for stage in stages if isinstance(stage, Loop)]


def arrays(rows: int, columns: int, rounds: int, kind: str) -> dict[str, np.ndarray | int]:
    random = np.random.default_rng(rows + 7 * columns)
    found: dict[str, np.ndarray | int] = {}
    for name in ("u", "v", "w", "cells", "space", "other", "fixed"):
        shape = (rows, columns, 3) if name in ("space", "other") else (rows, columns)
        array = random.integers(-3, 4, shape).astype(np.float32)
        if kind == "wild":
            array[random.random(shape) < 0.05] = np.nan
            array[random.random(shape) < 0.05] = -np.inf
        if name == "cells":
            array = random.integers(0, 2, shape).astype(np.int32)
        if kind == "strided":
            array = np.repeat(np.repeat(array, 2, axis=1), 3, axis=0)[::-3, ::2]
        found[name] = array
    place = random.integers(0, max(rows, 1), rows).astype(np.int32)
    return {**found, "place": place, "rounds": rounds, "first": 3}


def called(artifact: intent.Artifact, given: Mapping[str, np.ndarray | int]) -> dict[str, np.ndarray]:
    own: dict[str, np.ndarray | int] = {}
    for name, array in given.items():
        own[name] = array
        if isinstance(array, np.ndarray):
            whole = array.base if array.base is not None and array.base.ndim == array.ndim else None
            own[name] = array.copy() if whole is None else np.repeat(np.repeat(array, 2, axis=1), 3, axis=0)[::-3, ::2]
            own[name][...] = array
    artifact(*own.values())
    return {name: array for name, array in own.items() if isinstance(array, np.ndarray)}


def agree(one: intent.Artifact, other: intent.Artifact, given: Mapping[str, np.ndarray | int], what: str) -> None:
    expected = called(other, given)
    for key, got in called(one, given).items():
        np.testing.assert_array_equal(got, expected[key], f"{key} of {what}")


@pytest.mark.parametrize("name", TOGETHER)
def test_rounds_run_together_with_the_same_effect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    reach, body = TOGETHER[name]
    (found,) = loops(tmp_path, body)
    assert found.implementation is not None and found.implementation.name == TIME_TILES
    assert found.tiles is not None and found.tiles.reach == (reach if isinstance(reach, tuple) else (reach,))
    kernel = intent.load(f"{tmp_path / 'k.py'}:k")
    fast, meaning = intent.compile(kernel, "cpu"), intent.compile(kernel, "reference")
    for rows in (1, 2, 3, 5, 17):
        for rounds, kind in ((0, "even"), (1, "strided"), (2, "wild"), (7, "even")):
            agree(fast, meaning, arrays(rows, 6, rounds, kind), f"{rows} rows, {rounds} rounds, {kind}")
    if name != "a small buffer":
        agree(fast, meaning, arrays(0, 6, 2, "even"), "no rows")
    monkeypatch.setattr(levels_cpu, "time_tiles", lambda *_: Obstacle.OTHER_WORK)
    monkeypatch.setenv("INTENT2CUDA_CACHE_DIR", str(tmp_path / "cache"))
    assert "time_tiles" not in intent.emit(kernel, "cpu")["src/k.cpp"]
    apart = intent.compile(kernel, "cpu")
    for columns, rounds, kind in ((70, 7, "even"), (5, 2, "wild"), (90, 33, "strided"), (4000, 3, "even")):
        agree(fast, apart, arrays(1000 if columns < 100 else 37, columns, rounds, kind), f"{columns} columns {kind}")


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_the_number_of_threads_changes_nothing(tmp_path: Path, threads: int) -> None:
    loops(tmp_path, TOGETHER["three buffers"][1])
    kernel = intent.load(f"{tmp_path / 'k.py'}:k")
    fast, meaning = intent.compile(kernel, "cpu"), intent.compile(kernel, "reference")
    given = arrays(60, 700, 4, "wild")
    expected = called(meaning, given)
    team = ctypes.CDLL("libgomp.so.1")
    before = team.omp_get_max_threads()
    team.omp_set_num_threads(threads)
    try:
        for key, got in called(fast, given).items():
            np.testing.assert_array_equal(got, expected[key], key)
    finally:
        team.omp_set_num_threads(before)


@pytest.mark.parametrize("name", APART)
def test_other_loops_run_round_by_round(tmp_path: Path, name: str) -> None:
    """The plan says why."""
    why, body = APART[name]
    assert all(found.tiles is None for found in loops(tmp_path, body))
    kernel = parse_kernel(tmp_path / "k.py", "k").kernel
    rejected = [pair for choice in plan(kernel, "cpu").report.choices for pair in choice.rejected]
    assert (TIME_TILES, why.value) in rejected


@pytest.mark.parametrize("noalias", [False, True])
def test_memory_that_may_be_the_same_keeps_rounds_apart(tmp_path: Path, noalias: bool) -> None:
    """An element of x is read where one of y is written, so a caller may pass one memory for both, if he is not told
    otherwise."""
    path = tmp_path / "k.py"
    path.write_text(SAME.format(noalias=noalias))
    report = plan(parse_kernel(path, "k").kernel, "cpu").report
    rejected = [pair for choice in report.choices for pair in choice.rejected]
    assert ((TIME_TILES, Obstacle.SHARED.value) in rejected) is not noalias
    assert (TIME_TILES in [choice.entry.name for choice in report.choices]) is noalias


def test_checked_builds_inspect_round_by_round(tmp_path: Path) -> None:
    """What breaks a rule is found where it is when rounds come one after the other."""
    loops(tmp_path, loop("1 v[r, c] = u[r + 1, c + first]", "1 u[r, c] = v[r - 1, c]"))
    kernel = intent.load(f"{tmp_path / 'k.py'}:k")
    given = arrays(9, 9, 3, "even")
    with pytest.raises(intent.BoundsError, match="position 9"):
        intent.compile(kernel, "cpu", checked=True)(*given.values())


def test_a_sealed_plan_keeps_the_rows(tmp_path: Path) -> None:
    loops(tmp_path, TOGETHER["two rows away"][1])
    found = plan(parse_kernel(tmp_path / "k.py", "k").kernel, "cpu")
    made, identities = found.concrete, found.bound.identities
    again = loaded(snapshot(made, identities).text, made.kernel, identities)
    (stage,) = (stage for stage in again.stages if isinstance(stage, Loop))
    assert stage.tiles == TimeTiles((2,), IntExpr.symbol("W") * 8) and again == made
    assert "rows of 8*W bytes that reach 2 away by cpu.loop.time_tiles" in stage_text(
        made.stages, reader_names(made.kernel)
    )


def test_other_targets_keep_rounds_apart(tmp_path: Path) -> None:
    loops(tmp_path, TOGETHER["two buffers"][1])
    kernel = parse_kernel(tmp_path / "k.py", "k").kernel
    assert all(stage.tiles is None for stage in every(plan(kernel, "cuda").concrete.stages) if isinstance(stage, Loop))
