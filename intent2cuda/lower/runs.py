"""Runs of elements that are computed and stored one after the other, with what they share computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.ir.op import results
from intent2cuda.ir.value import Value
from intent2cuda.lower import coordinates, storage
from intent2cuda.lower.access import Access
from intent2cuda.lower.buffer_access import element_of
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.elements import Elements
from intent2cuda.lower.evaluate import Evaluation
from intent2cuda.lower.levels import has_others, once
from intent2cuda.lower.nodes import Node, Weight
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Expression
from intent2cuda.machine.statements import Assign, If, Statement
from intent2cuda.machine.types import IndexT
from intent2cuda.plan.stage import Buffer, Effect, Keep, Let
from intent2cuda.types.value_type import BufferType

Computed: TypeAlias = Let | Effect | Keep


@dataclass(frozen=True)
class Prepared:
    """A stage with the nodes of its value, of its destination (whose expression is assigned to) and of its guard."""

    stage: Computed
    value: Node
    target: Node | None = None
    valid: Node | None = None

    @property
    def roots(self) -> tuple[Node, ...]:
        return tuple(node for node in (self.valid, self.value, self.target) if node is not None)


class Run:
    """Stages and further values that are computed together. `tail` are values that the caller asks for at the end."""

    def __init__(
        self, writer: Writer, stages: Sequence[Computed], tail: Sequence[tuple[Value, Coordinates]] = ()
    ) -> None:
        self.writer = writer
        elements = Elements(writer)
        prepared = [_prepare(writer, elements, stage) for stage in stages]
        self._prepared = [p for place, p in enumerate(prepared) if not self._is_part(stages, place)]
        for p in self._prepared:
            p.value.forced = p.value.forced or (isinstance(p.stage, Let) and p.value.weight is not Weight.NAME)
        self._tail = [elements.element(value, at) for value, at in tail]
        counted = [*(root for p in self._prepared for root in p.roots), *self._tail]
        inline = [*(p.value for p in self._prepared if isinstance(p.stage, Keep)), *self._tail]
        self._evaluation = Evaluation(writer, counted, inline)

    def _is_part(self, stages: Sequence[Computed], place: int) -> bool:
        """Whether a value without a name only goes into one that is computed next: it is written inside that one."""
        stage = stages[place]
        users = self.writer.definitions.users(stage.value) if isinstance(stage, Let) and not stage.value.name else ()
        if len(users) != 1:
            return False
        for later in stages[place + 1 :]:
            if not isinstance(later, Let):
                return False
            if later.value in results(users[0]):
                return True
        return False

    def write(self) -> None:
        """The statements of all stages, in order."""
        if len(self._prepared) == 1 and self._is_once(self._prepared[0].stage) and has_others(self.writer):
            (only,) = self._prepared
            with self.writer.tracing.during(only.stage):
                with self.writer.blocks.inner() as block:  # the thread that writes is the one that reads
                    self._write(only, guarded=True)
                self._once(only.stage, tuple(block.statements))
            return
        for prepared in self._prepared:
            with self.writer.tracing.during(prepared.stage):
                self._write(prepared)

    def finish(self) -> list[Expression]:
        """The expressions of the tail, written after all stages; quotes for them stand in the current block."""
        found = self._evaluation.expressions(self._tail)
        self.writer.quote(self._evaluation.take_statements())
        return found

    def _is_once(self, stage: Computed) -> bool:
        return isinstance(stage, Effect | Keep) and stage.once

    def _once(self, stage: Computed, body: tuple[Statement, ...]) -> None:
        for statement in once(self.writer, body, every_block=isinstance(stage, Keep)):
            self.writer.blocks.append(statement)

    def _write(self, prepared: Prepared, guarded: bool = False) -> None:
        stage = prepared.stage
        expressions = dict(zip(prepared.roots, self._evaluation.expressions(prepared.roots), strict=True))
        statements = self._evaluation.take_statements()
        if isinstance(stage, Effect) and stage.op.statement is not None:
            statements = (*statements, stage.op.statement)
        if not isinstance(stage, Let):
            self.writer.quote(statements)
        if prepared.target is not None:
            assignment = Assign(expressions[prepared.target], expressions[prepared.value])
            guard = expressions[prepared.valid] if prepared.valid is not None else None
            body = If(guard, (assignment,)) if guard is not None else assignment
            if self._is_once(stage) and not guarded:
                self._once(stage, (body,))
            else:
                self.writer.blocks.append(body)
        if isinstance(stage, Keep) and stage.buffer.value is stage.value:
            self.writer.stored[stage.value] = stage.buffer


def _prepare(writer: Writer, elements: Elements, stage: Computed) -> Prepared:
    match stage:
        case Let():
            node = elements.element(stage.value, writer.at(stage.at))
            return Prepared(stage, node)
        case Keep():
            storage.require(writer, stage.buffer)
            at = writer.at(stage.at)
            kept = tuple(at[i] for i in stage.buffer.kept)
            node = elements.element(stage.value, at if stage.value.tensor.shape else ())
            buffer = stage.buffer
            return Prepared(stage, node, _target(elements, kept, lambda a, where: element_of(writer, a, buffer, where)))
        case Effect():
            return _prepare_effect(writer, elements, stage)


def buffer_target(writer: Writer, buffer: Buffer, at: Coordinates) -> Expression:
    """The element of a buffer at coordinates of its own axes, in the current block."""
    node = _target(Elements(writer), at, lambda access, where: element_of(writer, access, buffer, where))
    (found,) = Evaluation(writer, [node]).expressions([node])
    return found


def _prepare_effect(writer: Writer, elements: Elements, stage: Effect) -> Prepared:
    op, at = stage.op, writer.at(stage.at)
    where = coordinates.of_terms(op.terms, at, elements.scalar, elements.lane)

    def write(access: Access, place: Coordinates) -> Expression:
        if not isinstance(op.resource.type, BufferType):
            return access.view(op.resource, place)
        buffer = writer.buffer_of(op.resource)
        if buffer is None:
            raise InternalError(f"the buffer {op.resource} is written before it exists")
        return element_of(writer, access, buffer, place)

    valid = elements.element(op.valid, at) if op.valid is not None else None
    return Prepared(stage, elements.element(op.value, at), _target(elements, where, write), valid)


def _target(elements: Elements, where: Coordinates, write: Callable[[Access, Coordinates], Expression]) -> Node:
    """A node that is written last: what stands on the left of the assignment."""
    operands, make = elements.access(where, write)
    depth = max((o.depth for o in operands), default=0)
    return Node(IndexT(), make, Weight.NAME, operands, serial=10**9, depth=depth)
