"""Lines of an author's file that no operation stands on: through which other lines they take part."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def leads_to(text: str, line: int) -> tuple[int, ...]:
    """The lines that use what a line names or calls; from the head of a function its body, from its return its calls;
    from a condition what stands under it.

    Nothing for blank lines, comments and imports, and for what is decided when the kernel is compiled.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    function = next((f for f in reversed(_functions(tree)) if _first(f) <= line <= (f.end_lineno or 0)), None)
    if function is not None and _is_head(function, line):
        body = (node.lineno for part in function.body for node in ast.walk(part) if isinstance(node, ast.stmt))
        return tuple(sorted({*body} - {line})) if line == function.lineno else (function.lineno,)
    statement = _statement(function or tree, line)
    if statement is None:
        return ()
    if isinstance(statement, ast.Return) and function is not None:
        return tuple(_uses(tree, {function.name}))
    if isinstance(statement, ast.If):
        return tuple(part.lineno for part in (*statement.body, *statement.orelse))
    names = {node.id for node in _bound(statement)}
    called = {
        node.func.id for node in ast.walk(statement) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    heads = {f.lineno for f in _functions(tree) if f.name in called and isinstance(statement, ast.Expr)}
    return tuple(sorted({*_uses(function or tree, names), *heads} - {line}))


def _functions(tree: ast.AST) -> list[_Function]:
    """The functions of a file, outer ones before those in them."""
    return [node for node in ast.walk(tree) if isinstance(node, _Function)]


def _first(function: _Function) -> int:
    """The first line of a function, its decorators included."""
    return min((decorator.lineno for decorator in function.decorator_list), default=function.lineno)


def _is_head(function: _Function, line: int) -> bool:
    """Whether a line belongs to the decorators, the signature or the docstring."""
    first = function.body[0]
    has_doc = ast.get_docstring(function) is not None
    return line <= (first.end_lineno or first.lineno) if has_doc else line < first.lineno


def _statement(around: ast.AST, line: int) -> ast.stmt | None:
    """The innermost statement over a line, inside a function or a file."""
    found = [node for node in ast.walk(around) if isinstance(node, ast.stmt) and node is not around]
    over = [node for node in found if node.lineno <= line <= (node.end_lineno or node.lineno)]
    return min(over, key=lambda node: (node.end_lineno or 0) - node.lineno, default=None)


def _bound(statement: ast.stmt) -> Iterator[ast.Name]:
    """The names that a statement gives a value to, those of statements inside it left out."""
    match statement:
        case ast.Assign(targets=targets):
            parts: list[ast.expr] = targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.For(target=target):
            parts = [target]
        case _:
            parts = []
    return (node for part in parts for node in ast.walk(part) if isinstance(node, ast.Name))


def _uses(around: ast.AST, names: set[str]) -> list[int]:
    """The lines on which one of the names is read, in order."""
    loads = (node for node in ast.walk(around) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    return sorted({node.lineno for node in loads if node.id in names})
