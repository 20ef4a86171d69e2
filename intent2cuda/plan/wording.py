"""What people read for values and extents: the author's names and, where there are none, the author's words."""

from __future__ import annotations

import ast

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.notation import Names, expression_text, mnemonic
from intent2cuda.ir.op import Op, results
from intent2cuda.ir.ops import Broadcast, Cast, Constant, Dim, Load, Pointwise
from intent2cuda.ir.printer import author_names
from intent2cuda.ir.terms import Point
from intent2cuda.ir.value import Value
from intent2cuda.plan.access import access_of

_SHORT = 30
"""Characters of an expression that still reads as a name."""


def reader_names(kernel: Kernel) -> Names:
    """The author's names. A value without one is the element of memory that it is, `offsets[g + 1]`, or it is called
    after what makes it: `<I.reduce.sum>`.
    """
    names = Names.empty()
    for value, text in author_names(kernel).by_value.items():
        names.add(value, text.removeprefix("%"))
    producers: dict[Value, Op] = {}
    for op in walk(kernel.body):
        for value in results(op):
            producers[value] = op
            if not value.name:
                names.add(value, _element(op, names, producers) or _unnamed(op, names))
    return names


def extent_text(extent: IntExpr, names: Names) -> str:
    """An extent as people write it: `offsets[g + 1] - offsets[g]`."""
    return expression_text(extent, names, added_first=True)


def _element(op: Op, names: Names, producers: dict[Value, Op]) -> str:
    """One element of memory, as it stands in the kernel or converted; empty for anything else."""
    match op:
        case Cast(source=source):
            made = producers.get(source)
            return _element(made, names, producers) if made is not None and not source.name else ""
        case Load() if op.terms and op.valid is None and all(isinstance(term, Point) for term in op.terms):
            places = (extent_text(place, names) for _, place in access_of(op, (), producers).points)
            return f"{names.of(op.resource)}[{', '.join(places)}]"
        case _:
            return ""


def _unnamed(op: Op, names: Names) -> str:
    """A value of other shape or dtype goes by the name of what it repeats or converts."""
    return names.of(op.source) if isinstance(op, Broadcast | Cast) else f"<{_called(op, names)}>"


def _called(op: Op, names: Names) -> str:
    """What the author called to get a value, or his expression where that is short; else the operation."""
    if isinstance(op, Load):
        return f"part of {names.of(op.resource)}"
    if isinstance(op, Constant):
        return op.literal or str(op.value)
    if op.span is None or isinstance(op, Dim):
        return mnemonic(op)
    try:
        written = ast.parse(op.span.text, mode="eval").body
    except SyntaxError:
        return mnemonic(op)
    if isinstance(written, ast.Call):
        return ast.unparse(written.func)
    text = ast.unparse(written)
    return text if isinstance(op, Pointwise) and len(text) <= _SHORT else mnemonic(op)
