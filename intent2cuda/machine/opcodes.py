"""What the parts of a machine program are called in reports: by what they do, not by how they are spelled."""

from __future__ import annotations

from typing import assert_never

from intent2cuda.machine.expressions import Apply, Call, Expression, Method
from intent2cuda.machine.statements import (
    Array,
    Assign,
    Barrier,
    Break,
    Declare,
    Evaluate,
    For,
    If,
    Remark,
    Return,
    Scope,
    Source,
    Statement,
    Try,
    While,
)
from intent2cuda.machine.unit import Assertion, Constant, Function


def opcode(part: Function | Constant | Assertion | Statement) -> str:
    """The kind of a part; for a call, also which function of the runtime."""
    match part:
        case Function():
            return f"function.{part.kind.value}"
        case Constant():
            return "constant"
        case Assertion():
            return "assertion"
        case Source():
            return "quote"
        case Remark():
            return "remark"
        case Declare():
            return _with_call("declare", part.value)
        case Array():
            return "array.shared" if part.shared else "array"
        case Assign():
            return _with_call("store" if isinstance(part.target, Apply) else "assign", part.value)
        case Evaluate():
            return _with_call("call", part.call)
        case If():
            return "if"
        case For():
            return "for.team" if any(pragma.startswith("omp") for pragma in part.pragmas) else "for"
        case While():
            return "while"
        case Break():
            return "break"
        case Return():
            return _with_call("return", part.value)
        case Scope():
            return "region"
        case Try():
            return "try"
        case Barrier():
            return "barrier"
        case _:
            assert_never(part)


def _with_call(word: str, value: Expression | None) -> str:
    match value:
        case Call():
            return f"{word} {value.function}"
        case Method():
            return f"{word} .{value.name}"
        case _:
            return word
