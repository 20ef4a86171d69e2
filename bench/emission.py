"""How long emission takes in a warm process, from the text of a kernel to the text of its project.

Prints a Markdown table. Processor time, so that other users of the machine do not count; the least of several runs.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from frontend import processor_seconds

from intent2cuda import pipeline

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def emitted(kernel_file: Path, name: str, target: str) -> None:
    pipeline.emit_project([pipeline.front(kernel_file, name)], target, name)


def main() -> None:
    print("| example | cpu | cuda |\n|---|---|---|")
    for kernel_file in sorted(EXAMPLES.glob("*/kernel.py")):
        name = pipeline.kernel_names(kernel_file)[0]
        runs = (partial(emitted, kernel_file, name, target) for target in ("cpu", "cuda"))
        cpu, cuda = (processor_seconds(run, 4) for run in runs)
        print(f"| {kernel_file.parent.name} | {cpu * 1e3:.0f} ms | {cuda * 1e3:.0f} ms |", flush=True)


if __name__ == "__main__":
    main()
