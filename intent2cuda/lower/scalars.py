"""Scalar functions as C++: an operator where it means the same for the element type, else a function of the runtime."""

from __future__ import annotations

from intent2cuda.machine.expressions import Binary, Call, Cast, Conditional, Expression, Integer, Literal, Unary
from intent2cuda.machine.types import CType, IndexT, Scalar
from intent2cuda.types.dtype import F32, DType, Kind
from intent2cuda.types.scalar_fn import SCALAR_FNS, Work

_OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "and": "&&",
    "or": "||",
    "bit_and": "&",
    "bit_or": "|",
    "bit_xor": "^",
}
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_LOGIC = {"bit_and": "&&", "bit_or": "||", "bit_xor": "!="}
_WRAPPING = {"add": "intent::wrap_add", "sub": "intent::wrap_sub", "mul": "intent::wrap_mul"}
_INTEGER_CALLS = {
    "floordiv": "intent::floor_div",
    "mod": "intent::floor_mod",
    "shl": "intent::shift_left",
    "shr": "intent::shift_right",
    "neg": "intent::wrap_neg",
    "abs": "intent::wrap_abs",
}
_BY_CONSTANT = {"floordiv": "/", "mod": "%", "shl": "<<", "shr": ">>"}
_EXTREMES = ("maximum", "minimum", "maximum_num", "minimum_num")


def ctype(dtype: DType) -> CType:
    return IndexT() if dtype.kind is Kind.INDEX else Scalar(dtype)


def is_heavy(fn: str) -> bool:
    """Whether a function takes more than a few cycles."""
    return SCALAR_FNS[fn].work in (Work.DIVIDE, Work.TRANSCENDENTAL) or fn in ("floordiv", "mod")


def apply(
    fn: str, dtype: DType, args: tuple[Expression, ...], natural: bool = False, known: float | None = None
) -> Expression:
    """`fn` of operands of `dtype` (that of the branches for `select`). `natural`: the first is never negative.
    `known`: what the last is, where it is a constant under a name."""
    if fn == "select":
        return _selected(*args)
    if fn in _COMPARISONS:
        return Binary(_OPERATORS[fn], *_plain(dtype, args))
    if fn in _EXTREMES:
        return _extreme(fn, dtype, args)
    if dtype.is_bool:
        return Unary("!", args[0]) if fn == "not" else Binary(_LOGIC.get(fn) or _OPERATORS[fn], *args)
    if dtype.is_float:
        return _float(fn, dtype, args)
    return _by_constant(fn, dtype, args, natural, known) or _integer(fn, dtype, args)


def _selected(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """One of two values; a connective where one of them is a truth value that is known."""
    if isinstance(otherwise, Literal) and isinstance(otherwise.value, bool):
        return Binary("||", Unary("!", condition), then) if otherwise.value else Binary("&&", condition, then)
    if isinstance(then, Literal) and then.value is True:
        return Binary("||", condition, otherwise)
    return Conditional(condition, then, otherwise)


def _by_constant(
    fn: str, dtype: DType, args: tuple[Expression, ...], natural: bool, known: float | None
) -> Expression | None:
    """Shifts, quotients and remainders by a constant with which the operator of C++ means the same."""
    constant = args[1].value if len(args) == 2 and isinstance(args[1], Integer | Literal) else known
    if constant is None or fn not in _BY_CONSTANT or dtype.bits < 32:
        return None
    if fn in ("shl", "shr"):
        exact = 0 <= constant < dtype.bits and not (fn == "shl" and dtype.is_signed)
    else:
        exact = constant > 0 and (natural or not dtype.is_signed)
    return Binary(_BY_CONSTANT[fn], *_plain(dtype, args)) if exact else None


def _extreme(fn: str, dtype: DType, args: tuple[Expression, ...]) -> Expression:
    """Operands of two C++ types (a bare literal beside an index) need the type spelled."""
    mixed = dtype.kind is Kind.INDEX and any(not isinstance(a, Call | Cast) for a in args)
    return Call(f"intent::{fn}", args, (IndexT(),) if mixed else ())


def _float(fn: str, dtype: DType, args: tuple[Expression, ...]) -> Expression:
    if dtype.bits == 8:
        wide = tuple(Cast(Scalar(F32), a) for a in args)
        return Cast(Scalar(dtype), _float(fn, F32, wide))  # 8-bit floats are storage: evaluated in f32, rounded once
    if fn == "neg":
        return Unary("-", args[0])
    if fn in _OPERATORS:
        return Binary(_OPERATORS[fn], *args)
    return Call(f"intent::{fn}", args)


def _integer(fn: str, dtype: DType, args: tuple[Expression, ...]) -> Expression:
    if dtype.kind is Kind.INDEX and fn in _WRAPPING:
        return Binary(_OPERATORS[fn], *args)  # coordinates do not come near the limits of 64 bits
    if dtype.kind is Kind.INDEX and fn == "neg":
        return Unary("-", args[0])
    if fn in _WRAPPING and (dtype.is_signed or (fn == "mul" and dtype.bits < 32)):
        return Call(_WRAPPING[fn], args)  # overflow of signed types is undefined, and narrow ones are promoted to int
    if fn in _OPERATORS:
        return narrowed(dtype, Binary(_OPERATORS[fn], *_plain(dtype, args)))
    template = (IndexT(),) if dtype.kind is Kind.INDEX and any(isinstance(a, Integer) for a in args) else ()
    return Call(_INTEGER_CALLS[fn], args, template)


def _plain(dtype: DType, args: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Operators convert a constant to the type of the other operand: one that fits an int needs no type of its own."""
    if not dtype.is_integer or all(isinstance(a, Literal) for a in args):
        return args
    return tuple(Integer(int(a.value)) if isinstance(a, Literal) and 0 <= a.value < 2**31 else a for a in args)


def narrowed(dtype: DType, value: Expression) -> Expression:
    """8- and 16-bit operands are promoted to int: the result goes back to its own type, modulo 2^bits."""
    return Cast(Scalar(dtype), value) if dtype.bits < 32 else value


def convert(source: DType, target: DType, value: Expression) -> Expression:
    """A value of one element type as another, by the rules of the language."""
    if same_in_cpp(source, target):
        return Literal(value.value, target) if isinstance(value, Integer) and source != target else value
    if target.is_bool:
        zero = Integer(0) if source.kind is Kind.INDEX else Literal(0.0 if source.is_float else 0, source)
        return Binary("!=", value, zero)
    return Cast(ctype(target), value)


def same_in_cpp(source: DType, target: DType) -> bool:
    """`index` and `i64` are one type in C++."""
    return source == target or (
        {source.kind, target.kind} == {Kind.INDEX, Kind.SIGNED} and source.bits == target.bits == 64
    )


def bitcast(target: DType, value: Expression) -> Expression:
    """The same bits as another type."""
    return Call("intent::bit_cast", (value,), (ctype(target),))
