"""Reads and writes of views and buffers beyond the subscript, and atomics."""

from __future__ import annotations

from intent2cuda.language.intrinsic import Index, Product, Resource, Scalar, Shape, Tensor, Value, intrinsic, member
from intent2cuda.types.dtype import DType


@intrinsic
def gather(source: Resource | Tensor, index: Index, valid: Value = True, fill: Value = 0) -> Value:
    """The elements of a view, buffer or tensor at `index`; where `valid` does not hold, `fill`, and nothing is
    touched.

    index: the terms of a subscript, one or a tuple. It also stands without `valid` and `fill`: `source[index]`.
    Shapes: that of the subscript; `valid` and `fill` broadcast to it and do not enlarge it.
    Dtypes: any; `valid` is bool, `fill` has the dtype of the source.
    Refused: `kir.gather.source` anything else to read; `kir.gather.valid` a `valid` of another dtype or a greater
    shape; `kir.load.fill_dtype`, `kir.gather.fill` a fill of another dtype or a greater shape; `kir.index.*` what no
    subscript takes.
    """
    ...


@intrinsic
def scatter_unique(destination: Resource, index: Index, value: Value) -> None:
    """Writes `value` at places of a view or buffer that the author promises to be distinct.

    A plain store `destination[index] = value` is the same promise; where it cannot be proved a note says so.

    Shapes: the value broadcasts to what the index selects.
    Dtypes: any, that of the view.
    Refused: `kir.store.not_injective` an index that is known to meet in an element; `kir.view.write` an In view;
    `kir.store.dtype`, `kir.store.shape` a value that does not fit.
    """
    ...


@intrinsic
def scatter_reduce(destination: Resource, index: Index, value: Value, combine: object) -> None:
    """Adds every element of `value` into its place of a view or buffer, also when many meet in one; no order, and
    nothing is read back.

    combine: `I.add`.
    Shapes: the value broadcasts to what the index selects.
    Dtypes: numbers except f8, that of the view.
    Refused: `kir.scatter.combine` another combination; `kir.scatter.dtype` bool or f8; `kir.view.write` an In view;
    `kir.store.dtype`, `kir.store.shape` a value that does not fit.
    """
    ...


@intrinsic
def buffer(shape: Shape, dtype: DType, init: Value | None = None) -> Resource:
    """Storage of the kernel, private to the execution that creates it: read, written and indexed like a view.

    init: a scalar or a tensor of its shape; without it an element must be written before it is read.
    Dtypes: any.
    Refused: `kir.buffer.dtype`, `kir.buffer.shape`, `kir.shape.negative` what is no dtype or no extent;
    `kir.buffer.init` an `init` of another dtype or shape; `kir.buffer.value` the whole buffer as a value;
    `kir.buffer.escape` a buffer that leaves its body, in a record or by `return`.
    """
    ...


@intrinsic
def store(target: Resource, index: Index, value: Value) -> None:
    """Writes `value` at `index`: the statement `target[index] = value` as a call.

    target: an Out or InOut view, or a buffer.
    Shapes: the value broadcasts to what the index selects.
    Dtypes: any, that of the target; a literal takes it.
    Refused: `kir.view.write` an In view; `kir.value.immutable` a tensor; `kir.store.dtype`, `kir.store.shape` a value
    that does not fit; `kir.index.*` what no subscript takes.
    """
    ...


@intrinsic
def mutable_load(target: Resource, index: Index) -> Value:
    """The elements at `index`: the expression `target[index]` as a call.

    target: a view or a buffer.
    Shapes: that of the selection.
    Dtypes: any, that of the target.
    Refused: `kir.view.undefined` an Out view that nothing has written before; `kir.index.*` what no subscript takes.
    """
    ...


