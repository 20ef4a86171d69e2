"""The statements of a function while they are written: nested blocks, what is declared in each, and free names."""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.ir.value import Value
from intent2cuda.lower.comments import quote
from intent2cuda.machine.expressions import Call, Expression
from intent2cuda.machine.names import RESERVED, first_free
from intent2cuda.machine.origin import of_stage
from intent2cuda.machine.statements import Array, Declare, Source, SourceLine, Statement
from intent2cuda.machine.walk import names_in
from intent2cuda.plan.stage import Axis

Element: TypeAlias = tuple[Value, tuple[IntExpr, ...]]
"""A value at one place: its coordinates are expressions over the variables of the loops around."""


LineKey: TypeAlias = tuple[Value | str, int, tuple[IntExpr, ...]]
"""What is walked along (a view, or a buffer by its id), the axis, and the coordinates of the others."""


@dataclass
class Block:
    """One pair of braces.

    `movable`: what does not depend on its variable may be computed before it. `leaf`: a loop with no loop inside.
    `stages`: stages stand directly in it, so it is the block of a loop body and not of an outer loop of a nest.
    `integers`: the author's index variables and what they stand for.
    `nest`: the unordered loop whose member it is, if any.
    `lanes`: the variable of a loop whose members are vector lanes. `pair`: the body of a lambda of two variables.
    `head` counts the statements that open it (rebased lines), where further ones join them. `inside` are the names of
    the closed blocks in it, which a declaration that joins the head would be hidden by. It runs for members of `axes`.
    `serials` are the places that declared values have in the author's program.
    """

    depth: int
    movable: bool
    leaf: bool
    stages: bool
    statements: list[Statement] = field(default_factory=list[Statement])
    names: set[str] = field(default_factory=set[str])
    inside: set[str] = field(default_factory=set[str])
    locals: dict[Element, Expression] = field(default_factory=dict[Element, Expression])
    lines: dict[LineKey, str] = field(default_factory=dict[LineKey, str])
    head: int = 0
    serials: dict[str, int] = field(default_factory=dict[str, int])
    integers: list[tuple[IntExpr, Symbol]] = field(default_factory=list[tuple[IntExpr, Symbol]])
    nest: str = ""
    lanes: Symbol | None = None
    pair: bool = False
    axes: list[Axis] = field(default_factory=list[Axis])


@dataclass(frozen=True)
class Bound:
    """What a symbol is in the text, the depth of the block that gives it, and whether it is never negative."""

    expression: Expression
    depth: int
    natural: bool


