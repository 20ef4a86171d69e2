"""Whether the emitted text of kernels does what their plans say, counted in the text itself.

python tests/lower/conserved.py: every kernel of the conformance cases, of the examples and of the documentation, for
both targets. Lowering verifies each program as well, and refuses to print one that does more or less than its plan.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.emit.project import source_text
from intent2cuda.ir.kernel import Kernel
from intent2cuda.lower import lower
from intent2cuda.pipeline.front import constexpr_names, front, kernel_names
from intent2cuda.plan import plan, refuse_uncovered
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.stage import Access, Points, Scope, Stage, Sync
from intent2cuda.plan.stage_identity import every_part

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ("cpu", "cuda")
Given = tuple[Path, str, Mapping[str, Any]]


def counts(found: ConcretePlan, text: str) -> Iterator[tuple[str, int, int]]:
    """What is counted, how often the plan has it, and how often the text."""
    code = re.sub(r"//.*", "", text)
    stages = list(every_part(found.stages))
    shared = [stage for stage in stages if isinstance(stage, Access) and stage.scope is not Scope.THREAD]
    routines = every_part(tuple(stage for stage in stages if by_a_routine(stage)))
    by_routine = sum(isinstance(part, Access) for part in routines)
    launches = 0 if found.target == "cpu" else 2 if "template <bool kDense>" in code else 1
    yield "atomic accesses", len(shared) - by_routine, len(re.findall(r"intent::atomic_\w+<", code))
    yield "barriers", sum(isinstance(stage, Sync) for stage in stages), code.count("__syncthreads();")
    yield "launches", launches, code.count("intent::launch(")


def by_a_routine(stage: Stage) -> bool:
    """Whether threads make sums of their own instead of atomic accesses."""
    return isinstance(stage, Points) and stage.implementation.name == "cpu.scatter.add"


def differences(kernel: Kernel, target: str) -> list[str]:
    """Where the text and the plan of a kernel differ.

    Raises: IntentError when the target cannot run the kernel.
    """
    refuse_uncovered(kernel, target)
    found = plan(kernel, target).concrete
    text = source_text("p", lower(found))
    return [
        f"{what}: {planned} planned, {printed} in the text"
        for what, planned, printed in counts(found, text)
        if planned != printed
    ]


def kernels() -> Iterator[Given]:
    """Every kernel, with the values of its compile-time parameters in each case."""
    for path in (*sorted((ROOT / "examples").glob("*/kernel.py")), ROOT / "docs" / "planning" / "kernels.py"):
        yield from ((path, name, {}) for name in kernel_names(path) if not constexpr_names(path, name))
    sys.path.insert(0, str(ROOT / "tests"))
    from conformance import suite

    for path in suite.files(""):
        seen = {(case.kernel, str(case.constexprs)): case for case in suite.named_cases(path).values()}
        yield from ((path, case.kernel, case.constexprs) for case in seen.values())


def main() -> int:
    wrong = tried = refused = 0
    for path, name, constexprs in kernels():
        for target in TARGETS:
            try:
                found = differences(front(path, name, constexprs).kernel, target)
            except IntentError:
                refused += 1
                continue
            tried += 1
            wrong += bool(found)
            for each in found:
                print(f"{path.relative_to(ROOT)}:{name} {dict(constexprs) or ''} for {target}: {each}")
    print(f"{tried} programs, {wrong} of them differ from their plans; {refused} were refused by their targets")
    return 1 if wrong or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
