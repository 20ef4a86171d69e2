"""Nodes for elements: what an element of a value is at given coordinates, down to memory or what a stage defined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import IntExpr, Symbol, symbols
from intent2cuda.base.span import Span
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import (
    Bitcast,
    Broadcast,
    Cast,
    Constant,
    Dim,
    Gather,
    Indices,
    Inspect,
    Join,
    Load,
    Philox,
    Pointwise,
    Reshape,
    Transpose,
)
from intent2cuda.ir.value import Value
from intent2cuda.lower import coordinates
from intent2cuda.lower.access import Access, Known
from intent2cuda.lower.blocks import Element
from intent2cuda.lower.buffer_access import element_of
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.definitions import in_names
from intent2cuda.lower.inspections import inspected
from intent2cuda.lower.integers import is_short
from intent2cuda.lower.nodes import Node, Weight, written_inline
from intent2cuda.lower.role_names import names_of_read, role_names
from intent2cuda.lower.scalars import apply, convert, ctype, is_heavy
from intent2cuda.lower.shortest import shortest
from intent2cuda.lower.speculation import no_sooner
from intent2cuda.lower.stretches import step
from intent2cuda.lower.words import bits
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Call, Conditional, Expression, Integer, Name
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.types import IndexT
from intent2cuda.types.dtype import INDEX, U64
from intent2cuda.types.value_type import BufferType, TensorType


class Elements:
    """The graph of one piece of code. Asking twice for an element gives the same node."""

    def __init__(self, writer: Writer, expand: bool = False) -> None:
        """`expand`: coordinates with an author's name are taken apart, for those who look at their form."""
        self._writer = writer
        self._expand = expand
        self._nodes: dict[tuple[Value, Coordinates], Node] = {}

    def element(self, value: Value, at: Coordinates) -> Node:
        """The node of an element. What it is made of comes first, in a loop: chains of values may be long."""
        pending = [(value, at)]
        while pending:
            key = pending[-1]
            missing = [] if key in self._nodes else [k for k in self._parts(*key) if k not in self._nodes]
            if missing:
                pending += missing
                continue
            pending.pop()
            if key not in self._nodes:
                node = self._local(*key) or self._stored(*key) or self._of_op(*key)
                node.element = node.element or key
                self._nodes[key] = node
        return self._nodes[value, at]

    def _parts(self, value: Value, at: Coordinates) -> Sequence[Element]:
        """The elements that an element is directly made of, for the ops of which there may be long chains."""
        if self._local(value, at) is not None or self._writer.buffer_of(value) is not None:
            return ()
        match self._writer.definitions.op(value):
            case Pointwise(args=args):
                return [(arg, at) for arg in args]
            case Cast(source=source) | Bitcast(source=source):
                return [(source, at)]
            case Broadcast() as op:
                return [(op.source, coordinates.of_broadcast(op, at, self._step))]
            case _:
                return ()

    def index(self, expression: IntExpr) -> Node:
        """An integer expression as a node."""
        expression = self._in_names(expression)
        operands, known = self._symbol_nodes([expression])
        return Node(
            IndexT(),
            lambda args: self._writer.integers(dict(zip(known, args, strict=True))).text(expression),
            Weight.NAME if is_short(expression) else Weight.PLAIN,
            operands,
            serial=max((o.serial for o in operands), default=0),
            depth=self._depth([expression], operands),
        )

    def _in_names(self, expression: IntExpr) -> IntExpr:
        """The expression with the author's index variables in place of what they stand for, where that is shorter."""
        return expression if self._expand else shortest(self._writer.blocks, expression)

    def access(
        self, at: Coordinates, write: Callable[[Access, Coordinates], Expression], others: Sequence[Node] = ()
    ) -> tuple[tuple[Node, ...], Callable[[Sequence[Expression]], Expression]]:
        """Operands and maker of an access: `write` gets the accessor; `others` are operands before the symbols."""
        at = tuple(self._in_names(c) for c in at)
        operands, known = self._symbol_nodes(at)

        def make(args: Sequence[Expression]) -> Expression:
            depths = [o.depth for o in operands]
            facts = {s: Known(e, d) for s, e, d in zip(known, args[len(others) :], depths, strict=True)}
            return write(Access(self._writer, facts), at)

        return (*others, *operands), make

    def scalar(self, value: Value) -> IntExpr:
        """An integer scalar as an expression; one that is known by no better name stands for itself."""
        return self._writer.definitions.expression(value)

    def lane(self, value: Value, at: Coordinates) -> IntExpr:
        """An element of an integer tensor as an expression, opaque where it is read from memory."""
        found = self._arithmetic(value, at)
        return found if found is not None else self._opaque(value, at)

    def _opaque(self, value: Value, at: Coordinates) -> IntExpr:
        for symbol, element in self._writer.opaque.items():
            if element == (value, at):
                return IntExpr((((symbol,), 1),))
        symbol = self._writer.fresh_symbol(value.name or "lane")
        self._writer.opaque[symbol] = (value, at)
        return IntExpr((((symbol,), 1),))

    def _arithmetic(self, value: Value, at: Coordinates) -> IntExpr | None:
        """An index tensor's element as arithmetic of loop variables, extents and named coordinates; None for others."""
        found = self._structure(value, at)
        if found is None or not value.name or self._expand or found.as_symbol or found.constant is not None:
            return found
        return self._opaque(value, at)

    def _structure(self, value: Value, at: Coordinates) -> IntExpr | None:
        if self._writer.blocks.local((value, at)) or self._writer.buffer_of(value) or value.tensor.dtype != INDEX:
            return None
        match self._writer.definitions.op(value):
            case Constant() | Dim():
                return self.scalar(value)
            case Indices(domain=domain):
                return domain.domain.begin + at[0] * domain.domain.step
            case Broadcast() as op:
                return self._arithmetic(op.source, coordinates.of_broadcast(op, at, self._step))
            case Transpose() as op:
                return self._arithmetic(op.source, coordinates.of_transpose(op, at))
            case Reshape() as op:
                shapes = op.result.tensor.shape, op.source.tensor.shape
                return self._arithmetic(op.source, coordinates.of_reshape(*shapes, at))
            case Pointwise(fn="add" | "sub" | "mul" as fn, args=(lhs, rhs)):
                left, right = self._arithmetic(lhs, at), self._arithmetic(rhs, at)
                if left is None or right is None:
                    return None
                return left + right if fn == "add" else left - right if fn == "sub" else left * right
            case None if not value.tensor.shape:
                return value.as_symbol
            case _:
                return None

    # What stands behind an element

    def _local(self, value: Value, at: Coordinates) -> Node | None:
        found = self._writer.blocks.local((value, at))
        if found is None and not at and value in self._writer.parameters:
            found = (Name(self._writer.parameters[value]), 0)
        if found is None and not at and (bound := self._writer.blocks.symbols.get(Symbol(value.name, value.serial))):
            found = (bound.expression, bound.depth)
        if found is None:
            return None
        expression, depth = found
        names = (identifier(value.name),) if value.name else ()
        return Node(ctype(value.tensor.dtype), lambda _: expression, Weight.NAME, names=names, depth=depth)

    def _stored(self, value: Value, at: Coordinates) -> Node | None:
        buffer = self._writer.buffer_of(value)
        if buffer is None:
            return None
        kept = tuple(at[i] for i in buffer.kept)
        operands, make = self.access(kept, lambda access, where: element_of(self._writer, access, buffer, where))
        return self._memory_node(value, kept, operands, make)

    def _of_op(self, value: Value, at: Coordinates) -> Node:
        """The node of what an op computes. One that only moves elements shares the node of its source."""
        node, op = self._computed(value, at), self._writer.definitions.op(value)
        if op is not None and op not in node.ops:
            node.ops = (*node.ops, op)
        return node

    def _computed(self, value: Value, at: Coordinates) -> Node:
        op = self._writer.definitions.op(value)
        match op:
            case Dim() | Constant() if value.tensor.dtype == INDEX:
                return self._integer(op, value, in_names(op))
            case Constant():
                return self._constant(op)
            case Pointwise():
                return self._pointwise(op, at)
            case Cast():
                source = self.element(op.source, at)
                types = op.source.tensor.dtype, op.result.tensor.dtype
                return self._node(op, value, (source,), lambda args: convert(*types, args[0]), Weight.PLAIN)
            case Bitcast():
                found = bits(self._writer.definitions, op)
                return self._node(op, value, [self.element(s, at) for s in found.sources], found.make, Weight.PLAIN)
            case Broadcast():
                return self._alias(op, value, op.source, coordinates.of_broadcast(op, at, self._step))
            case Transpose():
                return self._alias(op, value, op.source, coordinates.of_transpose(op, at))
            case Reshape():
                shapes = op.result.tensor.shape, op.source.tensor.shape
                return self._alias(op, value, op.source, coordinates.of_reshape(*shapes, at))
            case Philox():
                return self._philox(op, at)
            case Inspect():
                return self._inspect(op, at)
            case Join():
                return self._join(op, at)
            case Indices():
                return self._integer(op, value, op.domain.domain.begin + at[0] * op.domain.domain.step)
            case Load():
                return self._load(op, at)
            case Gather():
                return self._gather(op, at)
            case _:
                raise InternalError(f"the element of {value} is needed where no stage has defined it")

    def _constant(self, op: Constant) -> Node:
        return Node(ctype(op.result.tensor.dtype), lambda _: self._writer.constexprs.constant(op), Weight.NAME)

    def _pointwise(self, op: Pointwise, at: Coordinates) -> Node:
        operands = tuple(self.element(arg, at) for arg in op.args)
        dtype, known = op.args[-1].tensor.dtype, self._writer.definitions.constant(op.args[-1])
        dividend = self._structure(op.args[0], at) if op.fn in ("floordiv", "mod") else None
        natural = dividend is not None and self._writer.is_natural(dividend)
        weight = Weight.HEAVY if is_heavy(op.fn) else Weight.PLAIN
        made = partial(apply, op.fn, dtype, natural=natural, known=known)
        return self._node(op, op.result, operands, lambda args: made(tuple(args)), weight)

    def _philox(self, op: Philox, at: Coordinates) -> Node:
        operands = self.element(op.seed, ()), self.element(op.counter, at)
        dtype = op.counter.tensor.dtype

        def make(args: Sequence[Expression]) -> Expression:
            return Call("intent::philox", (args[0], convert(dtype, U64, args[1])))

        return self._node(op, op.result, operands, make, Weight.HEAVY)

    def _inspect(self, op: Inspect, at: Coordinates) -> Node:
        """It stays where it is asked for: a loop without members breaks no rule."""
        told = tuple(self.element(n, at if n.tensor.shape else ()) for n in op.numbers)
        known, made = self._writer.sentences, (self.element(op.holds, at), *told)
        node = self._node(op, op.result, made, lambda args: inspected(known, op, args), Weight.HEAVY)
        node.depth = max(node.depth, self._writer.blocks.certain_depth())
        return node

    def _join(self, op: Join, at: Coordinates) -> Node:
        side = at[-1].constant
        if side is not None:
            return self._alias(op, op.result, op.rhs if side else op.lhs, at[:-1])
        sides = self.element(op.lhs, at[:-1]), self.element(op.rhs, at[:-1])

        def make(args: Sequence[Expression]) -> Expression:
            return Conditional(Binary("==", args[0], Integer(0)), args[1], args[2])

        return self._node(op, op.result, (self.index(at[-1]), *sides), make, Weight.PLAIN)

    def _integer(self, op: Op, value: Value, expression: IntExpr) -> Node:
        node = self.index(expression)
        if expression.as_symbol is not None or expression.constant is not None:
            return node
        named = bool(value.name)
        base = identifier(value.name) if named else "position"
        names = (base, derived(base, "at"))
        return replace(
            node,
            names=names,
            named=named,
            statements=_statements(op),
            serial=max(node.serial, value.serial),
            weight=Weight.PLAIN,
        )

    def _load(self, op: Load, at: Coordinates) -> Node:
        where = coordinates.of_terms(op.terms, at, self.scalar, self.lane)
        guards = () if op.valid is None or op.fill is None else (self.element(op.valid, at), self.element(op.fill, at))

        def write(access: Access, place: Coordinates) -> Expression:
            if isinstance(op.resource.type, BufferType):
                buffer = self._writer.buffer_of(op.resource)
                if buffer is None:
                    raise InternalError(f"the buffer {op.resource} is read before it exists")
                return element_of(self._writer, access, buffer, place)
            return access.view(op.resource, place)

        operands, make = self.access(where, write, guards)

        def guarded(args: Sequence[Expression]) -> Expression:
            return Conditional(args[0], make(args), args[1]) if guards else make(args)

        node = self._memory_node(op.result, where, operands, guarded)
        node.depth = no_sooner(self._writer, op.resource, where, node.depth)
        node.statements = _statements(op)
        node.names = names_of_read(op, where, self._writer.definitions.users(op.result))
        return node

    def _gather(self, op: Gather, at: Coordinates) -> Node:
        where = coordinates.of_terms(op.terms, at, self.scalar, self.lane)
        if op.valid is None or op.fill is None:
            return self._alias(op, op.result, op.source, where)
        source = self.element(op.source, where)  # may not exist where `valid` is false: written inside the condition

        def make(args: Sequence[Expression]) -> Expression:
            return Conditional(args[0], written_inline(source, self._writer.tracing.computed), args[1])

        guards = self.element(op.valid, at), self.element(op.fill, at)
        return self._node(op, op.result, guards, make, Weight.MEMORY, (source,))

    # Pieces

    def _node(
        self,
        op: Op,
        value: Value,
        operands: Sequence[Node],
        make: Callable[[Sequence[Expression]], Expression],
        weight: Weight,
        hidden: tuple[Node, ...] = (),
    ) -> Node:
        every = (*operands, *hidden)
        return Node(
            ctype(value.tensor.dtype),
            make,
            weight,
            tuple(operands),
            role_names(op, operands, value.name),
            bool(value.name),
            max((value.serial, *(o.serial for o in every))),
            max((o.depth for o in every), default=0),
            tuple(dict.fromkeys((*(s for h in hidden for s in h.statements), *_statements(op)))),
        )

    def _memory_node(
        self,
        value: Value,
        at: Coordinates,
        operands: tuple[Node, ...],
        make: Callable[[Sequence[Expression]], Expression],
    ) -> Node:
        """Memory may change between stages: a read never moves out of the stage it belongs to."""
        name = identifier(value.name) if value.name else "element"
        depth = max(self._depth(at, operands), self._writer.blocks.stage_depth())
        serial = max((value.serial, *(o.serial for o in operands)))
        return Node(ctype(value.tensor.dtype), make, Weight.MEMORY, operands, (name,), bool(value.name), serial, depth)

    def _alias(self, op: Op, value: Value, source: Value, at: Coordinates) -> Node:
        """The same element under another shape: a name or a statement that the source lacks comes from here."""
        assert isinstance(source.type, TensorType)
        node = self.element(source, at)
        if value.name and node.weight is not Weight.NAME and (not node.named or node.weight is Weight.MEMORY):
            node.names, node.named = (identifier(value.name), *node.names), True
        if node.weight is not Weight.NAME:
            node.statements = tuple(dict.fromkeys((*node.statements, *_statements(op))))
        return node

    def _depth(self, expressions: Sequence[IntExpr], operands: Sequence[Node]) -> int:
        bound = self._writer.blocks.symbols
        depths = [bound[s].depth for e in expressions for s in symbols(e) if s in bound]
        return max((*depths, *(o.depth for o in operands)), default=0)

    def _symbol_nodes(self, expressions: Sequence[IntExpr]) -> tuple[tuple[Node, ...], tuple[Symbol, ...]]:
        """Nodes for the symbols that no loop and no extent binds, and those symbols."""
        found: dict[Symbol, Node] = {}
        for expression in expressions:
            for symbol in symbols(expression):
                if symbol in self._writer.opaque:
                    found[symbol] = self.element(*self._writer.opaque[symbol])
                elif symbol.serial > 0 and symbol not in self._writer.blocks.symbols:
                    found[symbol] = self.element(self._writer.definitions.scalar(symbol), ())
        return tuple(found.values()), tuple(found)

    def _step(self, source: IntExpr, result: IntExpr) -> IntExpr:
        computed = self._writer.tracing.computed
        return step(self._writer, source, result, lambda: written_inline(self.index(source), computed))


def _statements(op: Op) -> tuple[Span, ...]:
    return (op.statement,) if op.statement is not None else ()
