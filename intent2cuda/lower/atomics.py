"""Atomic accesses: calls of the runtime, or plain statements where the memory belongs to one thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.ir.op import results
from intent2cuda.ir.ops import (
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Combiner,
    CompareExchange,
    Order,
    Pointwise,
    ScatterReduce,
    Update,
)
from intent2cuda.ir.terms import Lanes, Point, Term
from intent2cuda.ir.value import Value
from intent2cuda.lower import ask, coordinates
from intent2cuda.lower.access import Access as Accessor
from intent2cuda.lower.buffer_access import element_of
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.elements import Elements
from intent2cuda.lower.evaluate import Evaluation
from intent2cuda.lower.levels import has_others, once
from intent2cuda.lower.nodes import Node, Weight
from intent2cuda.lower.scalars import apply, ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Call, Conditional, Expression, Lambda, Member, Name, Unary
from intent2cuda.machine.names import identifier
from intent2cuda.machine.statements import Assign, Declare, Evaluate, If, Return, Statement
from intent2cuda.machine.types import CType, IndexT, Named
from intent2cuda.plan.effects import Atomic, written
from intent2cuda.plan.stage import Access, Scope
from intent2cuda.types.dtype import BOOL
from intent2cuda.types.value_type import BufferType

FUNCTIONS: Mapping[Update, str] = {
    Update.ADD: "add",
    Update.MAX: "maximum",
    Update.MIN: "minimum",
    Update.AND: "bit_and",
    Update.OR: "bit_or",
    Update.XOR: "bit_xor",
}
"""The scalar function that gives the new element of an update from the old one and the operand."""

ORDERS: Mapping[Order, str] = {
    Order.RELAXED: "intent::Order::kRelaxed",
    Order.ACQUIRE: "intent::Order::kAcquire",
    Order.RELEASE: "intent::Order::kRelease",
    Order.ACQ_REL: "intent::Order::kAcqRel",
}


def atomic(writer: Writer, stage: Access) -> None:
    """Writes the access; what it gives is remembered under the coordinates of the stage."""
    guard = _guard(writer, stage.op)
    if guard is None:
        _access(writer, stage, stage.op)
        return
    condition, op = guard
    asked = _condition(writer, condition, writer.at(stage.at))
    with writer.blocks.inner() as block:
        _access(writer, stage, op)
    writer.blocks.append(If(asked, tuple(block.statements)))


def _access(writer: Writer, stage: Access, op: Atomic) -> None:
    at = writer.at(stage.at)
    place, operands = _operands(writer, op, at)
    if op.statement is not None:
        writer.quote((op.statement,))
    if stage.scope is Scope.THREAD:
        statements = _plain(writer, op, at, place, operands)
    elif stage.once and has_others(writer):
        statements = _once(writer, op, at, place, operands)
    else:
        statements = _bound(writer, op, at, _call(op, place, operands))
    for statement in statements:
        writer.blocks.append(statement)


def _guard(writer: Writer, op: Atomic) -> tuple[Value, ScatterReduce] | None:
    """The condition under which something is added, and the addition where it holds; None where there is no condition.

    `select(c, x, 0)` added at `select(c, i, j)` is `x` added at `i` where `c` holds: adding the integer 0 does nothing.
    """
    if not isinstance(op, ScatterReduce) or op.combiner is not Combiner.ADD or not op.value.tensor.dtype.is_integer:
        return None
    chosen = _selection(writer, op.value)
    if chosen is None or writer.definitions.constant(chosen.args[2]) != 0:
        return None
    condition = chosen.args[0]
    terms = tuple(_where_it_holds(writer, term, condition) for term in op.terms)
    return condition, replace(op, terms=terms, value=chosen.args[1])


def _condition(writer: Writer, condition: Value, at: Coordinates) -> Expression:
    """The condition as a variable: what is added under it may ask for it again."""
    asked = ask.element(writer, condition, at)
    if isinstance(asked, Name):
        return asked
    declared = _bind(writer, condition, at, ctype(BOOL), asked, added="condition")
    writer.blocks.append(declared)
    return Name(declared.name)


def _selection(writer: Writer, value: Value) -> Pointwise | None:
    made = writer.definitions.op(value)
    return made if isinstance(made, Pointwise) and made.fn == "select" else None


def _where_it_holds(writer: Writer, term: Term, condition: Value) -> Term:
    if not isinstance(term, Point | Lanes):
        return term
    chosen = _selection(writer, term.index)
    return replace(term, index=chosen.args[1]) if chosen is not None and chosen.args[0] is condition else term


def _operands(writer: Writer, op: Atomic, at: Coordinates) -> tuple[Expression, list[Expression]]:
    """The element that is accessed, and the values that go into it."""
    elements = Elements(writer)
    where = coordinates.of_terms(op.terms, at, elements.scalar, elements.lane)

    def write(access: Accessor, place: Coordinates) -> Expression:
        if not isinstance(op.resource.type, BufferType):
            return access.view(op.resource, place)
        buffer = writer.buffer_of(op.resource)
        if buffer is None:
            raise InternalError(f"the buffer {op.resource} is written before it exists")
        return element_of(writer, access, buffer, place)

    needed, make = elements.access(where, write)
    depth = max((node.depth for node in needed), default=0)
    target = Node(IndexT(), make, Weight.NAME, needed, serial=10**9, depth=depth)
    values = [elements.element(value, at) for value in written(op)]
    evaluation = Evaluation(writer, [*values, target], values)
    *expressions, place = evaluation.expressions([*values, target])
    writer.quote(evaluation.take_statements())
    return place, expressions


def _used(writer: Writer, value: Value) -> bool:
    return bool(writer.definitions.users(value))


def _bind(
    writer: Writer, result: Value, at: Coordinates, kind: CType, expression: Expression, added: str = "before"
) -> Declare:
    """A variable for a result, by which later code knows it."""
    author = identifier(result.name) if result.name else ""
    name = writer.blocks.name((author or added,), author=author)
    writer.blocks.remember((result, at), Name(name))
    return Declare(kind, name, expression)


def _call(op: Atomic, place: Expression, operands: list[Expression]) -> Call:
    """The runtime's function for an access."""
    order = ORDERS[Order.RELAXED if isinstance(op, ScatterReduce) else op.order]
    match op:
        case ScatterReduce():
            name = op.combiner.value
        case AtomicUpdate():
            name = op.update.value
        case AtomicLoad():
            name = "load"
        case AtomicStore():
            name = "store"
        case CompareExchange():
            name = "compare_exchange"
    return Call(f"intent::atomic_{name}", (Unary("&", place), *operands), (order,))


