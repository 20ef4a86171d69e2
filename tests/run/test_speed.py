"""How long emission takes in a warm process."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from intent2cuda import pipeline

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 0.150  # seconds of processor time, so that other work on the machine does not count
LONGER = {"08_attention", "09_linear_attention", "10_mixture_of_experts", "11_quantised"}  # ten times that, for now


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*/kernel.py")), ids=lambda p: p.parent.name)
def test_one_kernel_is_emitted_quickly(example: Path, target: str) -> None:
    name = pipeline.kernel_names(example)[0]

    def once() -> float:
        started = time.process_time()
        front = pipeline.front(example, name)
        pipeline.emit_project([front], target, name)
        return time.process_time() - started

    assert min(once() for _ in range(4)) < LIMIT * (10 if example.parent.name in LONGER else 1)
