"""Writes docs/planning: the worked examples, each from what planning says of a kernel of `planning/kernels.py`.

python docs/make_planning.py [--check]
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from intent2cuda.base.codec import digest
from intent2cuda.base.intexpr import Symbol, evaluate
from intent2cuda.ir.printer import canonical_text
from intent2cuda.parse import parse_kernel
from intent2cuda.plan.assembling import author_of, portable_plan
from intent2cuda.plan.portable import DecisionKind, PortablePlan, Status
from intent2cuda.plan.portable_text import portable_text, quantity_text, ratio_at, readable_names, worksets_text
from intent2cuda.plan.quantity import Exact
from intent2cuda.plan.structures import CANDIDATES, Structures
from intent2cuda.target.profile import profile_names

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "docs" / "planning"
SOURCE = PLACE / "kernels.py"


@dataclass(frozen=True)
class Example:
    """A page about a kernel. `sizes`: a call for which its numbers are worked out."""

    stem: str
    title: str
    kernel: str
    constexprs: Mapping[str, Any]
    sizes: Mapping[str, int]
    prose: str


EXAMPLES = (
    Example(
        "softmax",
        "Softmax of rows",
        "softmax",
        {},
        {"M": 4096, "N": 4096},
        """Two reductions read each row, and the exponentials are needed twice. A plan may keep them or compute them
        again: both are decisions, and the work of the tasks shows which one was taken.""",
    ),
    Example(
        "matmul",
        "A product of matrices",
        "matmul",
        {},
        {"M": 4096, "N": 4096, "K": 4096},
        """One task, with two free axes and one that is reduced. Which instructions make the product is left open:
        the need names what may realise it.""",
    ),
    Example(
        "attention",
        "Attention by a fold over the keys",
        "attention",
        {"CAUSAL": False},
        {"B": 2, "H": 16, "Q": 2048, "K": 2048, "D": 64, "E": 64},
        """The keys are a segment axis: how many of them a segment has is a symbol that the gate binds. The work does
        not depend on it; what merging adds is stated with the decision.""",
    ),
    Example(
        "causal-attention",
        "The same under a causal mask",
        "attention",
        {"CAUSAL": True},
        {"B": 2, "H": 16, "Q": 2048, "K": 2048, "D": 64, "E": 64},
        """The mask compares coordinates of two domains of the kernel inside a helper. Only the pairs that it admits
        are counted.""",
    ),
    Example(
        "ragged-mean",
        "Means of groups of rows",
        "ragged_mean",
        {},
        {"D": 64, "G": 10_000, "R": 1_000_000, "E": 10_001, "data.offsets": 1_000_000},
        """How many rows there are in all is a number that data gives: the sums of the groups telescope, so the facts
        are exact in it. The longest group has no expression.""",
    ),
)


def plans(example: Example) -> tuple[str, dict[str, PortablePlan], Mapping[str, str]]:
    """The worksets of an example as text, its plan in every structure that differs, and the author's names."""
    kernel = parse_kernel(SOURCE, example.kernel, example.constexprs).kernel
    structures = Structures(kernel)
    author = author_of(kernel, structures.author, digest("intent.kir/0", canonical_text(kernel)))
    readable = readable_names(kernel, author.identities)
    drafts, found = structures.open, dict[str, PortablePlan]()
    for name, _, policy in CANDIDATES:
        status = Status.CANDIDATE if found else Status.SELECTED
        plan = portable_plan(drafts.of(policy), drafts.identities, author, structures.out, name, status)
        if plan.digest not in {other.digest for other in found.values()}:
            found[name] = plan
    return worksets_text(author.worksets, readable), found, readable


def page(example: Example) -> str:
    """The text of a page."""
    worksets, found, readable = plans(example)
    first = next(iter(found.values()))
    rows = [f"# {example.title}", "", inspect.cleandoc(example.prose), "", "```python", _source(example), "```", ""]
    rows += ["## Worksets", "", "```text", worksets.rstrip(), "```", ""]
    rows += ["## Facts", "", *_facts(first, example, readable), ""]
    rows += ["## Candidates", "", *_candidates(found, readable), ""]
    rows += ["## The portable plan", "", "```text", portable_text(first, readable).rstrip(), "```", ""]
    return "\n".join(rows)


def _source(example: Example) -> str:
    """The definition of the kernel, without the helpers."""
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    start = lines.index("@intent.kernel", _line(lines, f"def {example.kernel}(") - 1)
    end = next((n for n in range(start + 2, len(lines)) if lines[n].startswith("@intent.")), len(lines))
    return "\n".join(lines[start:end]).rstrip()


def _line(lines: list[str], begin: str) -> int:
    return next(number for number, line in enumerate(lines) if line.startswith(begin))


