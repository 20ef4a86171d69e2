"""Helpers of structured operations: read with typed values into a region, which must be pure and keep a schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.base.span import Span
from intent2cuda.ir.op import Region
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Binding, Context, RefusedError
from intent2cuda.parse.describe import described, value_text
from intent2cuda.parse.emitter import Block
from intent2cuda.parse.inline import helper_signature, read_helper
from intent2cuda.parse.literals import tensor
from intent2cuda.parse.operators import binary
from intent2cuda.parse.products import NoValueError, each, form, leaves
from intent2cuda.parse.purity import impurities
from intent2cuda.parse.values import Function, Intrinsic, Record, Tuple, Val, Void
from intent2cuda.types.value_type import ValueType

T = TypeVar("T")

TOKENS = ("add", "maximum", "minimum")
"""Intrinsics that stand for a helper of two values."""


@dataclass(frozen=True)
class Operation:
    """An operation that takes helpers: its path, the argument that holds captured values, and its codes."""

    path: str
    captures: str
    helper: str
    schema: str
    impure: str

    @property
    def gives_slices(self) -> bool:
        """Whether helpers get tensors, not elements."""
        return False


@dataclass(frozen=True)
class Role:
    """A helper as the argument `name` of an operation."""

    operation: Operation
    name: str
    function: Function | Intrinsic
    parameters: tuple[str, ...]

    def __str__(self) -> str:
        return f"the {self.name} of I.{self.operation.path}"

    @property
    def helper(self) -> str:
        """The helper as the author writes it."""
        return f"`{self.function.name}`" if isinstance(self.function, Function) else f"I.{self.function.path}"


@dataclass(frozen=True)
class Reading:
    """The body of a helper: its ops, what it returns (leaves are tensors and scalars), and the statement that does."""

    block: Block
    value: Val
    place: Span | None
    pure: bool

    @property
    def values(self) -> tuple[Value, ...]:
        return values(self.value)


def role(cx: Context, operation: Operation, name: str, given: Val, tokens: bool = True) -> Role:
    """The helper that an argument names: a function with intent.fn, or one of the tokens."""
    what = f"the {name} of I.{operation.path}"
    help = "give an intent.fn" if not tokens else "give I.add, or an intent.fn of two values"
    match given:
        case Function(kind="fn"):
            signature = helper_signature(cx, given)
            if signature.keyword_only:
                cx.refuse(
                    operation.schema,
                    f"`{given.name}` is {what}, which passes no `{signature.keyword_only[0]}` by name",
                    "make it an ordinary parameter",
                )
            return Role(operation, name, given, signature.positional)
        case Intrinsic(path=path) if tokens and path in TOKENS:
            return Role(operation, name, given, ("lhs", "rhs"))
        case Function(kind="kernel"):
            code = "src.kernel.calls_kernel"
        case Function():
            code = "src.fn.undecorated"
        case _:
            code = operation.helper
    cx.refuse(code, f"{what} is a helper, not {described(given)}", help)


def captured(cx: Context, operation: Operation, given: Val) -> tuple[Val, ...]:
    """The values that helpers get beside those of the operation. Constants stay constants inside."""
    if not isinstance(given, Tuple):
        cx.refuse(
            operation.schema,
            f"`{operation.captures}` of I.{operation.path} is a tuple, not {described(given)}",
            f"write {operation.captures}=(value,)",
        )
    return given.items


def expect(cx: Context, role: Role, count: int, takes: str) -> None:
    """Refuses a helper that does not have a parameter for each value that it is given; `takes` lists these."""
    names = role.parameters
    if len(names) == count:
        return
    missing = "".join(f": none for `{name}`" for name in names[count : count + 1])
    plural = "" if len(names) == 1 else "s"
    cx.refuse(
        role.operation.schema,
        f"{role.helper} has {len(names)} parameter{plural}, and as {role} it is given {count} values{missing}",
        f"it takes {takes}",
    )


def parameter(
    cx: Context, role: Role, position: int, like: Val, type_of: Callable[[Value], ValueType] = lambda one: one.type
) -> Val:
    """New arguments of a region, one for each leaf of a product, with the author's name for the parameter."""

    def argument(path: str, leaf: Val) -> Val:
        assert isinstance(leaf, Value)
        return cx.emitter.value(type_of(leaf), path)

    name = role.parameters[position]
    return each("" if name == "_" else name, like, argument)


def read(cx: Context, role: Role, arguments: Sequence[Val]) -> Reading:
    """The body of a helper for these arguments. Effects are reported; raises RefusedError when it returns nothing."""
    before, cx.emitter.routine = cx.emitter.routine, _routine(role)
    with cx.emitter.block() as block:
        found = attempt(lambda: _result(cx, role, arguments))
    cx.emitter.routine = before
    pure = True
    for op, what in impurities(block.ops):
        pure = False
        cx.error(
            role.operation.impure,
            f"{role.helper} is {role}, which must be pure: it {what}",
            f"compute with values only; what is read outside comes in through `{role.operation.captures}`",
            op.span,
        )
    if found is None:
        raise RefusedError
    return Reading(block, found.value, found.span, pure)


def _routine(role: Role) -> str:
    """The name of a helper that works on whole slices; one of single elements is no piece of work by itself."""
    return role.function.name if role.operation.gives_slices and isinstance(role.function, Function) else ""


def attempt(work: Callable[[], T]) -> T | None:
    """The result of `work`, or None when it was refused, so that what is wrong beside it is found too."""
    try:
        return work()
    except RefusedError:
        return None


