"""Random calls of the kernels here, many of them illegal: the reference and checked builds say the same of each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import intent2cuda as intent

FILE = Path(__file__).resolve().parent / "kernels.py"
KERNEL = re.compile(r"def (\w+)\(\s*(.*?)\s*\):\n", re.DOTALL)
PARAMETER = re.compile(r"(\w+): I\.\w+\[I\.(\w+), \(([^)]*)\)\]")
KERNELS = dict(KERNEL.findall(FILE.read_text()))
REFUSED, ENDLESS = "neighbours", "chains"
CALLS = 100


def call_of(signature: str, rng: np.random.Generator) -> list[Any]:
    """Arrays of up to three elements an axis; half of those of integers hold small ones, often in order."""
    extents: dict[str, int] = {}
    made: list[Any] = []
    for _, _, shape in PARAMETER.findall(signature):
        for symbol in re.findall(r'"(\w+)"', shape):
            extents.setdefault(symbol, int(rng.integers(0, 4)))
    if "G1" in extents:
        extents["G1"] = extents.get("G", extents["G1"]) + 1
    for name, dtype, shape in PARAMETER.findall(signature):
        sizes = [extents[symbol] for symbol in re.findall(r'"(\w+)"', shape)]
        good = rng.random() < 0.5
        numbers = rng.integers(0, 3, sizes) if good else rng.integers(-1, 5, sizes)
        ordered = np.sort(numbers) if good and name == "offsets" else numbers
        made.append(np.asarray(ordered, {"f32": np.float32, "i32": np.int32, "i64": np.int64}[dtype]))
    return made


def outcome(artifact: Any, given: list[Any]) -> list[Any] | None:
    """That a rule was broken (several may be, and each target tells of the first that it meets), or the arrays."""
    copies = [np.array(value) for value in given]
    try:
        artifact(*copies)
    except intent.CheckError:
        return None
    return [copy.tolist() for copy in copies]


@pytest.mark.parametrize("name", sorted(KERNELS.keys() - {REFUSED, ENDLESS}))
def test_both_targets_find_the_same_calls_illegal(name: str) -> None:
    kernel = intent.load(f"{FILE}:{name}")
    reference, compiled = (intent.compile(kernel, target, checked=True) for target in ("reference", "cpu"))
    rng = np.random.default_rng(len(name))
    for _ in range(CALLS):
        given = call_of(KERNELS[name], rng)
        assert outcome(compiled, given) == outcome(reference, given), given
