"""How long planning takes, from verified Kernel IR to every plan of a kernel. Prints a Markdown table.

Processor time of a warm process, so that other users of the machine do not count; the least of several runs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from frontend import processor_seconds

from intent2cuda.ir.kernel import walk
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan

HEAD = "import intent2cuda as intent\nimport intent2cuda.language as I\n\n\n@intent.kernel\n"
MATRIX, VECTOR = "[I.f32, ('M', 'N')]", "[I.f32, ('M',)]"


def chain(steps: int) -> str:
    """One loop over elements: two operations a step."""
    lines = [f"def chain(x: I.In{MATRIX}, y: I.Out{MATRIX}):", "    v = x[:, :]"]
    lines += (f"    v = v * {k}.5 + I.exp(v)" for k in range(steps))
    return "\n".join([*lines, "    y[:, :] = v", ""])


def reductions(steps: int) -> str:
    """Rows that are normalised again and again."""
    lines = [
        f"def reductions(x: I.In{MATRIX}, y: I.Out{MATRIX}):",
        "    for row in I.parallel(I.domain(0, x.shape[0])):",
    ]
    lines.append("        v = x[row, :]")
    lines += ("        v = (v - I.reduce.max(v, axis=0)) * 0.5" for _ in range(steps))
    return "\n".join([*lines, "        y[row, :] = v", ""])


def views(steps: int) -> str:
    """A sum of as many views as steps."""
    names = [f"x{k}" for k in range(steps)]
    lines = [f"def views({', '.join(f'{name}: I.In{MATRIX}' for name in names)}, y: I.Out{MATRIX}):"]
    lines.append("    v = x0[:, :]")
    lines += (f"    v = v + {name}[:, :]" for name in names[1:])
    return "\n".join([*lines, "    y[:, :] = v", ""])


def masked(steps: int) -> str:
    """Sums under masks on coordinates, whose members are counted."""
    lines = [
        f"def masked(x: I.In{MATRIX}, width: I.index, y: I.Out{VECTOR}):",
        "    rows = I.indices(I.domain(0, x.shape[0]))[:, None]",
        "    columns = I.indices(I.domain(0, x.shape[1]))[None, :]",
        "    total = I.zeros((x.shape[0],), dtype=I.f32)",
    ]
    for k in range(steps):
        lines.append(f"    near = columns <= rows + {k} and columns > rows - width - {k}")
        lines.append("    total = total + I.reduce.sum(I.mask(x[:, :], valid=near, fill=0.0), axis=1)")
    return "\n".join([*lines, "    y[:] = total", ""])


KINDS: tuple[tuple[Callable[[int], str], int], ...] = ((chain, 12), (reductions, 12), (views, 16), (masked, 4))
"""Builders, each with the steps that make about fifty operations."""


def measure(folder: Path, build: Callable[[int], str], steps: int, target: str = "cpu") -> tuple[int, float]:
    """The operations of a kernel, and the seconds that its plans take."""
    file = folder / f"{build.__name__}{steps}.py"
    file.write_text(HEAD + build(steps), encoding="utf-8")
    kernel = parse_kernel(file, build.__name__).kernel
    return sum(1 for _ in walk(kernel.body)), processor_seconds(lambda: plan(kernel, target), 3)


def main() -> None:
    print("| kernel | operations | cpu | cuda |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for build, steps in KINDS:
            for factor in (1, 2, 4):
                operations, seconds = measure(Path(name), build, steps * factor)
                _, cuda = measure(Path(name), build, steps * factor, "sm_80")
                print(f"| {build.__name__} | {operations} | {seconds * 1e3:.0f} ms | {cuda * 1e3:.0f} ms |", flush=True)


if __name__ == "__main__":
    main()
