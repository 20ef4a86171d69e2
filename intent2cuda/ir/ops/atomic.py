"""Indivisible accesses, and updates that may meet. Each element that the terms select is an operation of its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from intent2cuda.ir.op import Op
from intent2cuda.ir.ops.structured import Combiner
from intent2cuda.ir.terms import Term
from intent2cuda.ir.value import Value


class Order(Enum):
    """What an atomic access orders around itself."""

    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"


class Update(Enum):
    """What an atomic read-modify-write does with the old element."""

    ADD = "add"
    MAX = "max"
    MIN = "min"
    EXCHANGE = "exchange"
    AND = "and"
    OR = "or"
    XOR = "xor"


@dataclass(frozen=True, eq=False)
class AtomicLoad(Op):
    """The elements. Order: relaxed or acquire."""

    resource: Value
    terms: tuple[Term, ...]
    order: Order
    result: Value


@dataclass(frozen=True, eq=False)
class AtomicStore(Op):
    """Writes a value of the shape that the terms select. Order: relaxed or release."""

    resource: Value
    terms: tuple[Term, ...]
    value: Value
    order: Order


@dataclass(frozen=True, eq=False)
class AtomicUpdate(Op):
    """Changes the elements by a value of the shape that the terms select; the result is what they were."""

    update: Update
    resource: Value
    terms: tuple[Term, ...]
    value: Value
    order: Order
    result: Value


@dataclass(frozen=True, eq=False)
class CompareExchange(Op):
    """Writes `desired` where the element equals `expected`. Results: (what it was, whether it was written).

    A failure orders as the load that is part of `order`.
    """

    resource: Value
    terms: tuple[Term, ...]
    expected: Value
    desired: Value
    order: Order
    results: tuple[Value, Value]


@dataclass(frozen=True, eq=False)
class ScatterReduce(Op):
    """Combines each element of a value into its place, also where several meet, in any order; nothing is read back."""

    combiner: Combiner
    resource: Value
    terms: tuple[Term, ...]
    value: Value