def _once(
    writer: Writer, op: Atomic, at: Coordinates, place: Expression, operands: list[Expression]
) -> tuple[Statement, ...]:
    """The access by one thread; where it gives something, the whole block is told."""
    call = _call(op, place, operands)
    if not any(_used(writer, result) for result in results(op)):
        return once(writer, (Evaluate(call),), every_block=False)
    told = Call("intent::block_once", (Lambda((), (Return(call),), by_reference=True),))
    return _bound(writer, op, at, told)


def _bound(writer: Writer, op: Atomic, at: Coordinates, call: Call) -> tuple[Statement, ...]:
    """The call, with variables for those of its results that are used."""
    used = [result for result in results(op) if _used(writer, result)]
    if not used and not isinstance(op, AtomicLoad):
        return (Evaluate(call),)
    if not isinstance(op, CompareExchange):
        (result,) = results(op)
        return (_bind(writer, result, at, ctype(result.tensor.dtype), call),)
    name = writer.blocks.name(("exchanged",))
    for result, member in zip(op.results, ("old_value", "success"), strict=True):
        writer.blocks.remember((result, at), Member(Name(name), member))
    return (Declare(Named("auto"), name, call),)


def _plain(
    writer: Writer, op: Atomic, at: Coordinates, place: Expression, operands: list[Expression]
) -> tuple[Statement, ...]:
    """The same without other threads: a read, a write, or both."""
    dtype = op.resource.resource.dtype
    match op:
        case ScatterReduce():
            return (Assign(place, apply(op.combiner.value, dtype, (place, *operands))),)
        case AtomicStore():
            return (Assign(place, operands[0]),)
        case AtomicLoad():
            return (_bind(writer, op.result, at, ctype(dtype), place),)
        case AtomicUpdate():
            before = _bind(writer, op.result, at, ctype(dtype), place)
            function = FUNCTIONS.get(op.update)
            old = Name(before.name)
            after = operands[0] if function is None else apply(function, dtype, (old, *operands))
            return (before, Assign(place, after))
        case CompareExchange():
            expected, desired = operands
            before = _bind(writer, op.results[0], at, ctype(dtype), place)
            old = Name(before.name)
            success = _bind(writer, op.results[1], at, ctype(BOOL), Binary("==", old, expected))
            return (before, success, Assign(place, Conditional(Name(success.name), desired, old)))
