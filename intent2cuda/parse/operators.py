"""Operators: folding of constants, index arithmetic as expressions, dtype rules, explicit broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from intent2cuda.base.intexpr import NAMELESS, IntExpr
from intent2cuda.ir.value import Value
from intent2cuda.parse import folding
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.emitter import ARITHMETIC, arithmetic
from intent2cuda.parse.literals import default_dtype, dtype_of, held, no_tensor, tensor
from intent2cuda.parse.operator_names import spelled
from intent2cuda.parse.shaping import broadcast
from intent2cuda.parse.values import EnumMember, Extent, Literal, Val
from intent2cuda.types.dtype import BOOL, EIGHT_BIT_FLOATS, INDEX, DType
from intent2cuda.types.scalar_fn import SCALAR_FNS
from intent2cuda.types.value_type import TensorType

_HELP = {
    "div": "convert with I.cast to a float type first, or use // for floor division",
    "floordiv": "use I.floor(a / b) for floats",
    "mod": "use a - b * I.floor(a / b) for floats",
    "pow": "multiply, or convert with I.cast to a float type first",
    "bit_and": "use I.bitcast to an integer type of the same width first",
    "bit_or": "use I.bitcast to an integer type of the same width first",
    "bit_xor": "use I.bitcast to an integer type of the same width first",
    "shl": "shifts are for integers; multiply by a power of two",
    "shr": "shifts are for integers; divide by a power of two",
}

_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


def index_expression(cx: Context, value: Val) -> IntExpr | None:
    """The expression of an index scalar or an integer constant, or None for everything else."""
    match value:
        case Extent():
            return value.expression
        case Literal() if type(value.value) is int:
            return IntExpr.of(value.value)
        case Value(type=TensorType(dtype=dtype, shape=())) if dtype == INDEX:
            return cx.emitter.expression(value)
        case _:
            return None


def binary(cx: Context, fn: str, lhs: Val, rhs: Val) -> Val:
    """The value of a function of two operands: an operator, a comparison, or a named one such as `maximum`."""
    if isinstance(lhs, EnumMember) or isinstance(rhs, EnumMember):
        return _enums(cx, fn, lhs, rhs)
    if isinstance(lhs, Literal) and isinstance(rhs, Literal):
        return folded(cx, fn, lhs, rhs)
    expressions = index_expression(cx, lhs), index_expression(cx, rhs)
    if expressions[0] is not None and expressions[1] is not None:
        found = _index(cx, fn, held(cx, expressions[0]), held(cx, expressions[1]))
        if found is not None:
            return in_names(cx, fn, found, (lhs, rhs))
    result = cx.emitter.pointwise(fn, *broadcast(cx, operands(cx, fn, lhs, rhs)))
    cx.beginnings.follow(result, lhs, rhs)
    return result


def folded(cx: Context, fn: str, lhs: Literal, rhs: Literal) -> Literal:
    try:
        found = folding.compare(fn, lhs, rhs) if fn in _COMPARISONS else folding.binary(fn, lhs, rhs)
        return in_names(cx, fn, found, (lhs, rhs))
    except folding.FoldingError as error:
        cx.refuse(error.code, str(error), _HELP.get(fn, "use operands that the operator takes"))


ValT = TypeVar("ValT", bound=Val)


def in_names(cx: Context, fn: str, found: ValT, args: Sequence[Val]) -> ValT:
    """What arithmetic of integers gives, with the same in the names of Constexpr parameters where its operands have
    them."""
    is_integer = isinstance(found, Extent) or (isinstance(found, Literal) and type(found.value) is int)
    if fn not in ARITHMETIC or not is_integer or all(_own_names(cx, arg) == NAMELESS for arg in args):
        return found
    expressions = [own if (own := _own_names(cx, arg)) != NAMELESS else index_expression(cx, arg) for arg in args]
    known = [expression for expression in expressions if expression is not None]
    named = arithmetic(fn, *known) if len(known) == len(args) else None
    return replace(found, named=named) if named is not None and isinstance(found, Extent | Literal) else found


def _own_names(cx: Context, value: Val) -> IntExpr:
    match value:
        case Extent() | Literal():
            return value.named
        case Value():
            return cx.emitter.in_names(value)
        case _:
            return NAMELESS


def _index(cx: Context, fn: str, lhs: IntExpr, rhs: IntExpr) -> Val | None:
    """Index arithmetic as an expression; None for what an expression does not hold."""
    if fn in ("floordiv", "mod") and rhs.constant == 0:
        cx.refuse("kir.divisor", "an index is divided by zero", "use a divisor that is not zero")
    if fn in ARITHMETIC and (found := arithmetic(fn, lhs, rhs)) is not None:
        return Extent(found)
    difference = (lhs - rhs).constant
    if fn in _COMPARISONS and difference is not None:
        return folding.compare(fn, Literal(difference), Literal(0))
    return None


def operands(cx: Context, fn: str, *values: Val) -> tuple[Value, ...]:
    """The operands as runtime values of one dtype that the function takes. Literals adapt to the others."""
    dtypes = [dtype_of(value) for value in values]
    known = next((dtype for dtype in dtypes if dtype is not None), None)
    for value, dtype in zip(values, dtypes, strict=True):
        if dtype is None and not isinstance(value, Literal):
            no_tensor(cx, value, f"an operand of {spelled(fn)}")
    one_dtype(cx, spelled(fn), values, dtypes)
    if known is None:
        known = next((default_dtype(v) for v in values if isinstance(v, Literal)), BOOL)
    accepted(cx, fn, known)
    _check_amount(cx, fn, values[-1], known)
    return tuple(tensor(cx, value, known) for value in values)


def one_dtype(cx: Context, what: str, values: Sequence[Val | None], dtypes: Sequence[DType | None]) -> None:
    """Refuses runtime operands of different dtypes."""
    found = list(dict.fromkeys(dtype for dtype in dtypes if dtype is not None))
    if len(found) > 1:
        cx.refuse(
            "kir.dtype.mixed",
            f"the operands of {what} are {found[0]} and {found[1]}",
            cx.beginnings.advice(values, dtypes) or f"convert one of them: I.cast(..., I.{found[0]})",
        )


def accepted(cx: Context, fn: str, dtype: DType) -> None:
    """Refuses a dtype that the function does not take."""
    if SCALAR_FNS[fn].accepts(dtype) and (dtype not in EIGHT_BIT_FLOATS or fn in (*_COMPARISONS, "select")):
        return
    help = _HELP.get(fn, "convert with I.cast first")
    if dtype.is_bool:
        help = "bool has no arithmetic: use and, or, not, or convert with I.cast"
    elif dtype in EIGHT_BIT_FLOATS:
        help = "convert with I.cast(..., I.f32) first"
    cx.refuse("kir.dtype.operator", f"{spelled(fn)} does not take {dtype}", help)


def _check_amount(cx: Context, fn: str, last: Val, dtype: DType) -> None:
    if not isinstance(last, Literal):
        return
    if fn in ("shl", "shr") and not 0 <= last.value < dtype.bits:
        cx.refuse(
            "kir.shift",
            f"the shift amount {folding.shown(last)} is outside 0 to {dtype.bits - 1} of {dtype}",
            "use an amount below the width",
        )
    if fn in ("floordiv", "mod") and last.value == 0:
        cx.refuse("kir.divisor", f"an integer of {dtype} is divided by zero", "use a divisor that is not zero")


def _enums(cx: Context, fn: str, lhs: Val, rhs: Val) -> Literal:
    """Members of one enum compare for equality at compile time; nothing else is done with them."""
    if isinstance(lhs, EnumMember) and isinstance(rhs, EnumMember) and lhs.type.name == rhs.type.name:
        if fn in ("eq", "ne"):
            return Literal((lhs == rhs) == (fn == "eq"))
        cx.refuse(
            "src.enum.operator", f"{spelled(fn)} of members of the enum `{lhs.type.name}`", "compare with == or !="
        )
    member, other = (lhs, rhs) if isinstance(lhs, EnumMember) else (rhs, lhs)
    assert isinstance(member, EnumMember)
    what = f"a member of the enum `{other.type.name}`" if isinstance(other, EnumMember) else described(other)
    cx.refuse(
        "src.enum.mixed",
        f"{spelled(fn)} of `{member}` (the enum `{member.type.name}`) and {what}",
        f"compare with a member: {member.type.name}.{member.type.members[0][0]}",
    )


def logical(cx: Context, fn: str, lhs: Val, rhs: Val) -> Val:
    """`and` or `or`, element by element; a constant operand decides or disappears."""
    for one, other in ((lhs, rhs), (rhs, lhs)):
        if isinstance(one, Literal) and isinstance(one.value, bool):
            if one.value == (fn == "or"):
                return one
            return other if isinstance(other, Literal) else _bool(cx, fn, other)
    values = (_bool(cx, fn, lhs), _bool(cx, fn, rhs))
    return cx.emitter.pointwise(fn, *broadcast(cx, values))


def _bool(cx: Context, fn: str, value: Val) -> Value:
    if isinstance(value, EnumMember):
        no_tensor(cx, value, f"a bool for `{fn}`")
    found = tensor(cx, value, BOOL, f"a bool for `{fn}`")
    if not found.tensor.dtype.is_bool:
        cx.refuse(
            "kir.dtype.operator", f"`{fn}` takes bool, not {found.tensor.dtype}", "compare first, for example x != 0"
        )
    return found


def negation(cx: Context, value: Val) -> Val:
    """Unary minus."""
    if isinstance(value, Literal):
        try:
            return folding.negative(value)
        except folding.FoldingError as error:
            cx.refuse(error.code, str(error), "bool has no arithmetic: use not")
    expression = index_expression(cx, value)
    if expression is not None:
        return in_names(cx, "neg", Extent(-expression), (value,))
    (operand,) = operands(cx, "neg", value)
    return cx.emitter.pointwise("neg", operand)


def inversion(cx: Context, value: Val) -> Val:
    """`not`."""
    if isinstance(value, Literal) and isinstance(value.value, bool):
        return Literal(not value.value)
    if isinstance(value, EnumMember):
        no_tensor(cx, value, "a bool for `not`")
    if isinstance(value, Literal):
        return Literal(not value.value)
    operand = tensor(cx, value, BOOL, "a bool for `not`")
    if not operand.tensor.dtype.is_bool:
        cx.refuse("kir.dtype.operator", f"`not` takes bool, not {operand.tensor.dtype}", "compare with zero: x == 0")
    return cx.emitter.pointwise("not", operand)


def selection(cx: Context, condition: Value, true: Val, false: Val, what: str) -> Val:
    """One of two values, element by element. A literal adapts to the other; two literals keep their own dtype."""
    dtypes = [dtype_of(value) for value in (true, false)]
    one_dtype(cx, what, (true, false), dtypes)
    known = dtypes[0] or dtypes[1]
    if known is None and isinstance(true, Literal) and isinstance(false, Literal):
        known = common_default(cx, true, false, what)
    branches = [tensor(cx, value, known, f"a branch of {what}") for value in (true, false)]
    return cx.emitter.pointwise("select", *broadcast(cx, (condition, *branches)))


def common_default(cx: Context, lhs: Literal, rhs: Literal, what: str) -> DType:
    """The dtype of two literals that nothing adapts: f64 when one is a float, else i64 or bool."""
    found = {default_dtype(lhs), default_dtype(rhs)}
    if BOOL in found and len(found) > 1:
        cx.refuse(
            "kir.dtype.mixed", f"the constants of {what} are bool and {(found - {BOOL}).pop()}", "write both alike"
        )
    return default_dtype(lhs) if len(found) == 1 or isinstance(lhs.value, float) else default_dtype(rhs)
