"""Enum types of the author: closed sets of distinct integer values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from intent2cuda.base.span import Span
from intent2cuda.parse import constants
from intent2cuda.parse.source import Module, identifier
from intent2cuda.parse.values import EnumType, HostName, HostValue, Intrinsic, Literal, Val

if TYPE_CHECKING:
    from intent2cuda.parse.module_scope import Globals


def enum_type(globals_: Globals, module: Module, node: cst.ClassDef) -> Val:
    """The enum type that a class defines; any other class is nothing that a kernel can use."""
    name = identifier(node.name.value)
    bases = [constants.evaluate(globals_, module, base.value) for base in node.bases]
    if Intrinsic("Enum") not in bases:
        python = any(isinstance(base, HostName) and base.path.startswith("enum.") for base in bases)
        return HostValue(name, "Python enum" if python else "class")
    return _read(globals_, module, node, name)


def _read(globals_: Globals, module: Module, node: cst.ClassDef, name: str) -> EnumType:
    members: list[tuple[str, int]] = []
    for target, value in _assignments(node):
        member = identifier(target.value)
        found = constants.evaluate(globals_, module, value)
        span = module.span(target, node)
        if not isinstance(found, Literal) or type(found.value) is not int:
            return EnumType(name, tuple(members), span, f"the value of `{name}.{member}` is no integer constant")
        same = next((other for other, number in members if number == found.value), None)
        if same is not None:
            return EnumType(name, tuple(members), span, f"`{name}`: the members {same} and {member} have one value")
        members.append((member, found.value))
    span: Span = module.span(node.name, node)
    return EnumType(name, tuple(members), span, "" if members else f"the enum `{name}` has no members: it is empty")


def _assignments(node: cst.ClassDef) -> list[tuple[cst.Name, cst.BaseExpression]]:
    found: list[tuple[cst.Name, cst.BaseExpression]] = []
    for line in node.body.body:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Assign):
                found += [(t.target, small.value) for t in small.targets if isinstance(t.target, cst.Name)]
    return found
