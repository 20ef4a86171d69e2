"""Functions, constants and assertions of a kernel as C++ text."""

from __future__ import annotations

import re
from collections.abc import Callable

from intent2cuda.emit.comments import comment_text
from intent2cuda.emit.layout import (
    Concat,
    Cut,
    Doc,
    Group,
    HardLine,
    Line,
    Marked,
    Nest,
    Printed,
    concat,
    joined,
    printed,
    render,
)
from intent2cuda.emit.printer import braces, expression_doc, noted
from intent2cuda.emit.spelling import declared, spell
from intent2cuda.machine.expressions import Call, Text
from intent2cuda.machine.unit import Assertion, Constant, Function, FunctionKind


def constant(item: Constant) -> Printed:
    line = concat(f"constexpr {spell(item.type)} {item.name} = ", expression_doc(item.value), ";")
    return printed(Marked(noted(line, item.reason), item))


def assertion(item: Assertion) -> Printed:
    sentence = expression_doc(Call("static_assert", (item.condition, Text(item.sentence))))
    return printed(Marked(concat(sentence, ";"), item))


def function(item: Function, target: str) -> Printed:
    """Comment, template line, signature and body; `__global__` and launch bounds for a kernel on cuda."""
    rows: list[Doc] = [Cut(f"// {comment_text_keep_columns(line)}", kept=len("//")) for line in item.comment]
    if item.template:
        rows.append(f"template <{', '.join(item.template)}>")
    if target == "cuda" and item.kind is FunctionKind.KERNEL:
        rows.append(f"__global__ void __launch_bounds__({', '.join(item.launch_bounds)})")
        rows.append(signature("", item))
    else:
        private = {"cuda": "__device__ ", "cpu": "static "}[target] if item.kind is FunctionKind.ROUTINE else ""
        rows.append(signature(f"{private}{spell(item.result)} ", item))
    rows.append(braces(item.body))
    return printed(Marked(joined(HardLine(), rows), item))


def signature(result: str, item: Function, spelled: Callable[[str], str] = str) -> Doc:
    """`result name(parameters)`: on one line, or one parameter a line; `spelled` is what a parameter looks like."""
    parameters = [spelled(declared(p.type, p.name, const=False)) for p in item.parameters]
    return Group(Concat((f"{result}{item.name}(", Nest(joined(Concat((",", Line())), parameters), None), ")")))


def declaration(item: Function) -> str:
    """The lines of the header that declare a public function, with `index_t` spelled out."""
    return render(concat(signature(f"{spell(item.result)} ", item, _without_aliases), ";"))


def _without_aliases(parameter: str) -> str:
    return re.sub(r"\bindex_t\b", "std::int64_t", parameter)


def comment_text_keep_columns(line: str) -> str:
    """A comment line whose runs of blanks align columns: made safe word by word."""
    return "".join(part if part.isspace() else comment_text(part) for part in _runs(line))


def _runs(line: str) -> list[str]:
    runs: list[str] = []
    for character in line:
        if runs and (runs[-1][-1] == " ") == (character == " "):
            runs[-1] += character
        else:
            runs.append(character)
    return runs
