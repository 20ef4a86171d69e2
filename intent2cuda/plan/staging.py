"""From ops to a tree of stages, without levels: what runs in which loop, in which order, and what is kept where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Region, results
from intent2cuda.ir.ops import (
    Allocate,
    ArgReduce,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    CompareExchange,
    Contract,
    For,
    If,
    Parallel,
    Reduce,
    RequireEqual,
    ScatterReduce,
    Store,
    While,
    Yield,
)
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import AxisClasses, yielded
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.effects import Atomic, subject
from intent2cuda.plan.facts import Sizes
from intent2cuda.plan.items import Item, Kind, end_item, region_items, update_item
from intent2cuda.plan.keeping import Keeping, Pure
from intent2cuda.plan.naming import AxisMaker
from intent2cuda.plan.nests import flattened
from intent2cuda.plan.peeling import Group, Peeling, values_of
from intent2cuda.plan.roots import Root, define_root, is_pure_definition
from intent2cuda.plan.scope import Scope
from intent2cuda.plan.siblings import Siblings
from intent2cuda.plan.snapshots import with_snapshots
from intent2cuda.plan.stage import (
    CHANGES_PLACES,
    Access,
    Allocation,
    Axis,
    BoundAxis,
    Branch,
    Buffer,
    Carry,
    Check,
    Coordinates,
    Effect,
    Fold,
    Implementation,
    Keep,
    Let,
    Level,
    Loop,
    Points,
    Product,
    Role,
    Stage,
)
from intent2cuda.plan.tails import Tails
from intent2cuda.types.value_type import Shape

OPEN = Implementation("open")
"""Stands in every stage until an implementation is bound."""


@dataclass(frozen=True)
class Draft:
    """A stage tree whose levels, spaces and implementations are open, and the storage it needs.

    `by_cost`: the values that are stored because that is cheaper, not because they must be.
    """

    kernel: Kernel
    stages: tuple[Stage, ...]
    buffers: tuple[Buffer, ...]
    demand: Demand
    by_cost: frozenset[Value]
    policy: Policy


@dataclass(frozen=True)
class Policy:
    """What is legal either way. `keep`: expensive values that several sweeps read are stored by the first one, not
    computed again.

    `side_by_side`: a reduction across contiguous columns runs for all of them at once, not column by column.
    `fuse`: what has common free axes runs together, member by member; otherwise each statement is a nest of its own.
    """

    keep: bool
    side_by_side: bool
    fuse: bool = True


def draft(kernel: Kernel, policy: Policy) -> Draft:
    """The stage tree of a kernel."""
    stager = _Stager(kernel, policy)
    stages = stager.region(kernel.body, Scope({}), (), ())
    by_cost = frozenset(stager.keeping.by_cost)
    return Draft(kernel, tuple(stages), tuple(stager.axes.buffers), stager.demand, by_cost, policy)


class _Stager:
    def __init__(self, kernel: Kernel, policy: Policy) -> None:
        self.classes = AxisClasses(kernel)
        self.demand = Demand(kernel, self.classes)
        self.peeling = Peeling(self.demand, policy.side_by_side, policy.fuse)
        self.keeping = Keeping(self.demand, self.peeling, policy.keep)
        self.siblings = Siblings(self.demand, self.peeling)
        self.tails = Tails(self.demand, self.peeling)
        self.axes = AxisMaker(kernel)
        self.sizes = Sizes(kernel)
        self.homes = self.demand.homes
        self.stages = 0

    def region(self, region: Region, scope: Scope, updates: Sequence[Item], local: tuple[Value, ...]) -> list[Stage]:
        """The stages of a region: its ops, then the updates, then what it yields in locals."""
        items = region_items(region, self.classes)
        items += [*updates, end_item(len(region.ops), yielded(region), local, self.classes)]
        pure = {
            value: (position, op)
            for position, op in enumerate(region.ops)
            if is_pure_definition(op)
            for value in results(op)
        }
        return self._emit(with_snapshots(region, items, self.demand), scope, pure)

    def _emit(self, items: list[Item], scope: Scope, pure: Pure) -> list[Stage]:
        named = self.keeping.with_locals(items, scope.classes, pure)
        joined = self.siblings.joined(self.keeping.with_epilogues(named), scope.classes)
        groups = self.peeling.groups(joined, scope.classes)
        groups = self.keeping.with_kept(groups, scope.classes, scope.depth, pure)
        groups = self.tails.with_tails(groups, pure)
        absorbed = self.keeping.absorbed(groups, scope.classes)
        stages: list[Stage] = []
        for number, group in enumerate(groups):
            first = group.items[0]
            if first in absorbed:
                continue
            self._give_homes(group, groups[number + 1 :], scope)
            if group.peeled:
                stages.append(self._peeled(group, scope, pure))
            else:
                mine = [definition for definition, reduction in absorbed.items() if reduction is first]
                stages += self._single(first, scope, mine, groups[number + 1 :])
        return stages

    def _give_homes(self, group: Group, later: Sequence[Group], scope: Scope) -> None:
        """A buffer for each value of a group that later groups read and that has axes of the group's loop."""
        for value in sorted(values_of(group), key=lambda v: v.serial):
            if group.peeled and value not in self.homes and self._read(value, later):
                self._home(value, scope, "later stages read it")

    def _read(self, value: Value, groups: Sequence[Group]) -> bool:
        return any(self.demand.reads(item.roots, value) for group in groups for item in group.items)

    def _home(self, value: Value, scope: Scope, reason: str) -> Buffer:
        """The buffer of a value for the axes that no loop around binds."""
        if value not in self.homes:
            kept = tuple(n for n, c in enumerate(self.classes.every(value)) if c not in scope.bound)
            extents = tuple(value.tensor.shape[n] for n in kept)
            self.homes[value] = self._buffer(value, kept, extents, reason, scope)
        return self.homes[value]

    def _buffer(self, value: Value, kept: tuple[int, ...], extents: Shape, reason: str, scope: Scope) -> Buffer:
        return self.axes.buffer(value, kept, extents, reason, scope.nest)

    def _stage_id(self) -> str:
        self.stages += 1
        return f"s{self.stages}"

    def _nest(self, name: str, axes: Sequence[Axis], body: Sequence[Stage], op: Parallel | None = None) -> Points:
        bound = tuple(BoundAxis(axis, Level.SERIAL, "") for axis in axes)
        return Points(name, bound, tuple(body), OPEN, self.sizes.nest(axes, body), op)

    def _around(self, axes: Sequence[Axis], body: list[Stage]) -> list[Stage]:
        return [self._nest(self._stage_id(), axes, body)] if axes else body

    def _peeled(self, group: Group, scope: Scope, pure: Pure) -> Stage:
        axes: dict[int, Axis] = {}
        for axis_class in group.peeled:
            names = scope.names.union(axis.name for axis in axes.values())
            axes[axis_class] = self.axes.along(_extent(group, axis_class), Role.FREE, names)
        name = self._stage_id()
        inner = scope.inside(axes, [axis.name for axis in axes.values()], name)
        before = frozenset(self.demand.defined)
        body = self._emit(list(group.items), inner, pure)
        self.demand.leave(before)
        return self._nest(name, list(axes.values()), body)

    def _at(self, value: Value, scope: Scope) -> tuple[Coordinates, list[Axis]]:
        """A coordinate for each axis of a value, and those of them that are new."""
        at: list[Axis] = []
        fresh: list[Axis] = []
        for position, axis_class in enumerate(self.classes.every(value)):
            if axis_class in scope.bound:
                at.append(scope.bound[axis_class])
                continue
            names = scope.names.union(axis.name for axis in fresh)
            fresh.append(self.axes.along(value.tensor.shape[position], Role.FREE, names))
            at.append(fresh[-1])
        return tuple(at), fresh

    def _single(self, item: Item, scope: Scope, absorbed: Sequence[Item], later: Sequence[Group]) -> list[Stage]:
        for definition in absorbed:
            if definition.value is not None:
                self._home(definition.value, scope, "computed once: this sweep stores it, later ones read it")
        self.demand.stand(item.op, item.epilogue)
        if item.kind is Kind.END:
            return []
        if item.kind is Kind.DEFINE and item.value is not None:
            return self._define(item.value, scope, self._read(item.value, later))
        if item.kind is Kind.UPDATE and item.value is not None and item.buffer is not None:
            return self._fill(item.value, item.buffer, scope)
        match item.op:
            case Store():
                at, fresh = self._at(item.op.value, scope)
                return self._around(fresh, [Effect(item.op, at, once=False)])
            case AtomicLoad() | AtomicStore() | AtomicUpdate() | CompareExchange() | ScatterReduce():
                return self._access(item.op, scope, later)
            case Reduce() | ArgReduce():
                return self._reduce(item, item.op, scope, absorbed)
            case Contract():
                return self._contract(item, item.op, scope)
            case For() | While():
                return self._loop(item.op, scope)
            case If():
                return self._branch(item.op, scope)
            case Parallel():
                return [self._parallel(item.op, scope)]
            case Allocate():
                return self._allocate(item.op, scope)
            case RequireEqual():
                return [Check(item.op)]
            case _:
                raise AssertionError(f"no stage for {type(item.op).__name__}")

    def _access(self, op: Atomic, scope: Scope, later: Sequence[Group]) -> list[Stage]:
        at, fresh = self._at(subject(op), scope)
        for result in results(op) if fresh else ():
            if self._read(result, later):
                self._home(result, scope, "what the elements were is kept for later stages")
        kept = [stage for result in results(op) for stage in self._keep_home(result, at)]
        return self._around(fresh, [Access(op, at, once=False), *kept])

    def _define(self, value: Value, scope: Scope, read_here: bool) -> list[Stage]:
        at, fresh = self._at(value, scope)
        self.demand.stand(self.demand.producers.get(value), at=at)
        if fresh:
            home = self._home(value, scope, "it is read more than once, or memory changes before its last use")
            return self._around(fresh, [Keep(value, at, home)])
        local = [Let(value, at)] if read_here or value not in self.homes else []
        return [*local, *self._keep_home(value, at)]

    def _keep_home(self, value: Value, at: Coordinates) -> list[Stage]:
        return [Keep(value, at, self.homes[value])] if value in self.homes else []

    def _fill(self, value: Value, buffer: Buffer, scope: Scope) -> list[Stage]:
        at, fresh = self._at(value, scope)
        self.demand.stand(self.demand.producers.get(value), at=at)
        return self._around(fresh, [Keep(value, at, buffer)])

    def _reduce(self, item: Item, op: Reduce | ArgReduce, scope: Scope, absorbed: Sequence[Item]) -> list[Stage]:
        root = item.roots[0]
        at, fresh = self._at(results(op)[0], scope)
        names = scope.names.union(axis.name for axis in fresh)
        axes: list[Axis] = []
        for extent in root.extents[root.rank :]:
            axes.append(self.axes.along(extent, Role.REDUCTION, names.union(axis.name for axis in axes)))
        outer, over = (fresh[:-1], (fresh[-1],)) if fresh else (fresh, ())
        if fresh:
            reason = "what all columns come to is kept" if isinstance(op, Reduce) else "the best of all columns is kept"
            for result in results(op):
                self._home(result, scope, f"{reason} until the last row is in")
        into = tuple(self.homes[result] for result in results(op)) if over else ()
        keeps = tuple(self._kept(each.value, root, (*at, *axes)) for each in absorbed if each.value)
        fold = Fold(self._stage_id(), op, at, tuple(axes), Level.SERIAL, OPEN, keeps, over, into, beside=item.beside)
        body: list[Stage] = [fold]
        if not over:
            body += [stage for each in fold.ops for result in results(each) for stage in self._keep_home(result, at)]
        return self._around(outer, body)

    def _kept(self, value: Value, root: Root, axes: Coordinates) -> Keep:
        """The store of an operand's element while a reduction visits it."""
        tokens = next(t for read, t in self.demand.seen(root).reads if read is value)
        at = tuple(axes[token] for token in tokens if token is not None)
        self.demand.stand(self.demand.producers.get(value), at=at)
        return Keep(value, at, self.homes[value])

    def _contract(self, item: Item, op: Contract, scope: Scope) -> list[Stage]:
        root = item.roots[0]
        at, fresh = self._at(op.result, scope)
        rows, columns = (at[position] for position in root.inner)
        names = scope.names.union(axis.name for axis in fresh)
        depth = self.axes.along(root.extents[root.rank], Role.REDUCTION, names)
        into, epilogue = None, None
        if item.epilogue is None:
            into = self._home(op.result, scope, "a sum is complete only when the whole depth is in")
        else:
            read = next(t for value, t in self.demand.seen(item.roots[1]).reads if value is op.result)
            order = {token: at[position] for position, token in enumerate(read)}
            epilogue = Effect(item.epilogue, tuple(order[n] for n in range(len(at))), once=False)
        product = Product(self._stage_id(), op, at, rows, columns, depth, Level.SERIAL, OPEN, into, epilogue)
        return self._around([axis for axis in fresh if axis not in (rows, columns)], [product])

    def _loop(self, op: For | While, scope: Scope) -> list[Stage]:
        arguments = op.body.args[1:] if isinstance(op, For) else op.body.args
        following = yielded(op.body)
        carries, updates, local = list[Carry](), list[Item](), list[Value]()
        start: list[Stage] = []
        for index, (argument, value) in enumerate(zip(arguments, following.values, strict=True)):
            at, fresh = self._at(argument, scope)
            if not fresh:
                carries.append(Carry(index, at))
                local.append(value)
                continue
            buffer = self._home(op.results[index], scope, "the loop carries it from round to round")
            self.homes[argument] = buffer
            spare = self._spare(argument, index, following, buffer)
            carries.append(Carry(index, (), buffer, spare))
            start += self._fill(op.initial[index], buffer, scope)
            target, overwrites = (spare, None) if spare else (buffer, argument)
            updates.append(update_item(len(op.body.ops), op, following, value, target, self.classes, overwrites))
        if isinstance(op, While):
            for argument, other in zip(arguments, op.test.args, strict=True):
                if argument in self.homes:
                    self.homes[other] = self.homes[argument]
        inner = scope.inside({}, [op.body.args[0].name] if isinstance(op, For) else [])
        stop = (following.stop,) if following.stop else ()
        test = self.region(op.test, inner, (), yielded(op.test).values) if isinstance(op, While) else []
        body = self.region(op.body, inner, updates, (*local, *stop))
        loop = Loop(self._stage_id(), op, tuple(carries), tuple(start), tuple(body), tuple(test))
        return [loop, *self._keep_merged(op.results, carries)]

    def _spare(self, argument: Value, index: int, end: Yield, buffer: Buffer) -> Buffer | None:
        """A second buffer, when the next value needs elements of the old one that would be overwritten before."""
        for number, value in enumerate(end.values):
            root = define_root(end, value, self.classes)
            for read, tokens in self.demand.seen(root).reads:
                if read is argument and (number != index or tokens != tuple(range(len(tokens)))):
                    return self.axes.again(buffer, CHANGES_PLACES)
        return None

    def _keep_merged(self, merged: Sequence[Value], carries: Sequence[Carry]) -> list[Stage]:
        """Merged values that live in locals but are read outside of the loop around go to their buffers."""
        locals_ = [(merged[carry.index], carry.at) for carry in carries if carry.buffer is None]
        return [stage for value, at in locals_ for stage in self._keep_home(value, at)]

    def _branch(self, op: If, scope: Scope) -> list[Stage]:
        merges: list[Carry] = []
        targets: list[Buffer | None] = []
        for index, result in enumerate(op.results):
            at, fresh = self._at(result, scope)
            targets.append(self._home(result, scope, "both branches fill it") if fresh else None)
            merges.append(Carry(index, () if fresh else at, targets[-1]))
        bodies: list[tuple[Stage, ...]] = []
        for body in (op.then_body, op.else_body):
            end = yielded(body)
            pairs = list(zip(end.values, targets, strict=True))
            updates = [update_item(len(body.ops), op, end, v, t, self.classes) for v, t in pairs if t is not None]
            bodies.append(tuple(self.region(body, scope, updates, tuple(v for v, t in pairs if t is None))))
        branch = Branch(self._stage_id(), op, tuple(merges), bodies[0], bodies[1])
        return [branch, *self._keep_merged(op.results, merges)]

    def _parallel(self, op: Parallel, scope: Scope) -> Stage:
        nest, body = flattened(op)
        axes: list[Axis] = []
        for domain, point in nest:
            axes.append(self.axes.of_domain(domain, point, scope.names.union(axis.name for axis in axes)))
        name = self._stage_id()
        inner = Scope({}, scope.names.union(axis.name for axis in axes), scope.depth + 1, (*scope.nest, name))
        return self._nest(name, axes, self.region(body, inner, (), ()), op)

    def _allocate(self, op: Allocate, scope: Scope) -> list[Stage]:
        shape = op.result.resource.shape
        reason = "the author's buffer" if op.origin is None else "put together element by element before it is read"
        buffer = self._buffer(op.result, tuple(range(len(shape))), shape, reason, scope)
        self.homes[op.result] = buffer
        stages: list[Stage] = [Allocation(buffer)]
        if op.init is not None:
            fresh: list[Axis] = []
            for extent in shape:
                fresh.append(self.axes.along(extent, Role.FREE, scope.names.union(axis.name for axis in fresh)))
            stages += self._around(fresh, [Keep(op.init, tuple(fresh), buffer)])
        return stages


def _extent(group: Group, axis_class: int) -> IntExpr:
    for item in group.items:
        for root in item.roots:
            if axis_class in root.classes[: root.rank]:
                return root.extents[root.classes.index(axis_class)]
    raise AssertionError("a peeled class is an axis of a root")
