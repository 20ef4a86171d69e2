"""Names for how many members a piece of an axis has: the last one of a loop that takes many at a time may be short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from intent2cuda.base.intexpr import Atom, IntExpr, Operation, Symbol, symbols
from intent2cuda.lower import ask
from intent2cuda.lower.blocks import Block
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Name
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.types import IndexT
from intent2cuda.plan.stage import Axis, Fold, Points, Product, Stage
from intent2cuda.plan.trees import every


def name_lengths(writer: Writer, body: Sequence[Stage], symbol: Symbol, word: str, block: Block) -> None:
    """Variables, called `word`, for the lengths of a round that several loops inside run over. `symbol`: the round."""
    lengths = Counter(
        axis.extent
        for inner in every(tuple(body))
        for axis in _axes(inner)
        if symbol in symbols(axis.extent) and any(isinstance(atom, Operation) for atom in _atoms(axis.extent))
    )
    for length, uses in lengths.items():
        if uses > 1 and all(not s.serial or s in writer.blocks.symbols for s in symbols(length)):
            value = ask.integer(writer, length)
            name = writer.blocks.name((word, derived(identifier(symbol.name), word)), block)
            writer.blocks.append(Declare(IndexT(), name, value))
            named = writer.fresh_symbol(name)
            writer.blocks.bind(named, Name(name), writer.is_natural(length), block)
            block.integers.append((length, named))


def _axes(stage: Stage) -> Sequence[Axis]:
    match stage:
        case Points():
            return [bound.axis for bound in stage.axes]
        case Fold():
            return (*stage.over, *stage.axes)
        case Product():
            return (stage.rows, stage.columns, stage.depth)
        case _:
            return ()


def _atoms(expression: IntExpr) -> Sequence[Atom]:
    return [atom for monomial, _ in expression.terms for atom in monomial]
