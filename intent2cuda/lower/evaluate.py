"""From the graph to statements: which nodes become variables and where, and the expressions of what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.base.span import Span
from intent2cuda.ir.ops import Dim
from intent2cuda.lower.blocks import Block, Element
from intent2cuda.lower.definitions import in_names
from intent2cuda.lower.nodes import Node, Weight, reachable
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Expression, Name
from intent2cuda.machine.names import derived
from intent2cuda.machine.statements import Declare


class Evaluation:
    """One run of code in the current block. `counted` are all the roots that it will ask for, so that sharing shows.

    The roots of `inline` get no variable of their own when nothing else needs them, whatever their name.
    """

    def __init__(self, writer: Writer, counted: Sequence[Node], inline: Sequence[Node] = ()) -> None:
        self._writer = writer
        self._inline = frozenset(id(root) for root in inline)
        self._done: dict[int, Expression] = {}
        self._quotes: dict[int, tuple[Span, ...]] = {}
        self._order = reachable(counted)
        self._users = {id(operand): node for node in self._order for operand in node.operands}
        self._pending: list[Span] = []

    def expressions(self, roots: Sequence[Node]) -> list[Expression]:
        """The expressions of some of the roots; the variables they need are declared before, in the author's order."""
        wanted = {id(node) for node in reachable(roots, count=False)}
        needed = [node for node in self._order if id(node) in wanted and id(node) not in self._done]
        for node in sorted(needed, key=lambda n: n.serial):
            self._settle(node)
        for root in roots:
            self._pending += self._quotes.get(id(root), ())
        return [self._done[id(root)] for root in roots]

    def take_statements(self) -> tuple[Span, ...]:
        """The statements whose code lies in the expressions handed out since the last call."""
        taken = tuple(dict.fromkeys(self._pending))
        self._pending.clear()
        return taken

    def _settle(self, node: Node) -> None:
        """Writes a node whose operands are written: as a variable, or for use inside other expressions."""
        inherited = [span for operand in node.operands for span in self._quotes.get(id(operand), ())]
        statements = tuple(dict.fromkeys((*inherited, *node.statements)))
        node.depth = max((node.depth, *(o.depth for o in node.operands)))
        written = node.make([self._done[id(operand)] for operand in node.operands])
        expression = self._writer.tracing.computed(written, node.ops)
        if self._is_variable(node):
            expression = self._declare(node, expression, statements)
            statements = ()
        self._done[id(node)] = expression
        self._quotes[id(node)] = statements

    def _is_variable(self, node: Node) -> bool:
        if node.forced:
            return True
        if node.weight is Weight.NAME or not node.names:
            return False
        if self._lowest_open(node) < self._writer.blocks.current.depth:
            return node.uses > 1 or node.named or (node.weight >= Weight.MEMORY and not self._goes_along(node))
        if node.named and node.weight is not Weight.MEMORY:
            return node.uses > 1 or id(node) not in self._inline
        return node.uses > (1 if node.named or node.weight is not Weight.MEMORY else 2)

    def _goes_along(self, node: Node) -> bool:
        """Whether the only thing that needs the node is a variable in the same block: it is written inside that one."""
        user = self._users.get(id(node))
        if user is None or not user.named or id(user) in self._inline:
            return False
        return max(self._lowest_open(n) for n in (user, *user.operands)) == self._lowest_open(node)

    def _declare(self, node: Node, expression: Expression, statements: Sequence[Span]) -> Expression:
        blocks = self._writer.blocks
        depth = self._lowest_open(node)
        block = blocks.open[depth]
        names = node.names
        if names[0] in self._writer.parameters.values():
            names = (names[0], derived(names[0], "value"), *names[1:])
        where = block if block is not blocks.current else None
        name = blocks.name(names, where, author=names[0] if node.named else "")
        if not node.named:
            blocks.versions[name] = ""
        declared = Declare(node.type, name, expression, note=self._reason(node))
        blocks.declare_in_order(declared, node.serial, self._writer.quotes.take(statements), block)
        if node.element is not None:
            blocks.remember(node.element, Name(name), block)
            self._note_integer(node.element, name, block)
        node.depth = depth
        return Name(name)

    def _reason(self, node: Node) -> str:
        made = None if node.element is None else self._writer.definitions.op(node.element[0])
        return "" if made is None else made.reason

    def _note_integer(self, element: Element, name: str, block: Block) -> None:
        """An author's index variable can stand for its meaning in later index arithmetic."""
        op = self._writer.definitions.op(element[0])
        if isinstance(op, Dim) and op.result.name:
            symbol = self._writer.fresh_symbol(op.result.name)
            self._writer.blocks.bind(symbol, Name(name), self._writer.is_natural(op.expression), block)
            block.integers += ((meaning, symbol) for meaning in dict.fromkeys((op.expression, in_names(op))))

    def _lowest_open(self, node: Node) -> int:
        """The outermost block in which the node may stand: out of movable blocks only."""
        depth = self._writer.blocks.current.depth
        while depth > node.depth and self._writer.blocks.open[depth].movable:
            depth -= 1
        return depth
