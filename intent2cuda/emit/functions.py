"""Functions, constants and assertions of a kernel as C++ text."""

from __future__ import annotations

from intent2cuda.emit.comments import comment_text, string_text
from intent2cuda.emit.layout import Concat, Doc, Group, HardLine, Line, Nest, concat, joined, render
from intent2cuda.emit.printer import braces, expression_doc
from intent2cuda.emit.spelling import declared, spell
from intent2cuda.machine.unit import Assertion, Constant, Function, FunctionKind


def constant(item: Constant) -> str:
    head = concat(f"constexpr {spell(item.type)} {item.name} = ", expression_doc(item.value), ";")
    return _with_reason(render(head), item.reason)


def assertion(item: Assertion) -> str:
    condition = expression_doc(item.condition)
    return render(concat("static_assert(", condition, f', "{string_text(item.sentence)}");'))


def function(item: Function, target: str) -> str:
    """Comment, template line, signature and body; `__global__` and launch bounds for a kernel on cuda."""
    rows: list[Doc] = [f"// {comment_text_keep_columns(line)}" for line in item.comment]
    if item.template:
        rows.append(f"template <{', '.join(item.template)}>")
    if target == "cuda" and item.kind is FunctionKind.KERNEL:
        rows.append(f"__global__ void __launch_bounds__({item.launch_bounds})")
        rows.append(signature("", item))
    else:
        rows.append(signature(f"{spell(item.result)} ", item))
    rows.append(braces(item.body))
    return render(joined(HardLine(), rows))


def signature(result: str, item: Function) -> Doc:
    """`result name(parameters)`: on one line, or one parameter a line."""
    parameters = [declared(p.type, p.name, const=False) for p in item.parameters]
    return Group(Concat((f"{result}{item.name}(", Nest(joined(Concat((",", Line())), parameters), None), ")")))


def declaration(item: Function) -> str:
    """The line of the header that declares a public function."""
    return render(concat(signature(f"{spell(item.result)} ", item), ";"))


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


def _with_reason(line: str, reason: str) -> str:
    """The reason behind the line, or above it when the two are too long together."""
    if not reason:
        return line
    note = comment_text(reason)
    return f"{line}  // {note}" if len(line) + len(note) <= 94 else f"// {note}\n{line}"
