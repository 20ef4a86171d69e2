"""Additions to places that the data choose, as one call that shares them among all threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import ScatterReduce
from intent2cuda.lower import ask, comments, coordinates
from intent2cuda.lower.access import Access as Accessor
from intent2cuda.lower.buffer_access import element_of
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.elements import Elements
from intent2cuda.lower.evaluate import Evaluation
from intent2cuda.lower.nodes import Node, Weight
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Expression, Lambda, Name
from intent2cuda.machine.names import derived
from intent2cuda.machine.statements import Evaluate, Return
from intent2cuda.machine.types import IndexT
from intent2cuda.machine.walk import nodes
from intent2cuda.plan.stage import Access, Axis, Points
from intent2cuda.types.value_type import BufferType

ONE = IntExpr.of(1)


def scatter(writer: Writer, stage: Points) -> bool:
    """Writes the call; False when the plan has not chosen it."""
    if stage.implementation.name != "cpu.scatter.add":
        return False
    (access,) = stage.body
    assert isinstance(access, Access) and isinstance(access.op, ScatterReduce)
    op, axes = access.op, [bound.axis for bound in stage.axes]
    if op.statement is not None:
        writer.quote((op.statement,))
    count, width = axes[0].extent, axes[1].extent if len(axes) > 1 else ONE
    rows = op.resource.resource.shape[0]
    sizes = [ask.integer(writer, size) for size in (count, width, rows)]
    row = _function(writer, axes[:1], 1, lambda: _row(writer, access))
    value = _function(writer, axes, 2, lambda: ask.element(writer, op.value, writer.at(access.at)))
    writer.blocks.append(Evaluate(Call("intent::scatter_add", (*sizes, row, value, _target(writer, op)))))
    return True


def _function(writer: Writer, axes: Sequence[Axis], arity: int, body: Callable[[], Expression]) -> Lambda:
    """A function of the positions along the axes; parameters that the body does not need have no name."""
    with writer.blocks.inner(movable=True, leaf=True) as block:
        names = [writer.bind_axis(axis) for axis in axes]
        returned = body()
    statements, lines = comments.take_out(block.statements)
    comments.quote(writer.blocks.current.statements, lines)
    whole = (*statements, Return(returned))
    used = {node.text for statement in whole for node in nodes(statement) if isinstance(node, Name)}
    named = [name if name in used else "" for name in names]
    return Lambda(tuple((IndexT(), name) for name in (*named, *[""] * (arity - len(named)))), whole)


def _row(writer: Writer, access: Access) -> Expression:
    """The position along the first axis of the memory."""
    elements = Elements(writer)
    where = coordinates.of_terms(access.op.terms, writer.at(access.at), elements.scalar, elements.lane)
    node = elements.index(where[0])
    evaluation = Evaluation(writer, [node], [node])
    (expression,) = evaluation.expressions([node])
    writer.quote(evaluation.take_statements())
    return expression


def _target(writer: Writer, op: ScatterReduce) -> Lambda:
    """The element at a row and a position in it."""
    rank = len(op.resource.resource.shape)
    with writer.blocks.inner(movable=True, leaf=True) as block:
        names = [writer.blocks.name((name, derived(name, "place")), block) for name in ("row", "column")[:rank]]
        where: Coordinates = ()
        for name in names:
            symbol = writer.fresh_symbol(name)
            writer.blocks.bind(symbol, Name(name), True, block)
            where = (*where, IntExpr((((symbol,), 1),)))

        def write(access: Accessor, place: Coordinates) -> Expression:
            if not isinstance(op.resource.type, BufferType):
                return access.view(op.resource, place)
            buffer = writer.buffer_of(op.resource)
            assert buffer is not None
            return element_of(writer, access, buffer, place)

        operands, make = Elements(writer).access(where, write)
        node = Node(IndexT(), make, Weight.NAME, operands, serial=10**9)
        (element,) = Evaluation(writer, [node]).expressions([node])
    parameters = tuple((IndexT(), name) for name in (*names, *[""] * (2 - rank)))
    result = ctype(op.resource.resource.dtype)
    return Lambda(parameters, (*block.statements, Return(element)), reference_to=result)
