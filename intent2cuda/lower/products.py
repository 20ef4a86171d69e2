"""Matrix products: one call of the runtime, with operands in memory where they are and computed where they are not."""

from __future__ import annotations

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.ir.value import Value
from intent2cuda.lower import ask, comments, coordinates, matrices, storage
from intent2cuda.lower.block_products import block_product
from intent2cuda.lower.elements import Elements
from intent2cuda.lower.operands import OperandAt, left_at, right_at
from intent2cuda.lower.places import Place, place_of
from intent2cuda.lower.runs import Run
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Cast, Expression, Lambda, Name
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Evaluate, Return
from intent2cuda.machine.types import IndexT
from intent2cuda.plan.stage import Axis, Effect, Product
from intent2cuda.types.value_type import BufferType


def product(writer: Writer, stage: Product) -> None:
    """Writes the product into the current block."""
    if stage.into is not None:
        storage.require(writer, stage.into, here=True)
    if writer.cuda:
        block_product(writer, stage)
    else:
        _call(writer, stage)
    if stage.into is not None:
        writer.stored[stage.op.result] = stage.into


def _call(writer: Writer, stage: Product) -> None:
    extents = [ask.integer(writer, axis.extent) for axis in (stage.rows, stage.columns, stage.depth)]
    left = _operand(writer, stage, stage.op.lhs, stage.rows, stage.depth, left_at)
    right = _operand(writer, stage, stage.op.rhs, stage.depth, stage.columns, right_at)
    target = _target(writer, stage)
    epilogue = _epilogue(writer, stage, stage.epilogue) if stage.epilogue is not None else ()
    statements = [s.statement for s in (stage.op, stage.epilogue.op if stage.epilogue else None) if s is not None]
    writer.quote([s for s in statements if s is not None])
    accumulator = ctype(stage.op.result.tensor.dtype)
    call = Call("intent::matmul", (*extents, left, right, target, *epilogue), (accumulator,))
    writer.blocks.append(Evaluate(call))


def _operand(
    writer: Writer, stage: Product, value: Value, rows: Axis, columns: Axis, of_result: OperandAt
) -> Expression:
    """A matrix in memory, or `intent::computed` with the element as a lambda."""
    wide = stage.op.result.tensor.dtype
    with writer.blocks.inner(movable=True, leaf=True) as block:
        block.pair = True
        names = [writer.bind_axis(axis) for axis in (rows, columns)]
        at = of_result(stage.op, writer.at(stage.at), writer.at((stage.depth,))[0])
        place = place_of(writer, Elements(writer, expand=True), value, at, wide)
        found = matrices.matrix(writer, place, rows, columns) if place is not None else None
        if found is not None:
            return found
        (element,) = Run(writer, (), [(value, at)]).finish()
    statements, lines = comments.take_out(block.statements)
    comments.quote(writer.blocks.current.statements, lines)
    body = Lambda(tuple((IndexT(), name) for name in names), (*statements, Return(element)))
    return Call("intent::computed", (body,), (ctype(value.tensor.dtype),))


def _target(writer: Writer, stage: Product) -> Expression:
    """Where the results go: the matrix that the epilogue's store writes, or the buffer of the sums."""
    with writer.blocks.inner(movable=True, leaf=True):
        writer.bind_axis(stage.rows)
        writer.bind_axis(stage.columns)
        place: Place | None = None
        if stage.into is not None:
            at = writer.at(stage.at)
            place = Place(stage.into, tuple(at[i] for i in stage.into.kept))
        elif stage.epilogue is not None and stage.epilogue.op.valid is None:
            elements, op = Elements(writer, expand=True), stage.epilogue.op
            where = coordinates.of_terms(op.terms, writer.at(stage.epilogue.at), elements.scalar, elements.lane)
            home = writer.buffer_of(op.resource) if isinstance(op.resource.type, BufferType) else op.resource
            place = Place(home, where) if home is not None else None
        found = matrices.matrix(writer, place, stage.rows, stage.columns) if place is not None else None
    if found is None:
        raise InternalError("the results of a product do not go to a matrix in memory")
    return found


def _epilogue(writer: Writer, stage: Product, effect: Effect) -> tuple[Expression, ...]:
    """The stored value as a function of the place and the sum; nothing when the sum itself is stored."""
    op = stage.op
    with writer.blocks.inner(movable=True, leaf=True) as block:
        block.pair = True
        variables = [writer.bind_axis(axis) for axis in (stage.rows, stage.columns)]
        base = identifier(op.result.name) if op.result.name else "sum"
        total = writer.blocks.name((base, derived(base, "sum")), author=base if op.result.name else "")
        writer.blocks.remember((op.result, writer.at(stage.at)), Name(total))
        (value,) = Run(writer, (), [(effect.op.value, writer.at(effect.at))]).finish()
    statements, lines = comments.take_out(block.statements)
    comments.quote(writer.blocks.current.statements, lines)
    if value == Name(total) or (isinstance(value, Cast) and value.operand == Name(total)):
        return ()
    types = (IndexT(), IndexT(), ctype(op.result.tensor.dtype))
    parameters = tuple(zip(types, (*variables, total), strict=True))
    return (Lambda(parameters, (*statements, Return(value))),)
