"""How long the front end takes: a 100-line kernel, and files of many kernels. Prints a Markdown table.

Processor time of a warm process, so that other users of the machine do not count. "Parsing" is libcst's own work on the
text; the rest is reading, typing and verifying the kernels.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import libcst as cst

from intent2cuda.pipeline.front import front, kernel_names

HEAD = "import intent2cuda as intent\nimport intent2cuda.language as I\n\n"

STEP = """    t{k} = x[row, :] * scale + I.cast(row + {k}, I.f32)
    u{k} = I.select(t{k} > 0.0, t{k}, I.exp(t{k}) - 1.0)
    m{k} = I.reduce.max(u{k}, axis=0)
    total = total + I.reduce.sum(u{k} - m{k}, axis=0) / I.cast(x.shape[1], I.f32)
"""


def kernel(name: str, steps: int, depth: int = 0) -> str:
    """A kernel of four lines a step; its steps stand inside `depth` ordered loops."""
    lines = [
        "@intent.kernel",
        f"def {name}(x: I.In[I.f32, ('M', 'N')], scale: I.f32, y: I.Out[I.f32, ('M',)]):",
        "    for row in I.parallel(I.domain(0, x.shape[0])):",
        "        total = I.cast(0.0, I.f32)",
    ]
    for level in range(depth):
        lines.append("    " * (level + 2) + f"for i{level} in range(2):")
    body = "".join(STEP.format(k=k) for k in range(steps))
    lines += ["    " * (depth + 1) + line for line in body.splitlines()]
    return "\n".join([*lines, "        y[row] = total", "", "", ""])


def processor_seconds(call: Callable[[], object], runs: int) -> float:
    """The least of several runs."""
    found: list[float] = []
    for _ in range(runs):
        gc.collect()
        started = time.process_time()
        call()
        found.append(time.process_time() - started)
    return min(found)


def measure(folder: Path, name: str, text: str, runs: int = 3) -> tuple[float, float]:
    """Seconds of libcst alone, and of everything up to verified Kernel IR of every kernel of the text."""
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")

    def whole() -> None:
        for found in kernel_names(file):
            front(file, found)

    return processor_seconds(lambda: cst.MetadataWrapper(cst.parse_module(text)), runs), processor_seconds(whole, runs)


def main() -> None:
    cases = {
        "one kernel of 102 lines": HEAD + kernel("k", 24),
        "one kernel of 402 lines": HEAD + kernel("k", 99),
        "one kernel of 1,602 lines": HEAD + kernel("k", 399),
        "102 lines inside 4 loops": HEAD + kernel("k", 23, 4),
        "102 lines inside 8 loops": HEAD + kernel("k", 22, 8),
        **{
            f"{n} kernels, {15 * n} lines": HEAD + "".join(kernel(f"k{k}", 2) for k in range(n)) for n in (25, 100, 200)
        },
    }
    print("| source | lines | libcst | whole | per line beyond libcst |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for k, (what, text) in enumerate(cases.items()):
            parsing, whole = measure(Path(folder), f"case{k}", text)
            lines = text.count("\n")
            beyond = (whole - parsing) / lines
            print(
                f"| {what} | {lines} | {parsing * 1e3:.0f} ms | {whole * 1e3:.0f} ms | {beyond * 1e6:.0f} us |",
                flush=True,
            )


if __name__ == "__main__":
    main()
