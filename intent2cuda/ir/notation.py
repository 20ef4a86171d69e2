"""How values, expressions, types and ops are written: shared by the printer, the reader and the digests.

An op is `results = mnemonic positional fields, then name=value`. Positional are the first field and every further
operand that an op must have; the terms of an access stand in brackets behind what they index; a field at its default
is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from functools import cache
from typing import Any, cast, get_args, get_type_hints

from intent2cuda.base.intexpr import Atom, IntExpr, Operation, Symbol
from intent2cuda.ir.op import RESULT_FIELDS, SOURCE_FIELDS, Op, Region
from intent2cuda.ir.ops import AnyOp, AtomicUpdate, Pointwise, Reduce, Scan, ScatterReduce
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import BufferType, DomainType, Shape, TensorType, ValueType, ViewType

FOLDED: Mapping[type[Op], str] = {
    Pointwise: "fn",
    Reduce: "combiner",
    Scan: "combiner",
    ScatterReduce: "combiner",
    AtomicUpdate: "update",
}
"""The field of an op that is a part of its mnemonic."""

READER_FIELDS = ("literal", "meaning", "named", "text")
"""Fields that speak to people only; digests leave them out."""


class Kind(Enum):
    """What a field of an op holds, as far as writing it goes."""

    VALUE = "value"
    VALUES = "values"
    TERMS = "terms"
    REGION = "region"
    PLAIN = "plain"


@dataclass(frozen=True)
class Slot:
    """A field of an op class. `hint` is its type, `default` what is left out (MISSING when it must be given)."""

    name: str
    kind: Kind
    hint: Any
    default: Any
    positional: bool


@dataclass
class Names:
    """The text of every value that may be mentioned; `by_serial` serves the symbols of expressions."""

    by_value: dict[Value, str]
    by_serial: dict[int, str]

    @staticmethod
    def empty() -> Names:
        return Names({}, {})

    def add(self, value: Value, text: str) -> None:
        self.by_value[value] = text
        self.by_serial[value.serial] = text

    def of(self, value: Value) -> str:
        return self.by_value.get(value, f"%?{value.name}.{value.serial}")

    def symbol(self, symbol: Symbol) -> str:
        if not symbol.serial:
            return symbol.name
        return self.by_serial.get(symbol.serial, f"%?{symbol.name}.{symbol.serial}")


@cache
def slots(op_class: type[Op]) -> tuple[Slot, ...]:
    """The fields of an op class that are written after its mnemonic, in order."""
    hints = get_type_hints(op_class)
    skipped = (*RESULT_FIELDS, *SOURCE_FIELDS, FOLDED.get(op_class, ""))
    found: list[Slot] = []
    for field in fields(op_class):
        if field.name in skipped:
            continue
        kind, default = _kind(hints[field.name]), cast(object, field.default)
        first = not found and kind is not Kind.REGION
        positional = default is MISSING and (first or kind is Kind.VALUE)
        found.append(Slot(field.name, kind, hints[field.name], default, positional))
    return tuple(found)


def _kind(hint: Any) -> Kind:
    arguments = get_args(hint)
    if hint is Region:
        return Kind.REGION
    if hint is Value or (Value in arguments and type(None) in arguments):
        return Kind.VALUE
    if arguments == (Value, ...) or (arguments and all(a is Value for a in arguments)):
        return Kind.VALUES
    if arguments == (Term, ...):
        return Kind.TERMS
    return Kind.PLAIN


def op_classes() -> tuple[type[Op], ...]:
    return cast(tuple[type[Op], ...], get_args(AnyOp))


def class_mnemonic(op_class: type[Op]) -> str:
    """`ArgReduce` is written `arg_reduce`."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in op_class.__name__).lstrip("_")


def mnemonic(op: Op) -> str:
    if isinstance(op, Pointwise):
        return op.fn
    kind = class_mnemonic(type(op))
    folded = FOLDED.get(type(op))
    return kind if folded is None else f"{kind}.{getattr(op, folded).value}"


