"""The state of one kernel function while it is written: names, bound symbols, storage, and the statements so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from intent2cuda.analysis.structure import Structure, structure
from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.base.span import Span
from intent2cuda.ir.inspections import sentences
from intent2cuda.ir.value import Value
from intent2cuda.lower.author_names import author_names
from intent2cuda.lower.blocks import Block, Blocks
from intent2cuda.lower.comments import Quotes, quote
from intent2cuda.lower.constexprs import Constexprs
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.definitions import Definitions
from intent2cuda.lower.exchanges import exchanges
from intent2cuda.lower.extents import Extents
from intent2cuda.lower.inspections import reserved
from intent2cuda.lower.integers import Integers
from intent2cuda.lower.open_sizes import OpenSizes
from intent2cuda.lower.tracing import Tracing
from intent2cuda.machine.expressions import Expression, Integer, Name
from intent2cuda.machine.names import derived, first_free, identifier
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.types import IndexT, Int
from intent2cuda.machine.unit import Constant
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.stage import Axis, Buffer


class Writer:
    """`parameters` are the C++ names of the kernel's parameters."""

    def __init__(
        self,
        plan: ConcretePlan,
        definitions: Definitions,
        parameters: Mapping[Value, str],
        extents: Extents,
        identities: Identities,
    ) -> None:
        self.plan = plan
        self.cuda = plan.target == "cuda"
        self.definitions = definitions
        self.parameters = parameters
        self.constants: dict[str, Constant] = {}
        self.constexprs = Constexprs(plan.kernel, self.declared)
        self.sizes = OpenSizes(plan, definitions, self.count, self.constexprs)
        self._authors = author_names(plan.kernel, self.sizes)
        self.blocks = Blocks((*parameters.values(), *reserved(plan.kernel)), self._authors)
        self.tracing = Tracing(plan, identities, self.blocks)
        self.quotes = Quotes()
        self.stored: dict[Value, Buffer] = {}
        self.opaque: dict[Symbol, tuple[Value, Coordinates]] = {}
        self.unit_axes = frozenset((unit.view, unit.axis) for unit in plan.unit_axes)
        self.buffer_names: dict[str, str] = {}
        self.buffer_depths: dict[str, int] = {}
        pairs = tuple(exchanges(plan.stages))
        self.moving = frozenset(buffer.id for pair in pairs for buffer in pair)
        self.spare_names = {spare.id: f"next_{own.name}" for own, spare in pairs if own.value.name}
        self.tags: list[str] = []
        self.parallel_depth: int | None = None  # cpu: depth of the block of an OpenMP region, once inside
        self.row_fold = ""  # what a loop over parts of different sizes folds its part with: on one thread or on all
        self.in_grid = False  # cuda: inside a loop whose members are shared by the blocks
        self.grid_axes = _grid_axes(plan)
        self.around: list[Axis] = []  # the axes of the loops around, outermost first
        self.sentences = sentences(plan.kernel)
        self._extents = extents
        self._axes: dict[str, Symbol] = {}
        self._dims: list[str] = []
        self._serial = 0

    @cached_property
    def structure(self) -> Structure:
        return structure(self.plan.kernel)

    # Symbols

    def fresh_symbol(self, name: str) -> Symbol:
        self._serial -= 1
        return Symbol(name, self._serial)

    def axis_symbol(self, axis: Axis) -> Symbol:
        """The symbol of an axis: that of the author's loop variable where the axis stands for his loop."""
        if axis.point is not None:
            return Symbol(axis.point.name, axis.point.serial)
        if axis.id not in self._axes:
            self._axes[axis.id] = self.fresh_symbol(axis.name)
        return self._axes[axis.id]

    def at(self, axes: Sequence[Axis]) -> Coordinates:
        return tuple(IntExpr((((self.axis_symbol(axis),), 1),)) for axis in axes)

    def bind_axis(self, axis: Axis, block: Block | None = None) -> str:
        """Takes a name for the variable of the loop over an axis and makes it known inside the block."""
        base = identifier(axis.name)
        is_authors = axis.point is not None and not self.sizes.is_turn(axis.point)
        name = self.blocks.name((base, derived(base, "member")), block, author=base if is_authors else "")
        self.blocks.bind(self.axis_symbol(axis), Name(name), self.is_natural(axis.begin), block)
        (block or self.blocks.current).axes.append(axis)
        return name

    def is_natural(self, expression: IntExpr) -> bool:
        return self.integers({}).is_natural(expression)

    def natural(self, symbol: Symbol) -> bool:
        if symbol in self.constexprs.integers:
            return self.constexprs.integers[symbol] >= 0
        if (bound := self.blocks.symbols.get(symbol)) is not None:
            return bound.natural
        return symbol.serial == 0

    def dim(self, symbol: Symbol) -> None:
        """Declares an extent of the signature at the top of the function, in the order of the signature."""
        base = identifier(symbol.name)
        name = self.blocks.name((base, derived(base, "extent")), self.blocks.open[0], author=base)
        order = list(self._extents.origin)
        place = sum(order.index(known) < order.index(symbol.name) for known in self._dims)
        self._dims.append(symbol.name)
        self.blocks.open[0].statements.insert(place, Declare(IndexT(), name, self._extents.of(symbol.name)))
        self.blocks.open[0].head += 1
        self.blocks.bind(symbol, Name(name), True, self.blocks.open[0])

    def integers(self, known: Mapping[Symbol, Expression]) -> Integers:
        """How integer expressions are written here; `known` are the symbols that have no variable of their own."""

        def text(symbol: Symbol) -> Expression:
            if symbol in known:
                return known[symbol]
            if symbol in self.constexprs.integers:
                return self.constexprs.name(symbol)
            if symbol not in self.blocks.symbols and symbol.serial == 0:
                self.dim(symbol)
            bound = self.blocks.symbols.get(symbol)
            if bound is None:
                raise InternalError(f"the coordinate {symbol.name} is used outside its loop")
            return bound.expression

        return Integers(text, self.natural, self.sizes.inside)

    # Storage

    def buffer_of(self, value: Value) -> Buffer | None:
        return self.stored.get(value)

    def tag(self, name: str) -> str:
        """A new type name for a piece of scratch memory, not one of the author's: `weight_row` is in `WeightRow`."""
        camel = "".join(word.capitalize() for word in name.split("_"))
        self.tags.append(first_free((camel, f"{camel}Scratch"), lambda tag: tag in (*self.tags, *self._authors)))
        return self.tags[-1]

    def constant(self, name: str, value: int, reason: str) -> str:
        """A named constant of the file, at its first use."""
        return self.declared(Constant(Int(), name, Integer(value), reason))

    def count(self, name: str, value: int, reason: str) -> str:
        """A named number of members."""
        return self.declared(Constant(IndexT(), name, Integer(value), reason))

    def declared(self, constant: Constant) -> str:
        """The name under which the file has a constant: its own, unless another one or the author has it."""
        while constant.name in self._authors or self.constants.get(constant.name, constant) != constant:
            constant = replace(constant, name=f"{constant.name}Other")
        self.constants[constant.name] = constant
        return constant.name

    def threads(self) -> str:
        """The constant that holds the number of threads of a block."""
        launch = self.plan.launch
        if launch is None:
            raise InternalError("a stage is spread over threads of a block, but the plan has no launch")
        return self.constant("kThreads", launch.threads, launch.threads_reason)

    def launch_bounds(self) -> tuple[str, ...]:
        """Threads of a block; behind them the blocks of a multiprocessor, where the plan says how many."""
        threads, launch = self.threads(), self.plan.launch
        if launch is None or not launch.resident:
            return (threads,)
        reason = "blocks that fit a multiprocessor at least: long bodies need registers"
        return threads, self.constant("kResident", launch.resident, reason)

    # Quotes

    def quote(self, statements: Sequence[Span], block: Block | None = None, header_only: bool = False) -> None:
        quote((block or self.blocks.current).statements, self.quotes.take(statements, header_only))


def _grid_axes(plan: ConcretePlan) -> tuple[str, ...]:
    """cuda: the axes along which the grid may have more than one block."""
    if plan.launch is None:
        return ()
    return tuple(name for name, blocks in zip("xyz", plan.launch.grid, strict=True) if blocks.constant != 1)
