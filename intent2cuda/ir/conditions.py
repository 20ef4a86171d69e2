"""What is said of a call whose extents do not agree: the same words on every target."""

from __future__ import annotations

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.notation import Names, expression_text
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Broadcast, RequireEqual
from intent2cuda.types.value_type import ViewType


def equality(kernel: Kernel, op: RequireEqual) -> str:
    """`axis 1 of a (K) and axis 0 of b (L) must have the same extent, as ... (kernel.py:12)`."""
    words = Words(kernel)
    are_axes = words.is_axis(op.lhs) and words.is_axis(op.rhs)
    what = "have the same extent" if are_axes else "be equal"
    return placed(f"{words.extent(op.lhs)} and {words.extent(op.rhs)} must {what}, as {op.text}", op)


def stretch(kernel: Kernel, op: Broadcast, axis: int) -> str:
    """`axis 1 of a (K) must be 1 or equal to axis 0 of b (L), ...`, for a guarded axis of what is broadcast."""
    words = Words(kernel)
    extent, to = stretched(op, axis)
    return placed(f"{words.extent(extent)} must have extent 1 or that of {words.extent(to)}", op)


def stretched(op: Broadcast, axis: int) -> tuple[IntExpr, IntExpr]:
    """The extent of an axis of the source, and the one that it becomes."""
    return op.source.tensor.shape[axis], op.result.tensor.shape[op.axes.index(axis)]


def placed(text: str, op: Op) -> str:
    """The text with the author's line behind it."""
    span = op.span or op.statement
    return f"{text} ({span.place})" if span else text


class Words:
    """How the extents of a signature are spoken of: by the first axis that has each."""

    def __init__(self, kernel: Kernel) -> None:
        self._axes: dict[str, str] = {}
        self._names = Names.empty()
        for parameter in kernel.parameters:
            self._names.add(parameter, parameter.name)
            if isinstance(parameter.type, ViewType):
                for axis, extent in enumerate(parameter.type.shape):
                    if extent.as_symbol is not None:
                        self._axes.setdefault(extent.as_symbol.name, f"axis {axis} of {parameter.name}")

    def is_axis(self, extent: IntExpr) -> bool:
        symbol = extent.as_symbol
        return symbol is not None and not symbol.serial

    def extent(self, extent: IntExpr) -> str:
        """`axis 1 of a (K)`, or an expression with the axes of what it names: `G + 1 (G: axis 0 of sizes)`."""
        text = expression_text(extent, self._names, added_first=True)
        if self.is_axis(extent):
            return f"{self._axes[text]} ({text})"
        named = sorted({symbol.name for symbol in symbols(extent) if not symbol.serial})
        axes = ", ".join(f"{name}: {self._axes[name]}" for name in named)
        return f"{text} ({axes})" if axes else text