class Atomic:
    """Indivisible reads and writes of an InOut view or a buffer.

    Index terms may select many elements; each is an operation of its own. All operations on one element have one order
    that every point sees. The word `order` says what else is ordered: "relaxed" nothing, "acquire" what follows in the
    kernel, "release" what went before, "acq_rel" both.
    """

    @staticmethod
    @member("atomic")
    def load(target: Resource, index: Index, order: str) -> Value:
        """The elements.

        order: "relaxed" or "acquire".
        Shapes: that of the selection.
        Dtypes: any.
        Refused: `kir.atomic.order` another word; `kir.atomic.view` a view that is not InOut; `kir.value.immutable` a
        tensor.
        """
        ...

    @staticmethod
    @member("atomic")
    def store(target: Resource, index: Index, value: Value, order: str) -> None:
        """Writes the elements.

        order: "relaxed" or "release".
        Shapes: the value broadcasts to the selection.
        Dtypes: any, that of the target.
        Refused: `kir.atomic.order` another word; `kir.atomic.view` a view that is not InOut; `kir.atomic.dtype` another
        dtype; `kir.atomic.value` a use of the call as a value.
        """
        ...

    @staticmethod
    @member("atomic")
    def add(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Adds, and gives the old elements. Integers wrap.

        order: "relaxed", "acquire", "release" or "acq_rel".
        Shapes: the value broadcasts to the selection, and the old elements have its shape.
        Dtypes: numbers except f8, that of the target.
        Refused: `kir.atomic.order` another word; `kir.atomic.view` a view that is not InOut; `kir.atomic.dtype` bool,
        f8, or another dtype than that of the target; `src.atomic.scope` a scope, which is the compiler's.
        """
        ...

    @staticmethod
    @member("atomic")
    def max(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Keeps the greater, and gives the old elements.

        order, Shapes: as for `add`.
        Dtypes: numbers except f8, that of the target.
        Refused: as for `add`.
        """
        ...

    @staticmethod
    @member("atomic")
    def min(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Keeps the smaller, and gives the old elements.

        order, Shapes: as for `add`.
        Dtypes: numbers except f8, that of the target.
        Refused: as for `add`.
        """
        ...

    @staticmethod
    @member("atomic")
    def exchange(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Replaces, and gives the old elements.

        order, Shapes: as for `add`.
        Dtypes: any, that of the target.
        Refused: as for `add`.
        """
        ...

    @staticmethod
    @member("atomic")
    def and_(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Bitwise and; gives the old elements.

        order, Shapes: as for `add`.
        Dtypes: integers, that of the target.
        Refused: as for `add`; `kir.atomic.dtype` floats.
        """
        ...

    @staticmethod
    @member("atomic")
    def or_(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Bitwise or; gives the old elements.

        order, Shapes: as for `add`.
        Dtypes: integers, that of the target.
        Refused: as for `add`; `kir.atomic.dtype` floats.
        """
        ...

    @staticmethod
    @member("atomic")
    def xor(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Bitwise exclusive or; gives the old elements.

        order, Shapes: as for `add`.
        Dtypes: integers, that of the target.
        Refused: as for `add`; `kir.atomic.dtype` floats.
        """
        ...

    @staticmethod
    @member("atomic")
    def compare_exchange(target: Resource, index: Index, expected: Value, desired: Value, order: str) -> Product:
        """Replaces elements that have the bits of `expected` by `desired`; gives record(old_value, success).

        order: as for `add`; where it fails the operation orders as the load in it.
        Shapes: `expected` and `desired` broadcast to the selection; the fields of the record have its shape.
        Dtypes: any, that of the target; `success` is bool. Bits are compared: 0.0 is not -0.0, a NaN is itself.
        Refused: as for `add`; `src.call.unknown_argument` an order of its own for failures.
        """
        ...


atomic = Atomic()


class Random:
    """Counter-based random numbers (Philox4x32-10): equal seeds and counters give equal numbers on every target.

    There is no state: a number depends on nothing but seed and counter.
    """

    @staticmethod
    @member("random")
    def bits(seed: Scalar, logical_counter: Value) -> Value:
        """32 random bits for each counter.

        Shapes: that of the counter.
        Dtypes: a u64 scalar as seed, u64 or index counters, u32 bits.
        Refused: `kir.rng.seed`, `kir.rng.counter` other dtypes, or a tensor as seed.
        """
        ...

    @staticmethod
    @member("random")
    def uniform(seed: Scalar, logical_counter: Value, dtype: DType) -> Value:
        """Numbers of [0, 1) for each counter: the upper 24 of its bits times 2^-24.

        dtype: f32.
        Shapes: that of the counter.
        Dtypes: a u64 scalar as seed, u64 or index counters, f32 numbers.
        Refused: `kir.rng.dtype` another dtype; `kir.rng.seed`, `kir.rng.counter` as for `bits`.
        """
        ...


random = Random()
