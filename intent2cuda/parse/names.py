"""Names and attributes: what they stand for, and what to say when they stand for nothing."""

from __future__ import annotations

import libcst as cst

from intent2cuda.ir.value import Value
from intent2cuda.parse import surface
from intent2cuda.parse.constants import PYTHON_NAMES
from intent2cuda.parse.context import Context, near
from intent2cuda.parse.describe import described
from intent2cuda.parse.hints import PYTHON_CALLS, QUERIES, REMOVED, SPELLINGS, Hint
from intent2cuda.parse.literals import no_tensor
from intent2cuda.parse.source import identifier
from intent2cuda.parse.values import (
    Element,
    EnumMember,
    EnumType,
    Extent,
    FileModule,
    Folder,
    HostName,
    HostValue,
    Intrinsic,
    Literal,
    Nothing,
    Package,
    Ragged,
    Record,
    Tuple,
    Unresolved,
    Val,
)
from intent2cuda.types.value_type import BufferType, DomainType, TensorType, ViewType

_FAMILIES = {
    "atomic": "I.atomic.add, or another of load, store, max, min, exchange, and_, or_, xor, compare_exchange",
    "quant": "I.quant.q4_k or I.quant.q8_k",
    "random": "I.random.uniform or I.random.bits",
    "sparse": "I.sparse.one_of_two or I.sparse.two_of_four",
}
"""Names of the language that have closed sets of names behind a dot, with what to use instead of an unknown one."""

_CONSTANTS = {"True": Literal(True), "False": Literal(False), "None": Nothing()}


def name(cx: Context, node: cst.Name) -> Val:
    """The value of a name: local, of the module, or of Python."""
    text = identifier(node.value)
    local = cx.read(text)
    if local is not None:
        return local
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    found = cx.globals.lookup(cx.frame.module, text)
    _check_import(cx, text, found)
    if isinstance(found, HostValue):
        cx.refuse(
            "src.fn.capture",
            f"`{text}` is a {found.kind}: kernels and helpers capture immutable constants only",
            "use a number, a tuple or an enum, or pass it as a parameter",
        )
    if found is not None:
        return found
    if text in PYTHON_NAMES:
        return HostName(text)
    undefined(cx, text)
    raise AssertionError(text)


def _check_import(cx: Context, text: str, found: Val | None) -> None:
    """Refuses a name whose import leads nowhere."""
    if isinstance(found, Unresolved):
        cx.refuse(
            "src.import.unresolved",
            f"`{text}` cannot be imported: {found.reason}",
            "correct the import, or define the name there",
        )


def undefined(cx: Context, text: str) -> None:
    """Refuses a name that nothing defines, with the most likely remedy."""
    if text in QUERIES:
        _refuse(cx, text, QUERIES[text])
    shown = text if len(text) <= 60 else text[:57] + "..."
    outer = [frame for frame in cx.frames[:-1] if text in frame.scope]
    if outer:
        cx.refuse(
            "src.fn.capture",
            f"`{shown}` is a name of `{outer[-1].function.name}`, which the helper does not see",
            "pass it as a parameter of the helper",
        )
    if text in cx.assigned_names():
        cx.refuse("src.name.undefined", f"`{shown}` is used before it has a value", "assign it on every way to here")
    place = cx.extent_place(text)
    if place:
        cx.refuse("src.name.undefined", f"`{shown}` names an extent in the signature, not a value", f"use {place}")
    close = near(text, (*cx.scope, *cx.globals.names(cx.frame.module)))
    help = f"did you mean `{close}`?" if close else "assign it first, or make it a parameter"
    if text == "I":
        help = "add: import intent2cuda.language as I"
    cx.refuse("src.name.undefined", f"`{shown}` is not defined", help)


def _refuse(cx: Context, text: str, hint: Hint) -> None:
    cx.refuse(hint.code, f"`{text}`: {hint.reason}", hint.help)


