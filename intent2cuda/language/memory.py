"""Reads and writes of views and buffers beyond the subscript, and atomics."""

from __future__ import annotations

from intent2cuda.language.intrinsic import Index, Product, Resource, Scalar, Shape, Tensor, Value, intrinsic, member
from intent2cuda.types.dtype import DType


@intrinsic
def gather(source: Resource | Tensor, index: Index, valid: Value = True, fill: Value = 0) -> Value:
    """The elements of a view or tensor at `index` where `valid` holds, else `fill`, and nothing is touched."""
    ...


@intrinsic
def scatter_unique(destination: Resource, index: Index, value: Value) -> None:
    """Writes `value` at places of a view that the author promises to be distinct."""
    ...


@intrinsic
def scatter_reduce(destination: Resource, index: Index, value: Value, combine: object) -> None:
    """Combines every element of `value` into its place of a view, also when many meet in one; `combine` is `I.add`."""
    ...


@intrinsic
def buffer(shape: Shape, dtype: DType, init: Value | None = None) -> Resource:
    """Storage of the kernel, private to the execution that creates it.

    init: a scalar or a tensor; without it an element must be written before it is read.
    """
    ...


@intrinsic
def store(target: Resource, index: Index, value: Value) -> None:
    """`target[index] = value`."""
    ...


@intrinsic
def mutable_load(target: Resource, index: Index) -> Value:
    """`target[index]`."""
    ...


class Atomic:
    """Indivisible reads and writes. Index terms may select many elements; each is an operation of its own."""

    @staticmethod
    @member("atomic")
    def load(target: Resource, index: Index, order: str) -> Value:
        """The elements; order: "relaxed" or "acquire"."""
        ...

    @staticmethod
    @member("atomic")
    def store(target: Resource, index: Index, value: Value, order: str) -> None:
        """Writes the elements; order: "relaxed" or "release"."""
        ...

    @staticmethod
    @member("atomic")
    def add(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Adds, and gives the old elements; order: "relaxed", "acquire", "release" or "acq_rel"."""
        ...

    @staticmethod
    @member("atomic")
    def max(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Keeps the greater, and gives the old elements."""
        ...

    @staticmethod
    @member("atomic")
    def min(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Keeps the smaller, and gives the old elements."""
        ...

    @staticmethod
    @member("atomic")
    def exchange(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Replaces, and gives the old elements."""
        ...

    @staticmethod
    @member("atomic")
    def and_(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Bitwise and of integers; gives the old elements."""
        ...

    @staticmethod
    @member("atomic")
    def or_(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Bitwise or of integers; gives the old elements."""
        ...

    @staticmethod
    @member("atomic")
    def xor(target: Resource, index: Index, value: Value, order: str) -> Value:
        """Bitwise exclusive or of integers; gives the old elements."""
        ...

    @staticmethod
    @member("atomic")
    def compare_exchange(target: Resource, index: Index, expected: Value, desired: Value, order: str) -> Product:
        """Replaces elements that equal `expected`; gives record(old_value, success)."""
        ...


atomic = Atomic()


class Random:
    """Counter-based random numbers (Philox4x32-10): equal seeds and counters give equal numbers on every target."""

    @staticmethod
    @member("random")
    def bits(seed: Scalar, logical_counter: Value) -> Value:
        """32 random bits (u32) for each counter; seed: u64 scalar, counter: u64 or index."""
        ...

    @staticmethod
    @member("random")
    def uniform(seed: Scalar, logical_counter: Value, dtype: DType) -> Value:
        """Numbers of [0, 1) for each counter: the upper 24 bits times 2^-24; dtype: f32."""
        ...


random = Random()
