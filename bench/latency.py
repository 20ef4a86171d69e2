"""How long people wait: import, emission, first compile, cache hit, a call. Prints a Markdown table.

Each figure is the median of several runs of its own: processes for import and cold compiles, calls for the rest.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import intent2cuda as intent

KERNEL = f"{Path(__file__).resolve().parent.parent / 'examples' / '04_softmax' / 'kernel.py'}:softmax"


def median(samples: list[float]) -> float:
    return statistics.median(samples)


def seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def in_process(code: str, cache: str, runs: int) -> float:
    """Seconds that the code itself reports as its last line, in fresh processes."""
    environment = dict(os.environ, INTENT2CUDA_CACHE_DIR=cache)
    found: list[float] = []
    for _ in range(runs):
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        found.append(float(done.stdout.split()[-1]))
    return median(found)


IMPORT = "import time; s = time.perf_counter(); import intent2cuda; print(time.perf_counter() - s)"
COMPILE = (
    "import time, intent2cuda as intent; kernel = intent.load({kernel!r}); intent.emit(kernel, target='cpu')\n"
    "s = time.perf_counter(); intent.compile(kernel, target='cpu'); print(time.perf_counter() - s)"
)


def call_cost(artifact: object, arguments: tuple[object, ...]) -> float:
    """Seconds of one call, from batches of a thousand."""

    def batch() -> None:
        for _ in range(1000):
            artifact(*arguments)

    batch()
    return median([seconds(batch) / 1000 for _ in range(9)])


def main() -> None:
    kernel = intent.load(KERNEL)
    rows: list[tuple[str, float, str]] = []
    with tempfile.TemporaryDirectory() as cache:
        rows.append(("import intent2cuda", in_process(IMPORT, cache, 7), "150 ms"))
        intent.emit(kernel, target="cpu")
        rows.append(
            (
                "emit softmax, warm process",
                median([seconds(lambda: intent.emit(kernel, target="cpu")) for _ in range(9)]),
                "150 ms",
            )
        )
        cold = [in_process(COMPILE.format(kernel=KERNEL), tempfile.mkdtemp(dir=cache), 1) for _ in range(5)]
        rows.append(("intent.compile softmax, empty cache, warm interpreter", median(cold), "1 s"))
        os.environ["INTENT2CUDA_CACHE_DIR"] = cache
        artifact = intent.compile(kernel, target="cpu")
        rows.append(
            (
                "intent.compile softmax, cache hit",
                median([seconds(lambda: intent.compile(kernel, target="cpu")) for _ in range(9)]),
                "20 ms",
            )
        )
        x = np.zeros((1, 1), np.float32)
        rows.append(("call of a compiled kernel, 1 element", call_cost(artifact, (x, x.copy())), "3 us"))
    print("| what | median | goal |\n|---|---|---|")
    for what, value, goal in rows:
        shown = f"{value * 1e6:.2f} us" if value < 1e-3 else f"{value * 1e3:.1f} ms"
        print(f"| {what} | {shown} | {goal} |")


if __name__ == "__main__":
    main()