def _result(cx: Context, role: Role, arguments: Sequence[Val]) -> Binding:
    """What the helper returns, with the statement that does."""
    if isinstance(role.function, Intrinsic):
        return Binding(_token(cx, role, role.function.path, arguments), cx.span())
    found = read_helper(cx, role.function, dict(zip(role.parameters, arguments, strict=True)))
    return Binding(_returned(cx, role, found.value), found.span)


def _token(cx: Context, role: Role, path: str, arguments: Sequence[Val]) -> Val:
    product = next((a for a in arguments if isinstance(a, Tuple | Record)), None)
    if product is not None:
        cx.refuse(
            role.operation.helper, f"{role.helper} does not combine {form(product)}", "give an intent.fn of two values"
        )
    return tensor(cx, binary(cx, path, *arguments))


def _returned(cx: Context, role: Role, value: Val) -> Val:
    """What a helper returns, as values; a member of a record without a name has that of its field."""

    def leaf(path: str, one: Val) -> Value:
        found = tensor(cx, one)
        if (field := path.strip("_")).isidentifier():
            cx.emitter.christen(found, field)
        return found

    if isinstance(value, Void):
        cx.refuse(role.operation.schema, f"{role.helper} is {role}, and returns nothing", "return a value")
    try:
        return each("", value, leaf)
    except NoValueError as error:
        cx.refuse(
            role.operation.schema,
            f"{role.helper} is {role}, and returns {error}",
            "return scalars, tensors, tuples or records of them",
        )


def combining(cx: Context, role: Role, like: Val, takes: str, captures: Sequence[Val] = ()) -> Region:
    """A region that makes one value of two, all of the types of `like`."""
    expect(cx, role, 2 + len(captures), takes)
    arguments = [parameter(cx, role, position, like) for position in (0, 1)]
    return closed(cx, role, like, arguments, read(cx, role, [*arguments, *captures]))


def closed(cx: Context, role: Role, expected: Val, arguments: Sequence[Val], reading: Reading) -> Region:
    """The region of a helper that must return a value of the form of `expected`."""
    differs = difference(cx, expected, reading.value, f"{role.helper} keeps extents, being {role}")
    if differs is not None:
        cx.error(
            role.operation.schema,
            f"{role.helper} is {role}, and returns {differs.found} instead of {differs.expected}{differs.place}",
            differs.help,
            reading.place,
        )
    if differs is not None or not reading.pure:
        raise RefusedError
    return cx.emitter.region(values(Tuple(tuple(arguments))), reading.block, reading.values)


@dataclass(frozen=True)
class Difference:
    """In what two products differ: what was expected and what was found, in which of their members, and what to do."""

    expected: str
    found: str
    path: str
    help: str

    @property
    def place(self) -> str:
        return f" in `{self.path}`" if self.path else ""


def difference(cx: Context, expected: Val, found: Val, text: str) -> Difference | None:
    """The first difference of two products. Extents that a call may make equal are required to be, with `text`."""
    required: list[tuple[IntExpr, IntExpr]] = []
    differs = _difference(cx, expected, found, "", required)
    if differs is None:
        for lhs, rhs in required:
            cx.emitter.require_equal(lhs, rhs, text)
    return differs


def _difference(
    cx: Context, expected: Val, found: Val, path: str, required: list[tuple[IntExpr, IntExpr]]
) -> Difference | None:
    match expected, found:
        case Value(), Value():
            return _of_tensors(cx, expected, found, path, required)
        case Tuple(), Tuple() if len(expected.items) == len(found.items):
            members = [(f"{path}[{k}]", *pair) for k, pair in enumerate(zip(expected.items, found.items, strict=True))]
        case Record(), Record() if [name for name, _ in expected.fields] == [name for name, _ in found.fields]:
            pairs = zip(expected.fields, found.fields, strict=True)
            members = [(f"{path}.{name}" if path else name, a, b) for (name, a), (_, b) in pairs]
        case _:
            return Difference(form(expected), form(found), path, "keep the kind of product, its fields and their order")
    differences = (_difference(cx, a, b, inner, required) for inner, a, b in members)
    return next((one for one in differences if one is not None), None)


def _of_tensors(
    cx: Context, expected: Value, found: Value, path: str, required: list[tuple[IntExpr, IntExpr]]
) -> Difference | None:
    a, b = expected.tensor, found.tensor
    if a.dtype != b.dtype:
        help = f"convert with I.cast(..., I.{a.dtype})"
        return Difference(value_text(expected), value_text(found), path, help)
    pairs = [(x, y) for x, y in zip(a.shape, b.shape, strict=False) if not cx.emitter.are_equal(x, y)]
    if a.rank != b.rank or not all(_may_be_equal(cx, x, y) for x, y in pairs):
        return Difference(value_text(expected), value_text(found), path, "keep the shape")
    required += pairs
    return None


def _may_be_equal(cx: Context, lhs: IntExpr, rhs: IntExpr) -> bool:
    known = lhs.constant is not None and rhs.constant is not None
    return not known and cx.emitter.is_call_time(lhs) and cx.emitter.is_call_time(rhs)


def values_of(cx: Context, given: Val, what: str) -> Val:
    """A product with a tensor or scalar in place of each leaf: views are read, constants keep their own dtype."""
    match given:
        case Tuple():
            return Tuple(tuple(values_of(cx, item, what) for item in given.items))
        case Record():
            return Record(tuple((name, values_of(cx, item, what)) for name, item in given.fields))
        case _:
            return tensor(cx, given, None, what)


def values(product: Val) -> tuple[Value, ...]:
    """The leaves of a product that holds tensors and scalars only."""
    return tuple(leaf for leaf in leaves(product) if isinstance(leaf, Value))
