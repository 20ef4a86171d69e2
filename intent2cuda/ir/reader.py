"""Reads the text form of a kernel back. Places are not kept; serial numbers are given in the order of the text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass
from enum import Enum
from typing import Any, TypeVar, get_type_hints

from intent2cuda.base.intexpr import IntExpr, ceiling, maximum, minimum
from intent2cuda.base.span import SourceFile, Span
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.notation import FOLDED, Kind, Slot, class_mnemonic, op_classes, slots
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import Pointwise
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import BY_NAME
from intent2cuda.types.scalar_fn import SCALAR_FNS
from intent2cuda.types.value_type import Access, BufferType, DomainType, Shape, TensorType, ValueType, ViewType

T = TypeVar("T")

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<value>%\w+(?:\.\d+)?)
      | (?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)
      | (?P<name>[^\W\d]\w*(?:\.\w+)?)
      | (?P<sign>\+:|[-+*=:,()\[\]{}])""",
    re.VERBOSE,
)

FUNCTIONS: dict[str, Callable[[IntExpr, IntExpr], IntExpr]] = {
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "ceildiv": ceiling,
    "min": minimum,
    "max": maximum,
}


class NotationError(ValueError):
    """The text is no kernel in text form."""


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    offset: int


def read(text: str) -> Kernel:
    """The kernel of a text form. Raises NotationError where the text departs from the notation."""
    return _Reader(text).kernel()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [*_tokens(text), Token("end", "", len(text))]
        self._at = 0
        self._serial = 0
        self._values: dict[str, Value] = {}

    def kernel(self) -> Kernel:
        self._expect("kernel")
        name = self._next("name").text
        parameters = tuple(self._list("(", ")", self._declaration))
        constexprs: tuple[tuple[str, str], ...] = ()
        doc = ""
        while not self._is("{"):
            field = self._next("name").text
            self._expect("=")
            value = self._plain()
            constexprs, doc = (value, doc) if field == "constexprs" else (constexprs, value)
        region = Region((), tuple(self._body()))
        self._next("end")
        return Kernel(name, parameters, region, Span(SourceFile("", ""), 1, 1, 1, 1), constexprs, doc)

    def _body(self) -> Iterator[Op]:
        self._expect("{")
        while not self._is("}"):
            yield self._op()
        self._expect("}")

    def _op(self) -> Op:
        found: list[Value] = []
        if self._peek().kind == "value":
            found.append(self._declaration())
            while self._take(","):
                found.append(self._declaration())
            self._expect("=")
        token = self._next("name")
        op_class, given = _op_class(token, self._fail)
        given.update(self._fields(slots(op_class)))
        if found:
            given.update({"results": tuple(found)} if "results" in op_class.__annotations__ else {"result": found[0]})
        elif "results" in op_class.__annotations__:
            given["results"] = ()
        try:
            return op_class(**given)
        except TypeError as error:
            raise self._fail(token, str(error)) from error

    def _fields(self, wanted: tuple[Slot, ...]) -> dict[str, Any]:
        """The fields that stand behind a mnemonic, regions included."""
        found: dict[str, Any] = {}
        for slot in wanted:
            if slot.positional:
                if found:
                    self._expect(",")
                found[slot.name] = self._positional(slot)
            elif slot.kind is Kind.TERMS:
                found[slot.name] = tuple(self._list("[", "]", self._term))
        by_name = {slot.name: slot for slot in wanted if not slot.positional and slot.kind is not Kind.TERMS}
        while self._peek().kind == "name" and self._peek().text in by_name:
            slot = by_name[self._next("name").text]
            found[slot.name] = self._region() if slot.kind is Kind.REGION else self._named(slot)
        missing = [s.name for s in wanted if s.default is MISSING and s.name not in found]
        if missing:
            raise self._fail(self._peek(), f"{missing[0]} is missing")
        return found

    def _positional(self, slot: Slot) -> Any:
        if slot.kind is not Kind.VALUES:
            return self._attribute(slot)
        values: list[Value] = []
        while self._peek().kind == "value":
            values.append(self._use())
            if not self._take(","):
                break
        return tuple(values)

    def _named(self, slot: Slot) -> Any:
        self._expect("=")
        return self._attribute(slot)

    def _attribute(self, slot: Slot) -> Any:
        if slot.hint is IntExpr:
            return self._expression()
        if isinstance(slot.hint, type) and issubclass(slot.hint, Enum):
            return slot.hint(self._next("name").text)
        return self._plain()

    def _region(self) -> Region:
        arguments = tuple(self._list("(", ")", self._declaration)) if self._is("(") else ()
        return Region(arguments, tuple(self._body()))

    def _declaration(self) -> Value:
        token = self._next("value")
        self._expect(":")
        self._serial += 1
        serial = self._serial
        name = token.text[1:].split(".")[0]
        value = Value(self._type(), serial, "" if name.isdigit() else name)
        self._values[token.text] = value
        return value

    def _use(self) -> Value:
        token = self._next("value")
        if token.text not in self._values:
            raise self._fail(token, f"{token.text} is not defined")
        return self._values[token.text]

    def _type(self) -> ValueType:
        token = self._next("name")
        if token.text == "domain":
            begin, extent, step = self._shape()
            return DomainType(begin, extent, step)
        if token.text == "buffer":
            return BufferType(BY_NAME[self._next("name").text], self._shape())
        if token.text in [access.value for access in Access]:
            return self._view(Access(token.text))
        if token.text not in BY_NAME:
            raise self._fail(token, f"{token.text} is no type")
        dtype = BY_NAME[token.text]
        return TensorType(dtype, self._shape()) if self._is("[") else TensorType(dtype, (), True)

    def _view(self, access: Access) -> ViewType:
        dtype, shape = BY_NAME[self._next("name").text], self._shape()
        given: dict[str, Any] = {}
        while self._peek().text in ("strides", "alias", "noalias"):
            name = self._next("name").text
            given[name] = True if name == "noalias" else (self._expect("="), self._plain())[1]
        return ViewType(dtype, shape, access, **given)

    def _shape(self) -> Shape:
        return tuple(self._list("[", "]", self._expression))

    def _term(self) -> Term:
        if self._take(":"):
            return Whole()
        if self._take("along"):
            return Along(self._use())
        if self._take("lanes"):
            return Lanes(self._use())
        index = self._use()
        return Slice(index, self._expression()) if self._take("+:") else Point(index)

    def _expression(self) -> IntExpr:
        total = -self._product() if self._take("-") else self._product()
        while self._is("+") or self._is("-"):
            total = total + self._product() if self._take("+") else total - (self._expect("-"), self._product())[1]
        return total

    def _product(self) -> IntExpr:
        result = self._factor()
        while self._take("*"):
            result = result * self._factor()
        return result

    def _factor(self) -> IntExpr:
        token = self._advance()
        if token.kind == "number":
            return IntExpr.of(int(token.text))
        if token.kind == "value":
            self._at -= 1
            return self._use().as_symbol
        if token.kind != "name":
            raise self._fail(token, "an expression is missing")
        if not self._is("("):
            return IntExpr.symbol(token.text)
        lhs, rhs = self._list("(", ")", self._expression)
        return FUNCTIONS[token.text](lhs, rhs)

    def _plain(self) -> Any:
        token = self._peek()
        if token.kind == "value":
            return self._use()
        if token.text == "(":
            return tuple(self._list("(", ")", self._plain))
        self._advance()
        if token.kind == "string":
            return json.loads(token.text)
        negative = token.text == "-"
        word = self._advance().text if negative else token.text
        if word in ("none", "true", "false"):
            return {"none": None, "true": True, "false": False}[word]
        if word in ("inf", "nan"):
            return -float(word) if negative else float(word)
        if word in BY_NAME:
            return BY_NAME[word]
        try:
            number = int(word) if word.isdigit() else float(word)
        except ValueError as error:
            raise self._fail(token, f"{word} is no value") from error
        return -number if negative else number

    def _list(self, opening: str, closing: str, item: Callable[[], T]) -> list[T]:
        self._expect(opening)
        items: list[T] = []
        while not self._is(closing):
            items.append(item())
            if not self._take(","):
                break
        self._expect(closing)
        return items

    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _is(self, text: str) -> bool:
        return self._peek().text == text and self._peek().kind != "string"

    def _advance(self) -> Token:
        token = self._peek()
        self._at += token.kind != "end"
        return token

    def _take(self, text: str) -> bool:
        found = self._is(text)
        self._at += found
        return found

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise self._fail(self._peek(), f"`{text}` is missing")

    def _next(self, kind: str) -> Token:
        token = self._peek()
        if token.kind != kind:
            raise self._fail(token, f"a {kind} is missing")
        return self._advance()

    def _fail(self, token: Token, sentence: str) -> NotationError:
        line = self._text.count("\n", 0, token.offset) + 1
        return NotationError(f"line {line}: {sentence} at `{token.text}`")


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            line = text.count("\n", 0, position) + 1
            raise NotationError(f"line {line}: `{text[position]}` begins nothing")
        if match.lastgroup != "space":
            yield Token(str(match.lastgroup), match.group(), position)
        position = match.end()


def _op_class(token: Token, fail: Callable[[Token, str], NotationError]) -> tuple[type[Op], dict[str, Any]]:
    """The class that a mnemonic stands for, and the field that it holds."""
    if token.text in SCALAR_FNS:
        return Pointwise, {FOLDED[Pointwise]: token.text}
    head, _, tail = token.text.partition(".")
    for op_class in op_classes():
        if class_mnemonic(op_class) != head:
            continue
        if op_class not in FOLDED:
            return op_class, {}
        folded = FOLDED[op_class]
        members = {member.value: member for member in get_type_hints(op_class)[folded]}
        if tail in members:
            return op_class, {folded: members[tail]}
    raise fail(token, f"{token.text} is no op")
