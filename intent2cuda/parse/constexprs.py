"""Values of Constexpr parameters: defaults of the text, and what a caller binds."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.parse.annotations import AnnotationError, ConstexprType
from intent2cuda.parse.describe import described
from intent2cuda.parse.hints import hardware_code
from intent2cuda.parse.values import EnumMember, HostValue, Literal, Val

_PYTHON_TYPES: Mapping[str, type] = {"int": int, "float": float, "bool": bool}


def check_name(name: str) -> None:
    """Raises AnnotationError for a name that speaks of a machine."""
    code = hardware_code(name)
    if code is not None:
        raise AnnotationError(
            code,
            f"the Constexpr `{name}` names a matter of the machine",
            "leave it out: the compiler decides for each target",
        )


def of_default(name: str, type_: ConstexprType, value: Val | None) -> Val:
    """The default as a value of the type. Raises AnnotationError."""
    if type_.enum is not None:
        if isinstance(value, EnumMember) and value.type.name == type_.enum.name:
            return value
        found = _kind(value)
        raise AnnotationError(
            "src.constexpr.type", f"`{name}` has the type {type_.name}, its default is {found}", _member_help(type_)
        )
    if isinstance(value, Literal):
        return _literal(name, type_, value.value)
    raise AnnotationError(
        "src.constexpr.type",
        f"`{name}` has the type {type_.name}, its default is {_kind(value)}",
        f"write a constant of {type_.name}",
    )


def _kind(value: Val | None) -> str:
    if isinstance(value, EnumMember):
        return f"`{value}`, a member of {value.type.name}"
    if isinstance(value, Literal):
        return (
            f"{value.value}, an {value.type_name}"
            if value.type_name == "int"
            else f"{value.value}, a {value.type_name}"
        )
    if isinstance(value, HostValue):
        return f"a {value.kind}"
    return described(value) if value is not None else "no compile-time constant"


def of_caller(name: str, type_: ConstexprType, value: object) -> Val:
    """A caller's Python value as a value of the type; an enum member is itself or its name. Raises AnnotationError."""
    if type_.enum is None:
        return _literal(name, type_, value)
    member = value if isinstance(value, str) else getattr(value, "name", None)
    owner = type_.name if isinstance(value, str) else type(value).__name__
    text = member.removeprefix(f"{type_.name}.") if isinstance(member, str) else ""
    if text not in type_.enum.names() or owner != type_.name:
        raise AnnotationError(
            "src.constexpr.type", f"`{name}` has the type {type_.name}, not {type(value).__name__}", _member_help(type_)
        )
    return EnumMember(type_.enum, text)


def _literal(name: str, type_: ConstexprType, value: object) -> Literal:
    expected = _PYTHON_TYPES[type_.name]
    if isinstance(value, expected) and (expected is bool or not isinstance(value, bool)):
        if isinstance(value, int | float) and not isinstance(value, bool):
            return Literal(value, named=IntExpr.symbol(name))
        return Literal(value) if isinstance(value, bool) else Literal(False)
    if expected is float and isinstance(value, int) and not isinstance(value, bool):
        return Literal(float(value), named=IntExpr.symbol(name))
    raise AnnotationError(
        "src.constexpr.type",
        f"`{name}` has the type {type_.name}, its value is of type {type(value).__name__}",
        f"give a value of {type_.name}",
    )


def _member_help(type_: ConstexprType) -> str:
    names = type_.enum.names() if type_.enum is not None else ()
    return f"give a member: {type_.name}.{names[0]}" if names else "give the enum members"


def shown(value: Val) -> str:
    """The bound value as text, for the kernel's record of its specialisation."""
    return str(value) if isinstance(value, EnumMember) else repr(value.value) if isinstance(value, Literal) else ""
