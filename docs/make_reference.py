"""Writes docs/reference: a page for each group of names, from docstrings, tables, prose and executable examples.

python docs/make_reference.py [--check]
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any

import intent2cuda
from intent2cuda import language
from intent2cuda.parse.operator_names import SYMBOL
from intent2cuda.types.dtype import DTYPES, sum_dtype
from intent2cuda.types.scalar_fn import SCALAR_FNS, Domain, Result, ScalarFn

WIDTH = 100  # of code on the pages
CONSTRUCTED = ("intent.CompileOptions", "intent.CpuTarget", "intent.CudaTarget", "intent.ReferenceTarget")
"""Classes that users make objects of."""

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "docs" / "reference"


@dataclass(frozen=True)
class Group:
    """A page: what it is called, and the names it describes in their order."""

    stem: str
    title: str
    names: tuple[str, ...]


def _names(root: str, words: str) -> tuple[str, ...]:
    return tuple(f"{root}.{word}" for word in words.split())


GROUPS = (
    Group(
        "definitions",
        "Definitions",
        _names("intent", "kernel fn")
        + _names("I", "In Out InOut constraints Constexpr Enum dtype")
        + _names("I", "bool index i8 i16 i32 i64 u8 u16 u32 u64 f8e4m3fn f8e5m2 f16 bf16 f32 f64 inf LOG2E"),
    ),
    Group("domains", "Domains and control", _names("I", "domain parallel indices end assume_in_bounds ragged members")),
    Group("tensors", "Tensors", _names("I", "full zeros reshape transpose join record cast bitcast select mask")),
    Group(
        "math",
        "Mathematics",
        _names("I", "add maximum minimum maximum_num minimum_num fdiv abs floor sqrt rsqrt exp exp2 log log1p sin cos")
        + _names("I", "asin tanh sigmoid erf erfc lgamma i0"),
    ),
    Group(
        "reductions",
        "Reductions and scans",
        _names("I", "reduce reduce.sum reduce.max reduce.any reduce.all arg_reduce.max scan cumsum cummax histogram"),
    ),
    Group("regions", "Region operations", _names("I", "region_fold region_scan")),
    Group("contractions", "Contractions", _names("I", "contract dot matvec vecmat matmul outer")),
    Group("memory", "Memory", _names("I", "gather store mutable_load scatter_unique scatter_reduce buffer")),
    Group(
        "atomics",
        "Atomics",
        _names("I", "atomic") + _names("I.atomic", "load store add max min exchange and_ or_ xor compare_exchange"),
    ),
    Group("random", "Random numbers", _names("I", "random random.bits random.uniform")),
    Group(
        "formats",
        "Formats",
        _names("I", "e2m1 e4m3 e8m0 scaled_contract scaled_matmul")
        + _names("I", "sparse sparse.one_of_two sparse.two_of_four sparse_contract sparse_matmul sparse_contract_2to4")
        + _names("I", "quant quantize quantized_dot"),
    ),
    Group(
        "host",
        "Host API",
        _names("intent", "load load_project compile emit Kernel Helper Artifact PreparedCall CompileOptions")
        + _names(
            "intent",
            "CpuTarget CudaTarget ReferenceTarget IntentError Diagnostic ProjectError ToolchainError ArtifactError",
        )
        + _names("intent", "CallError ArgumentError DTypeError ShapeError StrideError AliasError CapacityError")
        + _names("intent", "DeviceError ExecutionError SimulationError CheckError BoundsError RegionError")
        + _names("intent", "PromiseError DuplicateError RaceError UninitialisedError"),
    ),
)

DTYPES_OF: Mapping[Domain, str] = {
    Domain.BOOL: "bool",
    Domain.INTEGER: "integers and index",
    Domain.FLOAT: "f16, bf16, f32, f64",
    Domain.NUMBER: "integers, index, f16, bf16, f32, f64",
    Domain.INTEGER | Domain.BOOL: "bool, integers, index",
    Domain.ANY: "all",
}


# Names and what is said about them


@cache
def target(name: str) -> Any:
    """The object behind `I.x` or `intent.x`."""
    root, _, path = name.partition(".")
    return attrgetter(path)(language if root == "I" else intent2cuda)


@cache
def documentation(name: str) -> str:
    """The docstring of a name; empty when there is none."""
    found = target(name)
    if inspect.isroutine(found) or inspect.isclass(found):
        return inspect.getdoc(found) or ""
    if name in _attributes():
        return _attributes()[name]
    called = type(found).__dict__.get("__call__")
    return inspect.getdoc(called if called is not None else type(found)) or ""


@cache
def _attributes() -> Mapping[str, str]:
    """The strings behind assignments of the language's modules, by the names that they assign."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "intent2cuda" / "language").glob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for assigned, behind in pairwise(body):
            if isinstance(assigned, ast.Assign | ast.AnnAssign) and isinstance(behind, ast.Expr):
                text = ast.literal_eval(behind.value) if isinstance(behind.value, ast.Constant) else ""
                targets = assigned.targets if isinstance(assigned, ast.Assign) else [assigned.target]
                names = [node.id for t in targets for node in ast.walk(t) if isinstance(node, ast.Name)]
                found |= {f"I.{name}": inspect.cleandoc(text) for name in names if text}
    return found


