"""How extents are spoken of where the kernel so far is at hand: an extent that was read is called after its place."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.notation import Names, expression_text
from intent2cuda.ir.ops import Load
from intent2cuda.ir.terms import Point
from intent2cuda.parse.emitter import Emitter


def extent_words(emitter: Emitter, extent: IntExpr) -> str:
    """The extent in the author's names, and `offsets[g + 1]` for what has none and was read from there."""
    names = Names.empty()
    for symbol in symbols(extent):
        if symbol.serial:
            load = emitter.loads.get(symbol.serial)
            read = _place(emitter, load) if load is not None and not symbol.name else ""
            names.by_serial[symbol.serial] = symbol.name or read or "_"
    return expression_text(extent, names, added_first=True)


def shape_words(emitter: Emitter, shape: Sequence[IntExpr]) -> str:
    return f"[{', '.join(extent_words(emitter, extent) for extent in shape)}]"


def _place(emitter: Emitter, load: Load) -> str:
    places = [extent_words(emitter, emitter.expression(t.index)) for t in load.terms if isinstance(t, Point)]
    return f"{load.resource.name}[{', '.join(places)}]"
