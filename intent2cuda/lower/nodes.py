"""The graph of what one piece of code has to compute: one node for an element of a value at given coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from intent2cuda.base.span import Span
from intent2cuda.ir.op import Op
from intent2cuda.lower.blocks import Element
from intent2cuda.machine.expressions import Expression
from intent2cuda.machine.types import CType

Make: TypeAlias = Callable[[Sequence[Expression]], Expression]


class Weight(IntEnum):
    """What it costs to write a node twice."""

    NAME = 0  # a variable or a constant
    PLAIN = 1  # an operation of a few cycles
    MEMORY = 2  # a read
    HEAVY = 3  # a division, a function, a search


@dataclass(eq=False)
class Node:
    """`make` writes the node from the expressions of its operands.

    `names` are candidates for a variable, best first; `named`: the first is the author's. `serial`: its place in his
    program. `element` is what a variable for it stands for later on. `depth` is that of the outermost block in which
    the node could be computed. `forced`: it becomes a variable in any case. `ops` are the operations that the node
    itself computes.
    """

    type: CType
    make: Make
    weight: Weight
    operands: tuple[Node, ...] = ()
    names: tuple[str, ...] = ()
    named: bool = False
    serial: int = 0
    depth: int = 0
    statements: tuple[Span, ...] = ()
    element: Element | None = None
    uses: int = 0
    forced: bool = False
    ops: tuple[Op, ...] = ()


def reachable(roots: Sequence[Node], count: bool = True) -> list[Node]:
    """Every node under the roots once, operands first. With `count`, `uses` becomes how often each is asked for."""
    found: list[Node] = []
    uses: dict[int, int] = {}
    pending = [(root, False) for root in reversed(roots)]
    while pending:
        node, operands_done = pending.pop()
        if operands_done:
            found.append(node)
            continue
        uses[id(node)] = uses.get(id(node), 0) + 1
        if uses[id(node)] == 1:
            pending.append((node, True))
            pending += ((operand, False) for operand in reversed(node.operands))
    for node in found if count else ():
        node.uses = uses[id(node)]
    return found


def written_inline(node: Node, computed: Callable[[Expression, Sequence[Op]], Expression]) -> Expression:
    """The expression of a node and of all it needs, without any variable. `computed` marks what computes operations."""
    return computed(node.make([written_inline(operand, computed) for operand in node.operands]), node.ops)
