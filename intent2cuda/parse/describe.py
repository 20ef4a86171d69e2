"""How values are spoken of in messages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.value import Value
from intent2cuda.parse import folding
from intent2cuda.parse.values import (
    Dots,
    Element,
    EnumMember,
    EnumType,
    Extent,
    FileModule,
    Folder,
    Function,
    HostName,
    HostValue,
    Intrinsic,
    Literal,
    Nothing,
    Package,
    Poison,
    Ragged,
    Record,
    Sparsity,
    Stretch,
    Text,
    Tuple,
    Unresolved,
    Val,
    Void,
)
from intent2cuda.types.value_type import BufferType, DomainType, TensorType, ViewType

_SERIAL = re.compile(r"(?:(?<=(\w))|(?<!\w))%\d+")

_FUNCTIONS = {"kernel": "a kernel", "fn": "a helper", "lambda": "a lambda"}


def extent_text(expression: IntExpr) -> str:
    """An extent in the author's names; a scalar that has none is shown as `_`."""
    return _SERIAL.sub(lambda found: "" if found.group(1) else "_", str(expression))


def shape_text(shape: Sequence[IntExpr]) -> str:
    return f"[{', '.join(extent_text(extent) for extent in shape)}]"


def value_text(value: Value) -> str:
    """The kind, dtype and shape of a runtime value."""
    match value.type:
        case TensorType() as found:
            if not found.shape:
                return f"a scalar of {found.dtype}"
            return f"a tensor of {found.dtype}{shape_text(found.shape)}"
        case DomainType():
            return "a domain"
        case ViewType() as found:
            return f"the {found.access.value} view `{value.name}`"
        case BufferType():
            return f"the buffer `{value.name}`"


def described(value: Val) -> str:
    """A value with an article: "a scalar of f32", "a record"."""
    match value:
        case Value():
            return value_text(value)
        case Literal():
            return f"the {value.type_name} constant {folding.shown(value)}"
        case Extent():
            return "a scalar of index"
        case Text(is_bytes=True):
            return "a bytes literal"
        case Text():
            return f'the string "{value.value[:40]}"'
        case Nothing():
            return "None"
        case Dots():
            return "an ellipsis"
        case Stretch():
            return "a slice"
        case Tuple():
            return "a tuple"
        case Record():
            return "a record"
        case EnumType():
            return f"the enum `{value.name}`"
        case EnumMember():
            return f"the enum member `{value}`"
        case Element():
            return f"the dtype I.{value.dtype}"
        case Intrinsic():
            return f"the name I.{value.path}"
        case Package() | FileModule() | Folder():
            return "a module"
        case HostName():
            return f"`{value.path}` of Python"
        case Function():
            return f"{_FUNCTIONS.get(value.kind, 'a Python function')} `{value.name}`"
        case HostValue():
            return f"`{value.name}`, a {value.kind}"
        case Unresolved():
            return "a name that cannot be imported"
        case Sparsity():
            return "a sparse format"
        case Ragged():
            return "a ragged relation"
        case Void():
            return f"the result of `{value.name}`, which returns no value"
        case Poison():
            return "a value that could not be read"
