"""Names of extents in the signature that a kernel needs to be equal: one name would say so to callers and compiler."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.base.diagnostics import Diagnostic, Severity
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.conditions import Words
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import RequireEqual


def findings(kernel: Kernel) -> Iterator[Diagnostic]:
    """A note for each two names, at the first statement that equates them."""
    words = Words(kernel)
    said: set[frozenset[IntExpr]] = set()
    for op in walk(kernel.body):
        if not isinstance(op, RequireEqual) or frozenset((op.lhs, op.rhs)) in said:
            continue
        if words.is_axis(op.lhs) and words.is_axis(op.rhs):
            said.add(frozenset((op.lhs, op.rhs)))
            message = (
                f"{words.extent(op.lhs)} and {words.extent(op.rhs)} are two names of one extent: "
                "a call in which they differ is refused"
            )
            help = f"write one name for both in the signature, such as {op.lhs}"
            span = op.span or op.statement
            yield Diagnostic("kir.extent.two_names", message, span, help, Severity.NOTE, str(op.lhs))