def signature(name: str) -> str:
    """How a name is called, with the types as they are written; empty for what users do not call."""
    found = target(name)
    if not callable(found) or (inspect.isclass(found) and name not in CONSTRUCTED):
        return ""
    return _called(name, inspect.signature(found))


def _called(name: str, parsed: inspect.Signature) -> str:
    """A call with a parameter a line where one line would be long."""
    shown: list[str] = []
    kinds = [parameter.kind for parameter in parsed.parameters.values()]
    for k, parameter in enumerate(parsed.parameters.values()):
        if parameter.kind is parameter.KEYWORD_ONLY and not {parameter.VAR_POSITIONAL, parameter.kind} & set(kinds[:k]):
            shown.append("*")
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        shown.append(f"{star}{parameter.name}: {parameter.annotation}{default}")
    result = "" if parsed.return_annotation in (parsed.empty, "None") else f" -> {parsed.return_annotation}"
    line = f"{name}({', '.join(shown)}){result}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {parameter}," for parameter in shown), f"){result}"])


def members(name: str) -> Iterator[tuple[str, str, str]]:
    """The public methods and properties of a class: heading, signature, docstring."""
    found = target(name)
    if not inspect.isclass(found) or name.startswith("I.") or issubclass(found, Exception):
        return
    instance = found.__name__.lower()
    for member, value in vars(found).items():
        if not value.__doc__ or (member.startswith("_") and member != "__call__"):
            continue
        text = inspect.getdoc(value) or ""
        if isinstance(value, property):
            yield f"{name}.{member}", "", text
        elif inspect.isfunction(value):
            parsed = inspect.signature(value)
            own = parsed.replace(parameters=[p for p in parsed.parameters.values() if p.name != "self"])
            shown = instance if member == "__call__" else f"{instance}.{member}"
            yield f"{name}.{member}", _called(shown, own), text


def sections(text: str) -> list[tuple[str, str]]:
    """A docstring as pairs of label and text; paragraphs have no label."""
    found: list[tuple[str, list[str]]] = []
    fresh = True
    for line in text.splitlines():
        label = re.match(r"([A-Za-z_]\w*(?:, \w+)*):(?: (.*))?$", line)
        if label:
            found.append((label[1], [label[2] or ""]))
        elif line.strip() and (fresh or not found) and not line.startswith(" "):
            found.append(("", [line]))
        elif line.strip():
            found[-1][1].append(line.strip())
        fresh = not line.strip()
    return [(label, " ".join(lines).strip()) for label, lines in found]


def described(name: str) -> list[tuple[str, str]]:
    """The sections of a name; a scalar function has those that its table gives."""
    found = sections(documentation(name))
    fn = SCALAR_FNS.get({"I.fdiv": "div"}.get(name, name.removeprefix("I.")))
    if fn is not None and name.startswith("I."):
        labels = {label for labels, _ in found for label in labels.split(", ")}
        found += [(label, text) for label, text in _of_table(fn) if label not in labels]
    return found


def _of_table(fn: ScalarFn) -> list[tuple[str, str]]:
    if fn.arity == 1:
        return [
            ("Shapes", "any, and kept."),
            ("Dtypes", f"{DTYPES_OF[fn.domain]}; kept."),
            ("Refused", "`kir.dtype.operator` another dtype."),
        ]
    return [
        ("Shapes", "the operands broadcast from the last axis on."),
        ("Dtypes", f"{DTYPES_OF[fn.domain]}, the same for all operands; kept."),
        (
            "Refused",
            "`kir.dtype.mixed` two dtypes; `kir.dtype.operator` another one; `kir.broadcast.incompatible`, "
            "`kir.shape.unproved_equal` shapes that do not broadcast.",
        ),
    ]


# Examples


@dataclass(frozen=True)
class Example:
    """An executable example: its file, the part that readers see, the names that it uses."""

    stem: str
    shown: str
    uses: frozenset[str]