def expression_text(expression: IntExpr, names: Names, added_first: bool = False) -> str:
    """The expression with its terms in the order of their text, so that serial numbers do not show.

    With `added_first`, what is taken away stands behind what it is taken from, as people write it.
    """
    if not expression.terms:
        return "0"
    written = sorted(
        (added_first and coefficient < 0, -len(monomial), _product(monomial, names, added_first), coefficient)
        for monomial, coefficient in expression.terms
    )
    text = ""
    for _, degree, factors, coefficient in written:
        sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
        size = abs(coefficient)
        text += sign + (str(size) if not degree else factors if size == 1 else f"{size}*{factors}")
    return text


def _product(atoms: Sequence[Atom], names: Names, added_first: bool) -> str:
    return "*".join(sorted(_atom(atom, names, added_first) for atom in atoms))


def _atom(atom: Atom, names: Names, added_first: bool) -> str:
    match atom:
        case Symbol():
            return names.symbol(atom)
        case Operation():
            sides = [expression_text(side, names, added_first) for side in (atom.lhs, atom.rhs)]
            return f"{atom.kind}({', '.join(sorted(sides) if atom.kind in ('min', 'max') else sides)})"


def type_text(value_type: ValueType, names: Names) -> str:
    match value_type:
        case TensorType():
            return value_type.dtype.name + ("" if value_type.is_scalar else _shape(value_type.shape, names))
        case DomainType():
            return "domain" + _shape((value_type.begin, value_type.extent, value_type.step), names)
        case BufferType():
            return f"buffer {value_type.dtype.name}{_shape(value_type.shape, names)}"
        case ViewType():
            text = f"{value_type.access.value} {value_type.dtype.name}{_shape(value_type.shape, names)}"
            if value_type.strides is not None:
                text += f" strides={plain_text(value_type.strides, names)}"
            if value_type.alias is not None:
                text += f" alias={plain_text(value_type.alias, names)}"
            return text + (" noalias" if value_type.noalias else "")


def _shape(shape: Shape, names: Names) -> str:
    return f"[{', '.join(expression_text(extent, names) for extent in shape)}]"


def term_text(term: Term, names: Names) -> str:
    match term:
        case Whole():
            return ":"
        case Slice():
            return f"{names.of(term.begin)} +: {expression_text(term.extent, names)}"
        case Along():
            return f"along {names.of(term.domain)}"
        case Point():
            return names.of(term.index)
        case Lanes():
            return f"lanes {names.of(term.index)}"


def plain_text(item: Any, names: Names) -> str:
    """An attribute or a tuple of attributes."""
    match item:
        case None:
            return "none"
        case bool():
            return "true" if item else "false"
        case int() | float():
            return repr(item)
        case str():
            return json.dumps(item, ensure_ascii=True)
        case Enum():
            return str(item.value)
        case DType():
            return item.name
        case IntExpr():
            return expression_text(item, names)
        case Value():
            return names.of(item)
        case tuple():
            return f"({', '.join(plain_text(part, names) for part in cast(tuple[object, ...], item))})"
        case _:
            raise TypeError(f"no notation for {type(item).__name__}")


def operation_text(op: Op, names: Names, leave_out: tuple[str, ...] = ()) -> str:
    """Mnemonic and fields, without results and regions."""
    positional: list[str] = []
    named: list[str] = []
    for slot in slots(type(op)):
        value = getattr(op, slot.name)
        at_default = slot.default is not MISSING and value == slot.default
        if slot.kind is Kind.REGION or slot.name in leave_out or at_default:
            continue
        if slot.kind is Kind.TERMS:
            terms = cast(tuple[Term, ...], value)
            positional[-1] += f"[{', '.join(term_text(term, names) for term in terms)}]"
        elif slot.positional:
            whole = plain_text(value, names)
            positional += list(_inner(value, names)) if slot.kind is Kind.VALUES else [whole]
        else:
            named.append(f"{slot.name}={plain_text(value, names)}")
    return " ".join(part for part in (mnemonic(op), ", ".join(positional), *named) if part)


def _inner(values: tuple[Value, ...], names: Names) -> Iterator[str]:
    return (names.of(value) for value in values)
