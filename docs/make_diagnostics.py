"""Writes docs/diagnostics.md: every diagnostic code that the package can report, found in its string literals.

The message of a code is the string that stands behind it where it is reported; what is filled in is shown as `...`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "diagnostics.md"

STAGES = {
    "src": "Reading the source: what is written",
    "kir": "Kernel IR: what it means",
    "target": "Targets: what they cover",
    "portable": "Portable plans: what is to be done, on any target",
    "planset": "Sets of portable plans",
    "gate": "The gate: from a portable plan to one target",
    "evidence": "What the gate decides by",
    "concrete": "Concrete plans",
    "machine": "Machine programs, before they are printed",
    "emit": "Emission",
    "project": "Projects on disk",
    "cache": "The build cache",
    "toolchain": "Compilers and build tools",
    "call": "Calls of compiled kernels",
    "check": "Checked builds: what they do not cover",
    "run": "Runs of the reference target and of checked builds",
    "artifact": "Emitted projects that are loaded",
    "trace": "Traces between lines of the author and emitted ones",
    "plan": "Comparison of plans",
    "cli": "The command line",
}

_CODE = re.compile(rf"(?:{'|'.join(STAGES)})(?:\.[a-z_0-9]+)+")
_IN_TEXT = re.compile(rf"\[({_CODE.pattern})\] (.*)", re.DOTALL)
_FILES = (".json", ".py", ".toml")

HEAD = """# Diagnostics

Every refusal and note has a code. `docs/make_diagnostics.py` writes this page from the package itself, and a test keeps
the two in step. A message is given as it stands in the code, with `...` for what is filled in; a code without one takes
its message from a table. `CODE.*` stands for codes whose last word is the name of the construct. A text of one layer
that is read as another's, or was changed, is refused with `LAYER.schema.name`, `.version`, `.text` or `.digest`.
"""


def page() -> str:
    """The text of the page."""
    found = messages()
    rows = [HEAD]
    for stage, title in STAGES.items():
        rows.append(f"\n## {title}\n\n| code | message |\n|---|---|\n")
        codes = sorted(code for code in found if code.startswith(f"{stage}."))
        rows += [f"| `{code}` | {_cell(found[code])} |\n" for code in codes]
    return "".join(rows)


def messages() -> dict[str, list[str]]:
    """For each code the messages that it is reported with, in the order of the files."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "intent2cuda").rglob("*.py")):
        for code, message in _reported(ast.parse(path.read_text(encoding="utf-8"))):
            if message and message not in found[code]:
                found[code].append(message)
            found[code] += ()
    return dict(found)


def _reported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each code, with the string that follows it as an argument or an element, or the summary of its class."""
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.Module):
            yield from _of_scope(scope)
        elif isinstance(scope, ast.ClassDef):
            codes = [
                _code(line.value) for line in scope.body if isinstance(line, ast.Assign | ast.AnnAssign) and line.value
            ]
            yield from ((code, (ast.get_docstring(scope) or "").partition("\n")[0]) for code in codes if code)


def _of_scope(scope: ast.FunctionDef | ast.Module) -> Iterator[tuple[str, str]]:
    nodes = list(_inside(scope))
    assigned = [
        (node.lineno, target.id, _text(node.value))
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]

    def message(part: ast.AST | None, line: int) -> str:
        """A text, or the one that a variable was last given above the line."""
        if not isinstance(part, ast.Name):
            return _text(part)
        return max((each for each in assigned if each[0] <= line and each[1] == part.id), default=(0, "", ""))[2]

    for node in nodes:
        if isinstance(node, ast.Call) and node.args and (found := _IN_TEXT.match(_text(node.args[0]))):
            yield found[1], found[2]
        parts = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple | ast.List) else []
        for part, following in zip_longest(parts, parts[1:]):
            if code := _code(part):
                yield code, message(following, part.lineno)
        for part in ast.iter_child_nodes(node):
            if part not in parts and (code := _code(part)):
                yield code, ""


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or module without those of the functions in it."""
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, ast.FunctionDef):
            yield node
            yield from _inside(node)


def _code(node: ast.AST) -> str:
    """The code that a node is, `CODE.*` when its end is filled in, else an empty text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        value = node.value
        return value if _CODE.fullmatch(value) and not value.endswith(_FILES) else ""
    if isinstance(node, ast.JoinedStr) and len(node.values) == 2 and isinstance(node.values[0], ast.Constant):
        head = str(node.values[0].value)
        return f"{head}*" if _CODE.fullmatch(head.removesuffix(".")) and head.endswith(".") else ""
    return ""


def _text(node: ast.AST | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else "..." for v in node.values)
    return ""


def _cell(texts: list[str]) -> str:
    return "<br>".join(" ".join(t.split()).replace("|", "\\|") for t in texts)


def main() -> int:
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
