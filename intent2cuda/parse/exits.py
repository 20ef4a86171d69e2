"""Ways out of a block: `break`, `continue` and `return` set flags that guard what follows."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from intent2cuda.parse.context import Binding, Scope
from intent2cuda.parse.values import Literal, Val

LEFT = "<left>"
"""The rest of the block is not reached."""

STOP = "<stop>"
"""The loop ends after this round."""

RETURNED = "<returned>"
"""The function has returned."""

RESULT = "<result>"
"""What the function returned."""

FLAGS = (LEFT, STOP, RETURNED)

Statements = Sequence[cst.BaseStatement | cst.BaseSmallStatement]


def flag(scope: Scope, name: str) -> Val:
    """The value of a flag: a constant, or a runtime bool."""
    found = scope.get(name)
    return found.value if isinstance(found, Binding) else Literal(False)


def has_left(scope: Scope) -> bool:
    """Whether the end of the block is certainly not reached."""
    return flag(scope, LEFT) == Literal(True)


def always_exits(statements: Statements) -> bool:
    """Whether the text of a block ends in a way out on every path."""
    last = statements[-1] if statements else None
    match last:
        case cst.Return() | cst.Break() | cst.Continue():
            return True
        case cst.SimpleStatementLine(body=body):
            return always_exits(body)
        case cst.If(body=cst.IndentedBlock(body=then), orelse=orelse):
            return orelse is not None and always_exits(then) and always_exits(block_of(orelse))
        case _:
            return False


def block_of(node: cst.BaseSuite | cst.If | cst.Else | None) -> Statements:
    """The statements of a suite; an `elif` is a block of one `if`."""
    match node:
        case None:
            return ()
        case cst.If():
            return (node,)
        case cst.Else():
            return block_of(node.body)
        case cst.IndentedBlock() | cst.SimpleStatementSuite():
            return node.body
        case _:
            raise AssertionError(node)
