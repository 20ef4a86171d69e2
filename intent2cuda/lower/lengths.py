"""Variables for lengths that only the kernel knows and several of its parts ask for: of a clipped round, of a part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from intent2cuda.base.intexpr import IntExpr, Operation, Symbol, symbols
from intent2cuda.lower import ask
from intent2cuda.lower.blocks import Block
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Name
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.types import IndexT
from intent2cuda.plan.stage import Axis, Fold, Points, Product, Stage
from intent2cuda.plan.trees import every


def of_round(writer: Writer, stages: Sequence[Stage], turn: Symbol, word: str, block: Block) -> None:
    """Names the clipped lengths of a round of a loop that takes many members at a time; `word`: what it has of them."""
    lengths = Counter(e for e in _extents(stages) if turn in symbols(e) and _is_computed(e))
    for length, uses in lengths.items():
        if uses > 1 and all(_is_known(writer, symbol) for symbol in symbols(length)):
            _name(writer, length, (word, derived(identifier(turn.name), word)), block)


def of_parts(writer: Writer, stages: Sequence[Stage]) -> None:
    """Names the lengths between two bounds that were read from memory and stand in variables here."""
    for length, uses in Counter(_extents(stages)).items():
        known = {meaning for block in writer.blocks.open for meaning, _ in block.integers}
        if uses > 1 and len(length.terms) > 1 and length not in known and _stands_here(writer, length):
            _name(writer, length, ("count", "length"), writer.blocks.current)


def _name(writer: Writer, length: IntExpr, candidates: Sequence[str], block: Block) -> None:
    value = ask.integer(writer, length)
    name = writer.blocks.name(candidates, block)
    writer.blocks.append(Declare(IndexT(), name, value))
    named = writer.fresh_symbol(name)
    writer.blocks.bind(named, Name(name), writer.is_natural(length), block)
    block.integers.append((length, named))


def _is_known(writer: Writer, symbol: Symbol) -> bool:
    """Whether a symbol is an extent, a variable of a loop, or a scalar that stands in a variable."""
    blocks = writer.blocks
    if not symbol.serial or symbol in blocks.symbols:
        return True
    return blocks.local((writer.definitions.scalar(symbol), ())) is not None


def _stands_here(writer: Writer, length: IntExpr) -> bool:
    """Whether every value in a length has a variable in the current block."""
    found = [symbol for symbol in symbols(length) if symbol.serial > 0 and symbol not in writer.blocks.symbols]
    here = writer.blocks.current.locals
    return bool(found) and all((writer.definitions.scalar(symbol), ()) in here for symbol in found)


def _is_computed(length: IntExpr) -> bool:
    return any(isinstance(atom, Operation) for monomial, _ in length.terms for atom in monomial)


def _extents(stages: Sequence[Stage]) -> Iterator[IntExpr]:
    for stage in every(stages):
        yield from (axis.extent for axis in _axes(stage))


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
