"""Reads, writes, atomic accesses and buffers, one element at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from intent2cuda.ir import ops
from intent2cuda.ir.ops import Combiner, Update
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole

from .scalars import Number
from .scalars import evaluate as apply
from .state import Place, State, Table, View, places

Storage = Table | View
Access = ops.AtomicLoad | ops.AtomicStore | ops.AtomicUpdate | ops.CompareExchange | ops.ScatterReduce

UPDATE = {
    Update.ADD: "add",
    Update.MAX: "maximum",
    Update.MIN: "minimum",
    Update.AND: "bit_and",
    Update.OR: "bit_or",
    Update.XOR: "bit_xor",
}


def selected(state: State, terms: Sequence[Term], sizes: Place) -> tuple[Place, Callable[[Place], Place]]:
    """The shape of an access, and the place in the storage of each place in the result."""
    shape: list[int] = []
    reads: list[Callable[[Place], int]] = []
    lanes_from: int | None = None
    for term, size in zip(terms, sizes, strict=True):
        axis = len(shape)
        match term:
            case Point(index):
                position = int(state.scalar(index))
                reads.append(lambda _, position=position: position)
            case Lanes(index):
                table = state.table(index)
                if lanes_from is None:
                    lanes_from = axis
                    shape += table.shape
                reads.append(lambda at, t=table, first=lanes_from: int(t.get(at[first : first + len(t.shape)])))
            case Whole() | Slice() | Along():
                members = _members(state, term, size)
                shape.append(len(members))
                reads.append(lambda at, axis=axis, members=members: members[at[axis]])
    return tuple(shape), lambda at: tuple(read(at) for read in reads)


def _members(state: State, term: Whole | Slice | Along, size: int) -> Sequence[int]:
    match term:
        case Whole():
            return range(size)
        case Slice():
            begin = int(state.scalar(term.begin))
            return range(begin, begin + max(0, state.integer(term.extent)))
        case Along():
            return state.members(term.domain)


def load(state: State, op: ops.Load | ops.Gather) -> None:
    storage = state.table(op.resource if isinstance(op, ops.Load) else op.source)
    shape, place = selected(state, op.terms, storage.shape)
    valid = None if op.valid is None else state.table(op.valid)
    fill = None if op.fill is None else state.table(op.fill)

    def element(at: Place) -> Number:
        return storage.get(place(at)) if valid is None or fill is None or valid.get(at) else fill.get(at)

    state.define(op.result, shape, element)


def store(state: State, op: ops.Store) -> None:
    storage, value = state.table(op.resource), state.table(op.value)
    shape, place = selected(state, op.terms, storage.shape)
    for at in places(shape):
        if op.valid is None or state.table(op.valid).get(at):
            storage.put(place(at), value.get(at))


def allocate(state: State, op: ops.Allocate) -> None:
    initial = None if op.init is None else state.table(op.init)
    shape = state.shape(op.result)
    state.define(op.result, shape, lambda at: 0 if initial is None else initial.get(at if initial.shape else ()))


def _each(state: State, op: Access) -> tuple[Place, list[tuple[Place, Place]], Storage]:
    """The shape of an access and, in an order of chance, each place of its result with its place in the storage."""
    storage = state.table(op.resource)
    shape, place = selected(state, op.terms, storage.shape)
    pairs = [(at, place(at)) for at in places(shape)]
    state.shuffle.shuffle(pairs)
    return shape, pairs, storage


def atomic_load(state: State, op: ops.AtomicLoad) -> None:
    shape, pairs, storage = _each(state, op)
    state.values[op.result.serial] = Table(shape, {at: storage.get(to) for at, to in pairs})


def atomic_store(state: State, op: ops.AtomicStore) -> None:
    _, pairs, storage = _each(state, op)
    for at, to in pairs:
        storage.put(to, state.table(op.value).get(at))


def atomic_update(state: State, op: ops.AtomicUpdate) -> None:
    shape, pairs, storage = _each(state, op)
    value, dtype = state.table(op.value), op.value.tensor.dtype
    old: dict[Place, Number] = {}
    for at, to in pairs:
        old[at] = storage.get(to)
        exchanged = op.update is Update.EXCHANGE
        storage.put(to, value.get(at) if exchanged else apply(UPDATE[op.update], dtype, old[at], value.get(at)))
    state.values[op.result.serial] = Table(shape, old)


def compare_exchange(state: State, op: ops.CompareExchange) -> None:
    shape, pairs, storage = _each(state, op)
    expected, desired = state.table(op.expected), state.table(op.desired)
    old: dict[Place, Number] = {}
    for at, to in pairs:
        old[at] = storage.get(to)
        if old[at] == expected.get(at):
            storage.put(to, desired.get(at))
    state.values[op.results[0].serial] = Table(shape, old)
    state.define(op.results[1], shape, lambda at: old[at] == expected.get(at))


def scatter_reduce(state: State, op: ops.ScatterReduce) -> None:
    assert op.combiner is Combiner.ADD
    _, pairs, storage = _each(state, op)
    for at, to in pairs:
        added = apply("add", op.value.tensor.dtype, storage.get(to), state.table(op.value).get(at))
        storage.put(to, added)