class Blocks:
    """The open blocks, outermost first. `reserved` are names of the function's surroundings, `authors` those that the
    author gave to something in the kernel. `stage` is the identifier of the stage that what is added comes from."""

    def __init__(self, reserved: Sequence[str], authors: Collection[str] = ()) -> None:
        self.open: list[Block] = [Block(0, movable=False, leaf=False, stages=True)]
        self.symbols: dict[Symbol, Bound] = {}
        self.stage = ""
        self.versions: dict[str, str] = {}  # names that stand for another one, or for none of the author's
        self._reserved = RESERVED.union(reserved)
        self._authors = frozenset(authors)

    @property
    def current(self) -> Block:
        return self.open[-1]

    @contextmanager
    def inner(self, *, movable: bool = False, leaf: bool = False, stages: bool = True) -> Generator[Block]:
        block = Block(len(self.open), movable, leaf, stages)
        self.open.append(block)
        try:
            yield block
        finally:
            self.open.pop()
            self.current.inside.update(block.names, block.inside)

    def name(self, candidates: Sequence[str], block: Block | None = None, *, author: str = "") -> str:
        """A name that is free in `block` (default: the current one), taken from now on.

        `author`: the candidate that is the author's name of what is named; the others are none of his.
        """
        target = block or self.current
        around = self.open[target.depth :] if block is not None else []

        def taken(name: str) -> bool:
            another = name in self._authors and name != author
            return another or self._taken(name) or any(name in block.inside for block in around)

        chosen = first_free(candidates, taken)
        if chosen != candidates[0]:
            self.versions[chosen] = candidates[0] if candidates[0] == author else ""
        target.names.add(chosen)
        return chosen

    def _taken(self, name: str) -> bool:
        return name in self._reserved or any(name in block.names for block in self.open)

    def append(self, statement: Statement, block: Block | None = None) -> None:
        (block or self.current).statements.append(of_stage(statement, self.stage))

    def declare_in_order(
        self, statement: Declare, serial: int, quoted: Sequence[SourceLine], block: Block | None = None
    ) -> None:
        """Adds a value behind what it needs: before the declarations at the end that come later in the author's text.

        What has a quote of its own never parts a quote from its code.
        """
        target = block or self.current
        place = _place_in_order(target, names_in(statement), serial, parts=not quoted)
        code: list[Statement] = [of_stage(statement, self.stage)]
        if place == len(target.statements):
            quote(target.statements, quoted)
            target.statements += code
        else:
            target.statements[place:place] = [Source(tuple(quoted)), *code] if quoted else code
        target.serials[statement.name] = serial

    def append_before_quote(self, statement: Statement) -> None:
        """Adds to the current block, in front of a quote whose code has not been written yet."""
        statements = self.current.statements
        place = len(statements) - bool(statements and isinstance(statements[-1], Source))
        statements.insert(place, of_stage(statement, self.stage))

    def bind(self, symbol: Symbol, expression: Expression, natural: bool, block: Block | None = None) -> None:
        self.symbols[symbol] = Bound(expression, (block or self.current).depth, natural)

    def remember(self, element: Element, expression: Expression, block: Block | None = None) -> None:
        (block or self.current).locals[element] = expression

    def local(self, element: Element) -> tuple[Expression, int] | None:
        """The variable that holds an element, and the depth of its block."""
        for block in reversed(self.open):
            if (found := block.locals.get(element)) is not None:
                return found, block.depth
        return None

    def stage_depth(self) -> int:
        """The depth of the block in which the statement of the current innermost stage will stand."""
        depth = len(self.open) - 1
        while depth > 0 and self.open[depth].movable and not (self.open[depth].stages and not self.open[depth].leaf):
            depth -= 1
        return depth

    def certain_depth(self) -> int:
        """The depth of the outermost block of the current stage that never runs without the current one."""
        depth, least = len(self.open) - 1, self.stage_depth()
        while depth > least and all((axis.extent.constant or 0) > 0 for axis in self.open[depth].axes):
            depth -= 1
        return depth

    def declare_at(self, statement: Declare | Array, depth: int) -> None:
        """Puts a declaration into an open block: behind those it needs, else among the opening statements."""
        block = self.open[depth]
        needed = names_in(statement)
        place = block.head
        for i, earlier in enumerate(block.statements):
            if i >= place and isinstance(earlier, Declare | Array) and earlier.name in needed:
                place = i + 1
        if place == block.head:
            block.head += 1
        block.statements.insert(place, of_stage(statement, self.stage))


def _place_in_order(block: Block, needed: Collection[str], serial: int, parts: bool) -> int:
    """Where among the last declarations of a block a value belongs. `parts`: also between a quote's declarations."""
    statements = block.statements
    place = len(statements)
    if statements and isinstance(statements[-1], Source):
        return place
    is_passed = False
    for i in range(len(statements) - 1, block.head - 1, -1):
        earlier = statements[i]
        if isinstance(earlier, Source):
            place = i if is_passed else place
            continue
        if not isinstance(earlier, Declare) or not earlier.const or earlier.name in needed:
            break
        if earlier.name in block.serials:
            is_passed = block.serials[earlier.name] > serial
            if not is_passed:
                break
            place = i if parts else place
        elif not _is_line(earlier):
            break
    return place


def _is_line(statement: Declare) -> bool:
    return isinstance(statement.value, Call) and statement.value.function in ("intent::line", "intent::lines")
