"""Helpers of structured operations: read with typed values into a region, which must be pure and keep a schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.base.span import Span
from intent2cuda.ir.op import Region
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described, value_text
from intent2cuda.parse.emitter import Block
from intent2cuda.parse.inline import helper_signature, read_helper
from intent2cuda.parse.literals import tensor
from intent2cuda.parse.operators import binary
from intent2cuda.parse.products import MismatchError, NoValueError, each, form, leaves, pair
from intent2cuda.parse.purity import impurities
from intent2cuda.parse.values import Function, Intrinsic, Record, Tuple, Val
from intent2cuda.types.value_type import ValueType

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


def expect(cx: Context, role: Role, count: int, help: str) -> None:
    """Refuses a helper that does not have a parameter for each value that the operation gives it."""
    names = role.parameters
    if len(names) == count:
        return
    missing = "".join(f": none for `{name}`" for name in names[count : count + 1])
    plural = "" if len(names) == 1 else "s"
    cx.refuse(
        role.operation.schema,
        f"{role.helper} has {len(names)} parameter{plural}, and as {role} it is given {count} values{missing}",
        help,
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
    with cx.emitter.block() as block:
        if isinstance(role.function, Intrinsic):
            place = cx.span()
            result = _token(cx, role, arguments)
        else:
            found = read_helper(cx, role.function, dict(zip(role.parameters, arguments, strict=True)))
            place = found.span
            result = _returned(cx, role, found.value)
    for op, what in impurities(block.ops):
        cx.error(
            role.operation.impure,
            f"{role.helper} is {role}, which must be pure: it {what}",
            f"compute with values only; what is read outside comes in through `{role.operation.captures}`",
            op.span,
        )
    return Reading(block, result, place)


def _token(cx: Context, role: Role, arguments: Sequence[Val]) -> Val:
    assert isinstance(role.function, Intrinsic)
    product = next((a for a in arguments if isinstance(a, Tuple | Record)), None)
    if product is not None:
        cx.refuse(
            role.operation.helper, f"{role.helper} does not combine {form(product)}", "give an intent.fn of two values"
        )
    return tensor(cx, binary(cx, role.function.path, *arguments))


def _returned(cx: Context, role: Role, value: Val) -> Val:
    try:
        return each("", value, lambda _, leaf: tensor(cx, leaf))
    except NoValueError as error:
        cx.refuse(
            role.operation.schema,
            f"{role.helper} is {role}, and returns {error}",
            "return scalars, tensors, tuples or records of them",
        )


def combining(cx: Context, role: Role, like: Val, captures: Sequence[Val] = (), help: str = "") -> Region:
    """A region that makes one value of two, all of the types of `like`."""
    expect(cx, role, 2 + len(captures), help)
    arguments = [parameter(cx, role, position, like) for position in (0, 1)]
    reading = read(cx, role, [*arguments, *captures])
    keeps(cx, role, like, reading)
    return cx.emitter.region((*values(arguments[0]), *values(arguments[1])), reading.block, reading.values)


def keeps(cx: Context, role: Role, expected: Val, reading: Reading) -> None:
    """Reports a helper that does not return what it is expected to."""
    differs = difference(cx, expected, reading.value, f"{role.helper} returns what it is given, as {role}")
    if differs:
        cx.error(
            role.operation.schema,
            f"{role.helper} is {role}, and returns something of another form than it must: {differs}",
            "return the same fields in the same order, with the same dtypes and shapes; convert with I.cast",
            reading.place,
        )


def difference(cx: Context, expected: Val, found: Val, text: str) -> str:
    """In what two products differ; empty where they do not. Extents that a call may make equal are required to be."""
    required: list[tuple[IntExpr, IntExpr]] = []

    def leaf(path: str, lhs: Val, rhs: Val) -> Val:
        assert isinstance(lhs, Value) and isinstance(rhs, Value)
        a, b = lhs.tensor, rhs.tensor
        pairs = [(x, y) for x, y in zip(a.shape, b.shape, strict=False) if not cx.emitter.are_equal(x, y)]
        if a.dtype != b.dtype or a.rank != b.rank or not all(_may_be_equal(cx, x, y) for x, y in pairs):
            field = path.partition("_")[2]
            raise MismatchError(f"{value_text(lhs)} and {value_text(rhs)}" + (f" in `{field}`" if field else ""))
        required.extend(pairs)
        return lhs

    try:
        pair("value", expected, found, leaf, every=True)
    except MismatchError as error:
        return str(error)
    for lhs, rhs in required:
        cx.emitter.require_equal(lhs, rhs, text)
    return ""


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
