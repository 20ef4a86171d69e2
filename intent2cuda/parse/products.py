"""Tuples and records leaf by leaf: two of one form are paired, a mismatch is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from intent2cuda.ir.value import Value
from intent2cuda.parse.describe import described
from intent2cuda.parse.values import Extent, Literal, Record, Tuple, Val
from intent2cuda.types.value_type import TensorType

Pairing = Callable[[str, Val, Val], Val]


class MismatchError(Exception):
    """Two values of different form; the text says in what they differ, `help` what to do where that is known."""

    def __init__(self, difference: str, help: str = "") -> None:
        super().__init__(difference)
        self.help = help


class NoValueError(Exception):
    """A leaf that is no scalar or tensor and can therefore not be chosen at run time."""


def pair(name: str, lhs: Val, rhs: Val, leaf: Pairing, *, every: bool = False) -> Val:
    """A value of the common form, each leaf made by `leaf(name, lhs, rhs)`; what is one and the same on both sides only
    with `every`.

    Raises: MismatchError, NoValueError.
    """
    match lhs, rhs:
        case Tuple(), Tuple():
            if len(lhs.items) != len(rhs.items):
                raise MismatchError(f"{form(lhs)} and {form(rhs)}")
            pairs = enumerate(zip(lhs.items, rhs.items, strict=True))
            return Tuple(tuple(pair(f"{name}_{k}" if name else "", a, b, leaf, every=every) for k, (a, b) in pairs))
        case Record(), Record():
            names = [[field for field, _ in side.fields] for side in (lhs, rhs)]
            if names[0] != names[1]:
                raise MismatchError(f"{form(lhs)} and {form(rhs)}")
            fields = zip(lhs.fields, rhs.fields, strict=True)
            made = ((f, pair(f"{name}_{f}" if name else "", a, b, leaf, every=every)) for (f, a), (_, b) in fields)
            return Record(tuple(made))
        case Tuple() | Record(), _:
            raise MismatchError(f"{form(lhs)} and {form(rhs)}")
        case _, Tuple() | Record():
            raise MismatchError(f"{form(lhs)} and {form(rhs)}")
        case _:
            if lhs == rhs and not every:
                return lhs if lhs is rhs or not isinstance(lhs, Value) else leaf(name, lhs, rhs)
            for side in (lhs, rhs):
                if not is_leaf(side):
                    raise NoValueError(described(side))
            return leaf(name, lhs, rhs)


def each(name: str, value: Val, leaf: Callable[[str, Val], Val]) -> Val:
    """The value with every leaf replaced. Raises NoValueError."""
    match value:
        case Tuple():
            return Tuple(tuple(each(f"{name}_{k}", item, leaf) for k, item in enumerate(value.items)))
        case Record():
            return Record(tuple((f, each(f"{name}_{f}", item, leaf)) for f, item in value.fields))
        case _:
            if not is_leaf(value):
                raise NoValueError(described(value))
            return leaf(name, value)


def leaves(value: Val) -> Iterator[Val]:
    """The members of a product and of the products in it, in order; a value that is no product is its own only leaf."""
    match value:
        case Tuple():
            for item in value.items:
                yield from leaves(item)
        case Record():
            for _, item in value.fields:
                yield from leaves(item)
        case _:
            yield value


def rebuilt(value: Val, members: Iterable[Val]) -> Val:
    """A product of the same form with other leaves."""
    remaining = iter(members)
    return each("", value, lambda _, __: next(remaining))


def form(value: Val) -> str:
    """What kind of product a value is, with its fields or the number of its members; other values as they are."""
    match value:
        case Tuple():
            return f"a tuple of {len(value.items)}"
        case Record():
            return f"a record of {', '.join(name for name, _ in value.fields)}"
        case _:
            return described(value)


def is_leaf(value: Val) -> bool:
    return isinstance(value, Literal | Extent) or (isinstance(value, Value) and isinstance(value.type, TensorType))
