"""Values element by element: constants, scalar functions, conversions, changes of shape, random bits."""

from __future__ import annotations

from intent2cuda.ir import ops

from .scalars import Number, converted, fit, reinterpreted
from .scalars import evaluate as apply
from .state import Place, State, places


def constant(state: State, op: ops.Constant) -> None:
    state.define(op.result, (), lambda _: fit(op.result.tensor.dtype, op.value))


def pointwise(state: State, op: ops.Pointwise) -> None:
    args = [state.table(a) for a in op.args]
    dtype = op.result.tensor.dtype
    state.define(op.result, args[0].shape, lambda at: apply(op.fn, dtype, *(a.get(at) for a in args)))


def inspect(state: State, op: ops.Inspect) -> None:
    holds = state.table(op.holds)
    state.define(op.result, holds.shape, holds.get)


def cast(state: State, op: ops.Cast) -> None:
    source, dtypes = state.table(op.source), (op.source.tensor.dtype, op.result.tensor.dtype)
    state.define(op.result, source.shape, lambda at: converted(source.get(at), *dtypes))


def bitcast(state: State, op: ops.Bitcast) -> None:
    source, dtypes = state.table(op.source), (op.source.tensor.dtype, op.result.tensor.dtype)
    state.define(op.result, source.shape, lambda at: reinterpreted(source.get(at), *dtypes))


def broadcast(state: State, op: ops.Broadcast) -> None:
    source, shape = state.table(op.source), state.shape(op.result)
    for axis, extent in zip(op.axes, shape, strict=True):
        assert axis is None or source.shape[axis] in (1, extent)

    def element(at: Place) -> Number:
        mapped = [at[axis] for axis, read in enumerate(op.axes) if read is not None]
        return source.get(tuple(0 if extent == 1 else c for c, extent in zip(mapped, source.shape, strict=True)))

    state.define(op.result, shape, element)


def reshape(state: State, op: ops.Reshape) -> None:
    source, shape = state.table(op.source), state.shape(op.result)
    in_order = dict(zip(places(shape), places(source.shape), strict=True))
    state.define(op.result, shape, lambda at: source.get(in_order[at]))


def transpose(state: State, op: ops.Transpose) -> None:
    source = state.table(op.source)
    shape = tuple(source.shape[axis] for axis in op.permutation)
    inverse = [op.permutation.index(axis) for axis in range(len(shape))]
    state.define(op.result, shape, lambda at: source.get(tuple(at[axis] for axis in inverse)))


def join(state: State, op: ops.Join) -> None:
    pair = state.table(op.lhs), state.table(op.rhs)
    state.define(op.result, (*pair[0].shape, 2), lambda at: pair[at[-1]].get(at[:-1]))


def dim(state: State, op: ops.Dim) -> None:
    state.define(op.result, (), lambda _: fit(op.result.tensor.dtype, state.integer(op.expression)))


def indices(state: State, op: ops.Indices) -> None:
    members = state.members(op.domain)
    state.define(op.result, (len(members),), lambda at: members[at[0]])


LOW = (1 << 32) - 1


def philox(state: State, op: ops.Philox) -> None:
    seed, counter = int(state.scalar(op.seed)), state.table(op.counter)
    state.define(op.result, counter.shape, lambda at: random_bits(seed, int(counter.get(at))))


def random_bits(seed: int, logical_counter: int) -> int:
    """The word of Philox4x32-10 that belongs to a counter."""
    block, word = divmod(logical_counter % (1 << 64), 4)
    return philox_block((block & LOW, block >> 32, 0, 0), (seed & LOW, seed >> 32))[word]


def philox_block(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c0, 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * c2, 1 << 32)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) & LOW, (k1 + 0xBB67AE85) & LOW
    return c0, c1, c2, c3
