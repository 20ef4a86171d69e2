"""Reads a value back from where it was just stored, where what it was made from is gone: the store overwrote it.

Before:                                              After:
    %1: f32[N] = load %x[%i, :]                          %1: f32[N] = load %x[%i, :]
    %h: f32[N] = add %1, %0                              %h: f32[N] = add %1, %0
    store %x[%i, :], %h                                  store %x[%i, :], %h
    %2: f32[N] = mul %h, %h                              %h: f32[N] = load %x[%i, :]
                                                         %2: f32[N] = mul %h, %h

A sweep that computed `h` again would need a copy of the old elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, operands, regions, results
from intent2cuda.ir.ops import Broadcast, Cast, Gather, Load, Pointwise, Reshape, Store, Transpose
from intent2cuda.ir.terms import Along, Point, Whole
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import Copy, next_serial
from intent2cuda.types.value_type import ViewType

_ELEMENTWISE = (Pointwise, Cast, Broadcast, Reshape, Transpose, Gather)


def run(kernel: Kernel) -> Kernel:
    """The kernel with such reads."""
    return replace(kernel, body=_Reading(kernel).region(kernel.body, Copy()))


class _Reading:
    def __init__(self, kernel: Kernel) -> None:
        self._serial = next_serial(kernel)
        self._made = {result: op for op in walk(kernel.body) for result in results(op)}

    def region(self, region: Region, around: Copy) -> Region:
        copy = Copy()  # what is read here is not known behind the region
        copy.adopt(around)
        arguments = copy.arguments(region)
        ops: list[Op] = []
        for place, op in enumerate(region.ops):
            copied = copy.op(op, lambda inner: self.region(inner, copy))
            ops.append(copied)
            if isinstance(op, Store) and self._is_gone(op) and _is_used(op.value, region.ops[place + 1 :]):
                assert isinstance(copied, Store)
                read = self._read(copied)
                copy.stand_in(op.value, read.result)
                ops.append(read)
        return Region(arguments, tuple(ops))

    def _read(self, store: Store) -> Load:
        """The load of what was stored."""
        result = replace(store.value, serial=self._serial)
        self._serial += 1
        return Load(store.resource, store.terms, result, span=store.span, statement=store.statement)

    def _is_gone(self, store: Store) -> bool:
        """Whether a store puts a tensor, element for element, over what the tensor was computed from."""
        whole = all(isinstance(term, Point | Whole | Along) for term in store.terms)
        is_plain = whole and store.valid is None and isinstance(store.resource.type, ViewType)
        return is_plain and bool(store.value.tensor.shape) and store.resource in self._read_for(store.value)

    def _read_for(self, value: Value) -> Iterator[Value]:
        """What is read when the elements of a value are computed."""
        pending, seen = [value], {value}
        while pending:
            op = self._made.get(pending.pop())
            if isinstance(op, Load):
                yield op.resource
            elif isinstance(op, _ELEMENTWISE):
                new = [operand for operand in operands(op) if operand not in seen]
                seen.update(new)
                pending += new


def _is_used(value: Value, ops: Sequence[Op]) -> bool:
    return any(value in operands(op) or any(_is_used(value, inner.ops) for inner in regions(op)) for op in ops)