def attribute(cx: Context, base: Val, text: str) -> Val:
    """The value of `base.text`."""
    match base:
        case Value() | Extent() | Literal() | Tuple():
            return _of_value(cx, base, text)
        case Record():
            return _field(cx, base, text)
        case Ragged(outer=outer) if text == "outer":
            return outer
        case Ragged():
            cx.refuse(
                "src.attribute.unknown",
                f"a ragged relation has no attribute `{text}`",
                "use rows.outer for the domain of the groups, and rows[g] for the members of one",
            )
        case EnumType():
            return _member(cx, base, text)
        case Intrinsic(path=path):
            if surface.is_name(f"{path}.{text}"):
                return Intrinsic(f"{path}.{text}")
            unknown(cx, f"{path}.{text}", text)
        case Package(name="language"):
            found = surface.language_attribute(text)
            if found is not None:
                return found
            unknown(cx, text, text)
        case Package() | HostName():
            found = cx.globals.attribute(base, text)
            if found is not None:
                return found
        case FileModule() | Folder():
            found = cx.globals.attribute(base, text)
            _check_import(cx, text, found)
            if isinstance(found, HostValue):
                cx.refuse("src.fn.capture", f"`{text}` is a {found.kind}", "use a number, a tuple or an enum")
            if found is not None:
                return found
            cx.refuse("src.name.undefined", f"the module defines no `{text}`", "define it there")
        case EnumMember() | Element():
            pass
        case _:
            no_tensor(cx, base, "a value with attributes")
    cx.refuse("src.attribute.unknown", f"{described(base)} has no attribute `{text}`", "use the name itself")


def unknown(cx: Context, path: str, text: str) -> None:
    """Refuses a name that the language does not have."""
    known = _FAMILIES.get(path.split(".")[0])
    for table in () if known else (REMOVED, QUERIES):
        if text in table:
            hint = table[text]
            cx.refuse(hint.code, f"I.{path}: {hint.reason}", hint.help)
    known = known or SPELLINGS.get(path) or SPELLINGS.get(text)
    close = near(path, surface.visible_names())
    help = (
        f"use {known}"
        if known
        else f"did you mean I.{close}?"
        if close
        else "build it from operations of the language in an intent.fn"
    )
    cx.refuse("src.name.unknown", f"the language has no I.{path}", help)


def _of_value(cx: Context, base: Val, text: str) -> Val:
    what = described(base)
    match base:
        case Value(type=ViewType() | TensorType() as found) if text == "shape" and not (
            isinstance(found, TensorType) and found.is_scalar
        ):
            return Tuple(tuple(Extent(extent) for extent in found.shape))
        case Value(type=DomainType()):
            helps = {
                "end": "use I.end",
                "stop": "use I.end",
                "ordinal": "use enumerate",
                "shape": "use the domain itself as an extent",
            }
            help = helps.get(text, "use I.indices for its coordinates")
        case Value(type=BufferType()):
            help = "keep the extents of a buffer in names of their own" if text == "shape" else "read it first"
        case Value(type=ViewType() | TensorType()) if text in ("strides", "data_ptr", "data", "stride", "ctypes"):
            cx.refuse("src.pointer", f"{what} has no `{text}`: there are no pointers", "index it: x[...]")
        case _:
            known = SPELLINGS.get(text)
            help = f"use {known}" if known else "use a function of the language: I...."
            if text == "shape":
                help = "a scalar has no extents"
    cx.refuse("src.attribute.unknown", f"{what} has no attribute `{text}`", help)


def _field(cx: Context, base: Record, text: str) -> Val:
    found = base.field(text)
    if found is not None:
        return found
    fields = [name for name, _ in base.fields]
    close = near(text, fields)
    help = f"did you mean `{close}`?" if close else f"the fields are {', '.join(fields)}"
    cx.refuse("src.attribute.field", f"the record has no field `{text}`", help)


def _member(cx: Context, base: EnumType, text: str) -> EnumMember:
    if text in base.names():
        return EnumMember(base, text)
    close = near(text, base.names())
    help = f"did you mean {base.name}.{close}?" if close else f"the members are {', '.join(base.names())}"
    cx.refuse("src.enum.member", f"the enum `{base.name}` has no member `{text}`", help)


def python_call(cx: Context, path: str) -> None:
    """Refuses a call of something of Python or of a library."""
    text = path.rsplit(".", 1)[-1]
    if path.startswith("intent."):
        cx.refuse(
            "src.fn.host",
            f"`{path}` belongs to the host: kernels do not compile or launch",
            "call it outside the kernel",
        )
    hint = QUERIES.get(text)
    if hint is not None or path.startswith(("os.", "sys.", "platform.", "torch.", "cuda.")):
        cx.refuse(
            "src.kernel.query",
            f"`{path}`: a kernel cannot ask about the machine it runs on",
            hint.help if hint else "pass what the algorithm needs as a parameter",
        )
    own = surface.language_attribute(text) if "." in path else None
    known = f"I.{text}" if own is not None else PYTHON_CALLS.get(text) or SPELLINGS.get(text)
    help = f"use {known}" if known else "write it with the language, in an intent.fn"
    cx.refuse("src.call.python", f"`{path}` is a function of Python and cannot be called in a kernel", help)
