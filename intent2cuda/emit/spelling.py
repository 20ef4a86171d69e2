"""How types are written in C++ and in the C ABI."""

from __future__ import annotations

from typing import assert_never

from intent2cuda.machine.types import CType, IndexT, Int, Named, Pointer, Scalar, View
from intent2cuda.types.dtype import DType, Kind

_FLOATS = {"f32": "float", "f64": "double"}


def element(dtype: DType) -> str:
    """The C++ type of an element."""
    if dtype.is_bool:
        return "bool"
    if dtype.kind is Kind.INDEX:
        return "index_t"
    if dtype.is_float:
        return _FLOATS.get(dtype.name, f"intent::{dtype.name}")
    return f"std::{'u' if dtype.kind is Kind.UNSIGNED else ''}int{dtype.bits}_t"


def public_element(dtype: DType) -> str:
    """The element type where `index_t` has not been introduced: headers and bindings."""
    return "std::int64_t" if dtype.kind is Kind.INDEX else element(dtype)


def c_scalar(dtype: DType) -> str:
    """The type of a scalar parameter in the C ABI: 8- and 16-bit floats travel as their bits."""
    if dtype.is_bool:
        return "bool"
    if dtype.is_float:
        return _FLOATS.get(dtype.name, f"uint{dtype.bits}_t")
    return public_element(dtype).removeprefix("std::")


def spell(ctype: CType) -> str:
    match ctype:
        case Scalar():
            return element(ctype.dtype)
        case IndexT():
            return "index_t"
        case Int():
            return "int"
        case Pointer():
            return f"{'const ' if ctype.const else ''}{spell(ctype.to)}*{' __restrict__' if ctype.restrict else ''}"
        case View():
            return f"intent::View<{'const ' if ctype.const else ''}{element(ctype.dtype)}, {ctype.rank}>"
        case Named():
            return ctype.name
        case _:
            assert_never(ctype)


def declared(ctype: CType, name: str, const: bool) -> str:
    """`const float x`, `float* const x`: a declaration without its value."""
    if isinstance(ctype, Pointer):
        return f"{spell(ctype)} {'const ' if const else ''}{name}".replace("* const", "* const").replace("*  ", "* ")
    return f"{'const ' if const else ''}{spell(ctype)} {name}"
