"""Time against the number of elements over four decades, with one thread and with two, beside NumPy.

  scaling.py [--json FILE] [--svg FOLDER]

Prints a Markdown table, and draws `time-NAME.svg` for each workload and `threads.svg`, how much two threads gain. Each
figure is the least of several batches of calls, in a process of its own for each number of threads.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

import intent2cuda as intent

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SIZES = [round(10 ** (3 + step / 2)) for step in range(9)]
COLUMNS = 1000  # elements of a row of softmax
BATCHES = 25
BATCH_SECONDS = 0.01

Calls = Mapping[str, Callable[[], object]]
Curves = dict[str, dict[str, list[float]]]
"""workload -> contender -> seconds for each of SIZES."""


def compiled(folder: str, kernel: str) -> Callable[..., object]:
    return intent.compile(intent.load(f"{EXAMPLES / folder / 'kernel.py'}:{kernel}"), "cpu")


def gelu(count: int) -> Calls:
    x, b = np.random.default_rng(1).standard_normal((2, count), np.float32)
    y, kernel = np.empty_like(x), compiled("01_saxpy_gelu", "saxpy_gelu")

    def numpy() -> object:
        z = np.float32(2.0) * x + b
        inner = np.float32(0.7978845608) * (z + np.float32(0.044715) * z * z * z)
        return np.multiply(np.float32(0.5) * z, 1 + np.tanh(inner), out=y)

    return {"intent2cuda": lambda: kernel(x, b, 2.0, y), "NumPy": numpy}


def total(count: int) -> Calls:
    x = np.random.default_rng(2).standard_normal(count, np.float32)
    y, kernel = np.empty((), np.float32), compiled("05_reductions", "total")
    return {"intent2cuda": lambda: kernel(x, y), "NumPy": lambda: np.sum(x, out=y)}


def softmax(count: int) -> Calls:
    x = np.random.default_rng(3).standard_normal((count // COLUMNS, COLUMNS), np.float32)
    y, kernel = np.empty_like(x), compiled("04_softmax", "softmax")

    def numpy() -> object:
        np.exp(x - x.max(axis=1, keepdims=True), out=y)
        return np.divide(y, y.sum(axis=1, keepdims=True), out=y)

    return {"intent2cuda": lambda: kernel(x, y), "NumPy": numpy}


WORKLOADS: Mapping[str, Callable[[int], Calls]] = {"gelu": gelu, "sum": total, "softmax": softmax}


def least_seconds(call: Callable[[], object]) -> float:
    """Of one call, from batches that take about BATCH_SECONDS each."""
    started = time.perf_counter()
    call()
    repeat = max(1, int(BATCH_SECONDS / max(time.perf_counter() - started, 1e-7)))
    best = math.inf
    for _ in range(BATCHES):
        started = time.perf_counter()
        for _ in range(repeat):
            call()
        best = min(best, (time.perf_counter() - started) / repeat)
    return best


def measured() -> Curves:
    curves: Curves = {}
    for name, make in WORKLOADS.items():
        calls = [make(count) for count in SIZES]
        curves[name] = {who: [least_seconds(each[who]) for each in calls] for who in calls[0]}
    return curves


def with_threads(threads: int) -> Curves:
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
    command = [sys.executable, __file__, "--worker"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 560, 340, 70, 46, 30
COLOURS = ("#1f77b4", "#7fb3d9", "#d95f02")


def drawn(title: str, curves: Mapping[str, Sequence[float]], unit: str, logarithmic: bool) -> str:
    """An SVG of curves over SIZES, which run along a logarithmic axis."""
    scale: Callable[[float], float] = math.log10 if logarithmic else float
    values = [scale(value) for curve in curves.values() for value in curve]
    low, high = (math.floor(min(values)), math.ceil(max(values))) if logarithmic else (0, max(values) * 1.1)

    def across(count: float) -> float:
        return LEFT + (math.log10(count) - 3) / 4 * (WIDTH - LEFT - 20)

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (scale(value) - low) / (high - low) * (HEIGHT - BOTTOM - TOP)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"',
        '  font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-size="14">{title}</text>',
        f'<text x="{WIDTH - 20}" y="{HEIGHT - 8}" text-anchor="end">elements</text>',
    ]
    for decade in range(3, 8):
        x = across(10**decade)
        lines.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        lines.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">10^{decade}</text>')
    ticks = range(int(low), int(high) + 1) if logarithmic else [0.5 * n for n in range(int(high / 0.5) + 1)]
    for tick in ticks:
        y = up(10**tick if logarithmic else tick)
        label = f"{10 ** (tick + 6):g}" if logarithmic else f"{tick:g}"
        lines.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - 20}" y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    lines.append(f'<text x="8" y="{TOP - 8}">{unit}</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{across(n):.1f},{up(value):.1f}" for n, value in zip(SIZES, curve, strict=True))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = TOP + 14 + 16 * number
        lines.append(f'<line x1="{LEFT + 10}" y1="{y}" x2="{LEFT + 34}" y2="{y}" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{LEFT + 40}" y="{y + 4}">{name}</text>')
    return "\n".join([*lines, "</svg>", ""])


def table(one: Curves, two: Curves) -> str:
    rows = ["| workload | elements | 1 thread, us | 2 threads, us | gain | NumPy, us |", "|---|---|---|---|---|---|"]
    for name, curves in one.items():
        for n, count in enumerate(SIZES):
            single, double = curves["intent2cuda"][n], two[name]["intent2cuda"][n]
            numpy = two[name]["NumPy"][n]
            cells = (
                name,
                str(count),
                f"{single * 1e6:.3g}",
                f"{double * 1e6:.3g}",
                f"{single / double:.2f}",
                f"{numpy * 1e6:.3g}",
            )
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        print(json.dumps(measured()))
        return
    one, two = with_threads(1), with_threads(2)
    print(table(one, two))
    if given.json:
        given.json.write_text(json.dumps({"sizes": SIZES, "1": one, "2": two}, indent=1) + "\n", encoding="utf-8")
    if given.svg:
        given.svg.mkdir(parents=True, exist_ok=True)
        for name in WORKLOADS:
            curves = {
                "intent2cuda, 2 threads": two[name]["intent2cuda"],
                "intent2cuda, 1 thread": one[name]["intent2cuda"],
                "NumPy": two[name]["NumPy"],
            }
            picture = drawn(f"{name}: time of a call", curves, "us", logarithmic=True)
            (given.svg / f"time-{name}.svg").write_text(picture, encoding="utf-8")
        gains = {
            name: [a / b for a, b in zip(one[name]["intent2cuda"], two[name]["intent2cuda"], strict=True)]
            for name in WORKLOADS
        }
        picture = drawn("two threads against one", gains, "times as fast", logarithmic=False)
        (given.svg / "threads.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
