"""Records as plain data, the same for equal decisions: names that only readers see, places and reasons are left out."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

from intent2cuda.base.codec import Plain
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.notation import Names, expression_text
from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value
from intent2cuda.plan.identity import Identities
from intent2cuda.types.dtype import DType

LEFT_OUT = ("name", "reason", "reasons", "sentence", "threads_reason", "notes", "digest", "meaning")
SHOWN_WHERE_SET = ("offsets", "beside", "tiles")


def plain(item: Any, identities: Identities) -> Plain:
    """Records become mappings with their kind; operations and values their identifiers."""
    match item:
        case None | bool() | int() | str():
            return item
        case Enum():
            return cast(str, item.value)
        case IntExpr():
            return _expression(item, identities.names)
        case DType():
            return item.name
        case Value():
            return identities.names.of(item)
        case Op():
            return identities.op(item)
        case tuple():
            return [plain(part, identities) for part in cast(tuple[Any, ...], item)]
        case _ if is_dataclass(item) and not isinstance(item, type):
            held = {f.name: getattr(item, f.name) for f in fields(item) if f.name not in LEFT_OUT}
            unset = [name for name in SHOWN_WHERE_SET if held.get(name) in (None, ())]
            shown = {name: value for name, value in held.items() if name not in unset}
            return {"kind": type(item).__name__, **{name: plain(value, identities) for name, value in shown.items()}}
        case _:
            raise TypeError(f"no plain form for {type(item).__name__}")


def _expression(expression: IntExpr, names: Names) -> str:
    return expression_text(expression, names)
