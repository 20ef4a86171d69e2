"""cuda: matrix products tile by tile, each tile by the threads of a block."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.ir.ops import Cast
from intent2cuda.ir.value import Value
from intent2cuda.lower import ask, comments
from intent2cuda.lower.levels import first_blocks, member
from intent2cuda.lower.operands import OperandAt, left_at, right_at
from intent2cuda.lower.places import widens
from intent2cuda.lower.runs import Run, buffer_target
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Call, Expression, Integer, Lambda, Name
from intent2cuda.machine.expressions import Cast as CastTo
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Assign, Evaluate, For, Return, Statement
from intent2cuda.machine.types import CType, IndexT
from intent2cuda.plan.stage import Axis, Level, Product


def block_product(writer: Writer, stage: Product) -> None:
    """Loops over the tiles around one call for each: blocks share the tiles at GRID level, else each block does all."""
    op = stage.op
    extents = [ask.integer(writer, axis.extent) for axis in (stage.rows, stage.columns, stage.depth)]
    tiles = {
        name: writer.constant(_camel(name), value, reason) for name, value, reason in stage.implementation.parameters
    }
    sizes = (tiles["tile_m"], tiles["tile_n"], tiles["tile_k"], writer.threads())
    with writer.blocks.inner(movable=True, stages=False) as block:
        rows = writer.blocks.name((f"{identifier(stage.rows.name)}0", "row0"))
        columns = writer.blocks.name((f"{identifier(stage.columns.name)}0", "column0"))
        left = _operand(writer, stage, op.lhs, (stage.rows, stage.depth), left_at)
        right = _operand(writer, stage, op.rhs, (stage.depth, stage.columns), right_at)
        store = _store(writer, stage)
    comments.quote(writer.blocks.current.statements, comments.take_out(block.statements)[1])
    if op.statement is not None:
        writer.quote((op.statement,))
    call = Call(
        "intent::block_matmul",
        (*extents, Name(rows), Name(columns), left, right, store),
        (ctype(op.result.tensor.dtype), *sizes),
    )
    on_grid = stage.level is Level.GRID
    inner = _tiles(columns, extents[1], tiles["tile_n"], "x" if on_grid else None, Evaluate(call))
    tiled = _tiles(rows, extents[0], tiles["tile_m"], "y" if on_grid else None, inner)
    for statement in first_blocks(writer, 2, (tiled,)) if on_grid else (tiled,):
        writer.blocks.append(statement)


def _camel(name: str) -> str:
    return "k" + "".join(word.capitalize() for word in name.split("_"))


def _tiles(variable: str, extent: Expression, tile: str, grid_axis: str | None, body: Statement) -> Statement:
    """A loop over the first members of the tiles along one axis."""
    if grid_axis is None:
        return For(IndexT(), variable, Integer(0), extent, Name(tile), (body,))
    begin = Binary("*", CastTo(IndexT(), member("blockIdx", grid_axis)), Name(tile))
    step = Binary("*", CastTo(IndexT(), member("gridDim", grid_axis)), Name(tile))
    return For(IndexT(), variable, begin, extent, step, (body,))


def _operand(writer: Writer, stage: Product, value: Value, axes: tuple[Axis, Axis], at_of: OperandAt) -> Lambda:
    """An element of an operand; the product converts it to the type of the sums by itself."""
    wide = stage.op.result.tensor.dtype
    op = writer.definitions.op(value)
    if isinstance(op, Cast) and not value.name and widens(op.source.tensor.dtype, wide):
        value = op.source
    with writer.blocks.inner(movable=True, leaf=True) as block:
        variables = [writer.bind_axis(axis) for axis in axes]
        at = at_of(stage.op, writer.at(stage.at), writer.at((stage.depth,))[0])
        (element,) = Run(writer, (), [(value, at)]).finish()
    return _lambda(writer, block.statements, [(IndexT(), v) for v in variables], Return(element))


def _lambda(
    writer: Writer, statements: list[Statement], parameters: Sequence[tuple[CType, str]], last: Statement
) -> Lambda:
    kept, lines = comments.take_out(statements)
    comments.quote(writer.blocks.current.statements, lines)
    return Lambda(tuple(parameters), (*kept, last))


def _store(writer: Writer, stage: Product) -> Lambda:
    """What happens to a sum: the stored value of the epilogue, or the sum itself into its buffer."""
    op = stage.op
    with writer.blocks.inner(movable=True, leaf=True) as block:
        variables = [writer.bind_axis(axis) for axis in (stage.rows, stage.columns)]
        base = identifier(op.result.name) if op.result.name else "sum"
        total = writer.blocks.name((base, derived(base, "sum")), author=base if op.result.name else "")
        at = writer.at(stage.at)
        writer.blocks.remember((op.result, at), Name(total))
        if stage.epilogue is not None:
            Run(writer, (stage.epilogue,)).write()
        elif stage.into is not None:
            target = buffer_target(writer, stage.into, tuple(at[i] for i in stage.into.kept))
            writer.blocks.append(Assign(target, Name(total)))
        else:
            raise InternalError("a product has no place for its sums")
    types = (IndexT(), IndexT(), ctype(op.result.tensor.dtype))
    statements = list(block.statements)
    return _lambda(writer, statements[:-1], list(zip(types, (*variables, total), strict=True)), statements[-1])