@cache
def examples() -> tuple[Example, ...]:
    found: list[Example] = []
    for path in sorted((PLACE / "examples").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        shown = _behind_imports(text)
        uses = re.findall(r"\b(?:I|intent)(?:\.\w+)+", text)
        parts = (".".join(use.split(".")[:k]) for use in uses for k in (2, 3))
        found.append(Example(path.stem, shown, frozenset(parts)))
    return tuple(found)


def _behind_imports(text: str) -> str:
    """A module without its docstring and imports."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            return "\n".join(lines[first - 1 :])
    return ""


def example_of(name: str) -> Example | None:
    """The example that is named after a name, else the first one that uses it."""
    own = name.partition(".")[2].replace(".", "_").strip("_")
    using = [e for e in examples() if name in e.uses]
    return next((e for e in using if e.stem == own), using[0] if using else None)


# Pages


def pages() -> dict[str, str]:
    """Every page: file name -> text."""
    return {"README.md": index(), **{f"{group.stem}.md": page(group) for group in GROUPS}}


def page(group: Group) -> str:
    prose = (PLACE / "prose" / f"{group.stem}.md").read_text(encoding="utf-8").strip()
    tables = {"definitions": dtype_table, "tensors": operator_table}
    lines = [f"# {group.title}", "", prose, ""]
    if group.stem in tables:
        lines += [tables[group.stem](), ""]
    shown: set[str] = set()
    for name in group.names:
        lines += _entry(name)
        lines += _example(name, shown)
        for heading, called, text in members(name):
            lines += [f"### {heading}", "", *_fenced(called), *_text(sections(text))]
    return "\n".join(lines).rstrip() + "\n"


def _entry(name: str) -> list[str]:
    return [f"## {name}", "", *_fenced(signature(name)), *_text(described(name))]


def _fenced(code: str) -> list[str]:
    return ["```python", code, "```", ""] if code else []


def _text(found: list[tuple[str, str]]) -> list[str]:
    paragraphs = [line for label, text in found if not label for line in (text, "")]
    items = [f"- **{label}**: {text}" for label, text in found if label]
    return [*paragraphs, *items, ""] if items else paragraphs


def _example(name: str, shown: set[str]) -> list[str]:
    found = example_of(name)
    if found is None:
        return []
    link = f"[`{found.stem}.py`](examples/{found.stem}.py)"
    if found.stem in shown:
        return [f"Example: {link}, above.", ""]
    shown.add(found.stem)
    return [f"Example: {link}", "", "```python", found.shown, "```", ""]


def dtype_table() -> str:
    """The element types with their sizes."""
    rows = ["| dtype | kind | bytes | sums in |", "|---|---|---|---|"]
    for dtype in DTYPES:
        total = "" if dtype.is_bool else f"`{sum_dtype(dtype)}`"
        rows.append(f"| `I.{dtype}` | {dtype.kind.value} | {dtype.bytes} | {total} |")
    return "\n".join(rows)


def operator_table() -> str:
    """Python's operators with what they take and give."""
    rows = ["| operator | takes | gives |", "|---|---|---|"]
    for fn, symbol in SYMBOL.items():
        entry = SCALAR_FNS[fn]
        shown = f"`{symbol} x`" if entry.arity == 1 else f"`x {symbol} y`".replace("|", "\\|")
        gives = "bool" if entry.result is Result.BOOL else "the same"
        rows.append(f"| {shown} | {DTYPES_OF[entry.domain]} | {gives} |")
    return "\n".join(rows)


def index() -> str:
    """The first page: every name with a link, and the words of the signatures."""
    lines = ["# Reference", "", (PLACE / "prose" / "index.md").read_text(encoding="utf-8").strip(), ""]
    for group in GROUPS:
        links = [f"[`{name}`]({group.stem}.md#{_anchor(name)})" for name in group.names]
        lines += [f"**[{group.title}]({group.stem}.md)**: {', '.join(links)}", ""]
    lines += ["## Words of the signatures", "", "| word | means |", "|---|---|"]
    words = {name.removeprefix("I."): text for name, text in _attributes().items()}
    lines += [f"| `{word}` | {text} |" for word, text in words.items() if not hasattr(language, word)]
    return "\n".join(lines) + "\n"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def stale() -> list[str]:
    """Pages that are not what the package and the examples give now."""
    made = pages()
    kept = {p.name: p.read_text(encoding="utf-8") for p in PLACE.glob("*.md")}
    return sorted(name for name in {*made, *kept} if made.get(name) != kept.get(name))


def main() -> int:
    if "--check" in sys.argv[1:]:
        print(*(f"docs/reference/{name} is stale: run python docs/make_reference.py" for name in stale()), sep="\n")
        return 1 if stale() else 0
    for name, text in pages().items():
        (PLACE / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
