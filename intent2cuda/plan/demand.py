"""What a root reads on its way down to memory and to values that stages define."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, KeysView, Mapping, Sequence
from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, operands, regions, results
from intent2cuda.ir.ops import Gather, Load
from intent2cuda.ir.value import Value
from intent2cuda.plan.access import Access, access_of
from intent2cuda.plan.axes import AxisClasses
from intent2cuda.plan.effects import EFFECTS, subject
from intent2cuda.plan.roots import (
    Read,
    Root,
    Tokens,
    bounds_of,
    define_root,
    identity,
    is_pure_definition,
    named_scalars,
    virtual_reads,
)
from intent2cuda.plan.stage import Buffer, Coordinates


@dataclass(frozen=True)
class Seen:
    """`reads`: every value on the way; `leaves`: those where it ends; `named`: scalars that extents and bounds
    mention; `places`: the reads of each value.
    """

    reads: tuple[Read, ...]
    leaves: tuple[Read, ...]
    named: tuple[Value, ...]
    accesses: tuple[Access, ...]
    places: Mapping[Value, Sequence[Tokens]]

    @property
    def values(self) -> KeysView[Value]:
        return self.places.keys()

    def at(self, value: Value) -> Sequence[Tokens]:
        """Where the value is read, at each place once."""
        return self.places.get(value, ())


@dataclass(frozen=True)
class Step:
    """What one element of a virtual value reads: other values, each with the places of its axes among those of the
    value (None: the same axes), and the scalars that extents and bounds mention.
    """

    reads: tuple[tuple[Value, Tokens | None], ...]
    named: tuple[Value, ...]


@dataclass(frozen=True)
class Sight:
    """What is defined where a stage stands: virtual values with a local or a buffer, and the buffers of values."""

    defined: frozenset[Value]
    homes: Mapping[Value, Buffer]


class Demand:
    """Answers what roots read, given which virtual values have a stage of their own (`define`)."""

    def __init__(self, kernel: Kernel, classes: AxisClasses) -> None:
        self.classes = classes
        self.producers: dict[Value, Op] = {}
        self.by_serial: dict[int, Value] = {value.serial: value for value in kernel.parameters}
        self.read_values: set[Value] = set()
        self.crossed: Counter[Value] = Counter()
        self.users: defaultdict[Value, list[Op]] = defaultdict(list)
        for op in walk(kernel.body):
            if isinstance(op, Gather):
                self.crossed[op.source] += 1
            self.read_values.update(operands(op))
            for value in operands(op):
                self.users[value].append(op)
            for value in results(op):
                self.by_serial[value.serial] = value
                if is_pure_definition(op):
                    self.producers[value] = op
            for region in regions(op):
                self.by_serial |= {value.serial: value for value in region.args}
        self.defined: set[Value] = set()
        self.homes: dict[Value, Buffer] = {}
        self.sights: dict[tuple[Op, Coordinates], Sight] = {}
        self._seen: dict[Root, Seen] = {}
        self._counted: dict[Value, int] = {}
        self._steps: dict[Value, Step] = {}

    def evaluations(self, value: Value) -> int:
        """About how many virtual elements one element of a value takes, once more for each selection that crosses."""
        op = self.producers.get(value)
        if op is None:
            return 1
        root = define_root(op, value, self.classes, defines=True)
        inner = [self.producers.get(read) for read, _ in self.seen(root).reads]
        crossing = [op.source for op in inner if isinstance(op, Gather) and op.source not in self.defined]
        return len(inner) + sum(self._evaluations_once(source) for source in crossing)

    def _evaluations_once(self, value: Value) -> int:
        if value not in self._counted:
            self._counted[value] = 1
            self._counted[value] = self.evaluations(value)
        return self._counted[value]

    def define(self, value: Value) -> None:
        """From now on a stage computes the value; reading it ends there."""
        self.defined.add(value)
        self._seen.clear()
        self._counted.clear()

    def forget(self, value: Value) -> None:
        """The value is virtual again."""
        self.defined.remove(value)
        self._seen.clear()

    def leave(self, before: frozenset[Value]) -> None:
        """Forgets the definitions made since `before`: their loop ends, and outside of it the values are virtual
        again.
        """
        for value in self.defined - before:
            self.defined.remove(value)
            self.homes.pop(value, None)
        self._seen.clear()

    def stand(self, *ops: Op | None, at: Coordinates = ()) -> None:
        """Remembers what is in sight where the stage of these ops stands, or one that evaluates their value `at`
        loops.
        """
        for op in ops:
            if op is not None:
                self.sights.setdefault((op, at), Sight(frozenset(self.defined), dict(self.homes)))

    def sight(self, root: Root) -> Sight:
        """What is in sight where a root stands, or now where nothing is remembered."""
        found = self.sights.get((root.op, root.at))
        return found or Sight(frozenset(self.defined), self.homes)

    def home(self, root: Root, value: Value) -> Buffer | None:
        """The buffer from which a root reads a value."""
        return self.sight(root).homes.get(value)

    def seen(self, root: Root) -> Seen:
        if root not in self._seen:
            self._seen[root] = self._walk(root)
        return self._seen[root]

    def reads(self, roots: Iterable[Root], value: Value) -> bool:
        return any(value in self.seen(root).values for root in roots)

    def rests_on(self, value: Value, origin: Value) -> bool:
        """Whether a value may be another one for another `origin`; what control flow makes always may."""
        op = self.producers.get(value)
        if op is None or value is origin:
            return value is origin
        named = (self.by_serial[serial] for serial in named_scalars(bounds_of(op)))
        return bool(regions(op)) or any(self.rests_on(read, origin) for read in (*operands(op), *named))

    def _walk(self, root: Root) -> Seen:
        reads: dict[Read, None] = {}
        leaves: dict[Read, None] = {}
        named: dict[Value, None] = {}
        accesses: list[Access] = []
        if isinstance(root.op, EFFECTS):
            accesses.append(access_of(root.op, identity(subject(root.op)), self.producers))
        pending: list[Read] = [*root.reads, *self._named(root.scalars, named)]
        first = set(root.reads) if root.defines else set[Read]()
        defined = self.sight(root).defined
        while pending:
            read = pending.pop()
            if read in reads:
                continue
            reads[read] = None
            value, tokens = read
            op = self.producers.get(value)
            if op is None or (value in defined and read not in first):
                leaves[read] = None
                continue
            if isinstance(op, Load):
                accesses.append(access_of(op, tokens, self.producers))
            step = self._step(op, value)
            pending += (
                (inner, tokens if places is None else tuple(None if p is None else tokens[p] for p in places))
                for inner, places in step.reads
            )
            pending += ((scalar, ()) for scalar in step.named)
            named |= dict.fromkeys(step.named)
        places: defaultdict[Value, list[Tokens]] = defaultdict(list)
        for value, tokens in reads:
            places[value].append(tokens)
        return Seen(tuple(reads), tuple(leaves), tuple(named), tuple(accesses), dict(places))

    def _step(self, op: Op, value: Value) -> Step:
        if value not in self._steps:
            own = identity(value)
            reads = tuple((inner, None if places == own else places) for inner, places in virtual_reads(op, own))
            self._steps[value] = Step(reads, tuple(self.by_serial[s] for s in named_scalars(bounds_of(op))))
        return self._steps[value]

    def _named(self, bounds: Iterable[IntExpr], named: dict[Value, None]) -> list[Read]:
        found = [self.by_serial[serial] for serial in named_scalars(tuple(bounds))]
        named |= dict.fromkeys(found)
        return [(value, ()) for value in found]