def _facts(plan: PortablePlan, example: Example, readable: Mapping[str, str]) -> Iterator[str]:
    values = {Symbol(name): size for name, size in example.sizes.items()}
    sizes = ", ".join(f"{name} = {size}" for name, size in example.sizes.items())
    yield f"| | expression | {sizes} |"
    yield "|---|---|---|"
    named = [(f"{work.kind} {work.dtype}", work.count) for work in plan.facts.ops_by_class]
    named += [("bytes read", plan.facts.read_bytes), ("bytes written", plan.facts.write_bytes)]
    for name, quantity in named:
        number = f"{evaluate(quantity.expression, values):,}" if isinstance(quantity, Exact) else ""
        yield f"| {name} | `{quantity_text(quantity, readable)}` | {number} |"
    for name, ratio in (("reuse", plan.facts.reuse), ("intensity", plan.facts.intensity)):
        found = ratio_at(ratio, values)
        yield f"| {name} | | {_decimal(found)} |"


def _decimal(ratio: Fraction | None) -> str:
    """A ratio with one digit behind the point, rounded down."""
    if ratio is None:
        return "unknown"
    tenths = ratio.numerator * 10 // ratio.denominator
    return f"{tenths // 10}.{tenths % 10}"


def _candidates(found: Mapping[str, PortablePlan], readable: Mapping[str, str]) -> Iterator[str]:
    yield "| structure | tasks | bytes read | bytes written | done again | at most held |"
    yield "|---|---|---|---|---|---|"
    for name, plan in found.items():
        read = "; ".join(quantity_text(task.facts.read_bytes, readable) for task in plan.tasks)
        written = "; ".join(quantity_text(task.facts.write_bytes, readable) for task in plan.tasks)
        again = [w for d in plan.decisions if d.kind is DecisionKind.RECOMPUTE for w in d.extra]
        more = "; ".join(f"{w.kind} {quantity_text(w.count, readable)}" for w in again) or "nothing"
        held = [b.size for b in plan.buffers if b.storage == "transient"]
        most = "; ".join(quantity_text(size, readable).partition(" (")[0].removeprefix("at most ") for size in held)
        yield f"| {name} | {len(plan.tasks)} | `{read}` | `{written}` | `{more}` | `{most or 0}` |"


def pages() -> dict[str, str]:
    """Every page by its file name."""
    index = ["# Planning, by example", "", "Written by `docs/make_planning.py` from what the product says.", ""]
    index += (f"- [{example.title}]({example.stem}.md)" for example in EXAMPLES)
    index += ["", *inspect.cleandoc(COUNTED).splitlines(), "", *inspect.cleandoc(STATUS).splitlines(), ""]
    index += ["| target | what is tested |", "|---|---|"]
    index += [f"| {name} | {TESTED.get(name, BOUND)} |" for name in profile_names()]
    index += [""]
    return {"README.md": "\n".join(index)} | {f"{example.stem}.md": page(example) for example in EXAMPLES}


COUNTED = """
## What the facts count

| what | how |
|---|---|
| classes | add, mul, cmp, sel, div, transc (functions), fma (a multiply-add of a contraction), int, cvt, rng, atomic |
| reductions and scans | a reduction of n members is n combinations |
| contractions | a multiply-add for each pair of factors; compressed operands without their zeros |
| region operations | over the whole axis as one segment; what merging adds stands with the decision |
| masks | members that a mask on coordinates leaves out are not counted |
| masks by data | all members are counted, and the number says `of all members` |
| selects | a side is counted where coordinates may choose it; a select on data takes both sides |
| bytes read and written | distinct elements that cross the border of the task, times their size |
| bytes asked for | the same with repeats |
| unknown | has a reason, and what it is at most where that is known |

The expressions are exact for every call. A test executes kernels of the whole language, counts, and compares.
"""


STATUS = """
## Status

Texts of plans are of version 0.0.0, the only one there is: an experimental form for people and tools to look at, and no
interface to build on. A text of any other version is refused, and made again from the source.
`intent2cuda show --sealed --stage STAGE` prints the text of a layer: `ir`, `worksets`, `portable`, `concrete`,
`machine`.

Missing so far: a general model of routes and occupancy, a scheduler of many kernels, and every product of time
(costs, projections, traces, timelines, observations). No target makes a cycle part of what is correct.
"""

BOUND = "plans are bound and verified; nothing is run"
TESTED = {
    "x86-64-v3": "every compiled kernel of the tests runs on it",
    "sm_80": "plans are bound and verified; the emitted text runs under a checker on the host (`cuda-sim`); "
    "a project is built with nvcc where it is installed",
}
"""What tests show of a target beyond its plans."""


def main() -> int:
    """Writes the pages, or with --check only compares; 1 when they differ."""
    made = pages()
    if "--check" not in sys.argv[1:]:
        for name, text in made.items():
            (PLACE / name).write_text(text, encoding="utf-8")
        return 0
    stale = [n for n, text in made.items() if not (PLACE / n).exists() or (PLACE / n).read_text("utf-8") != text]
    if stale:
        print(f"not up to date: {', '.join(stale)}; run python docs/make_planning.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
