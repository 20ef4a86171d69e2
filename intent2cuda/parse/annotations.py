"""Annotations of kernel parameters: views with shape and constraints, runtime scalars, Constexpr."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from intent2cuda.base.diagnostics import Diagnostic, Findings
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.parse import constants, surface
from intent2cuda.parse.context import near
from intent2cuda.parse.describe import described
from intent2cuda.parse.hints import PHYSICAL_WORDS, REMOVED, SPELLINGS
from intent2cuda.parse.module_scope import Globals
from intent2cuda.parse.source import Module, identifier
from intent2cuda.parse.values import (
    Element,
    EnumType,
    HostName,
    HostValue,
    Intrinsic,
    Literal,
    Nothing,
    Package,
    Text,
    Tuple,
    Unresolved,
    Val,
)
from intent2cuda.parse.walk import named_parameters
from intent2cuda.types.dtype import BY_NAME, DType
from intent2cuda.types.value_type import Access, ViewType

Stride = int | str | None

_ACCESS: Mapping[str, Access] = {"In": Access.IN, "Out": Access.OUT, "InOut": Access.INOUT}

_VIEW_HELP = 'write I.In[I.f32, ("M", 4)]: a dtype, then a tuple of names and numbers'


@dataclass(frozen=True)
class ConstexprType:
    """The type of a Constexpr: `int`, `float`, `bool`, or an enum."""

    name: str
    enum: EnumType | None = None


ParameterType = ViewType | DType | ConstexprType


class AnnotationError(Exception):
    """An annotation that is none; `code`, message and help are for the author."""

    def __init__(self, code: str, message: str, help: str) -> None:
        self.code = code
        self.help = help
        super().__init__(message)


class AnnotationReader:
    """Reads the annotations of one function; every fault is at its parameter."""

    def __init__(self, globals_: Globals, module: Module, function: cst.FunctionDef, findings: Findings) -> None:
        self.globals = globals_
        self.module = module
        self.function = function
        self.findings = findings

    def fault(self, at: cst.CSTNode, fault: AnnotationError) -> None:
        self.findings.add(Diagnostic(fault.code, str(fault), self.module.span(at, self.function), fault.help))

    def read(self, parameter: cst.Param) -> ParameterType | None:
        """The type of a parameter, or None when that was reported."""
        name = identifier(parameter.name.value)
        try:
            if parameter.annotation is None:
                raise AnnotationError(
                    "src.param.annotation",
                    f"the parameter `{name}` has no annotation",
                    "annotate it: a view I.In[...], a scalar I.f32, or I.Constexpr[int]",
                )
            return self.annotation(name, parameter.annotation.annotation)
        except AnnotationError as fault:
            self.fault(parameter, fault)
            return None

    def annotation(self, name: str, node: cst.BaseExpression) -> ParameterType:
        if isinstance(node, cst.Subscript):
            match self.value(node.value):
                case Intrinsic(path="In" | "Out" | "InOut" as access):
                    return self.view(name, _ACCESS[access], [self.element(name, e) for e in node.slice])
                case Intrinsic(path="Constexpr"):
                    return self.constexpr(name, [self.element(name, e) for e in node.slice])
                case _:
                    raise AnnotationError(
                        "src.param.annotation",
                        f"the annotation of `{name}` is no view, scalar or Constexpr",
                        _VIEW_HELP,
                    )
        match self.value(node):
            case Element(dtype=dtype):
                return dtype
            case Intrinsic(path="Constexpr"):
                raise AnnotationError(
                    "src.constexpr.type", f"`{name}`: a Constexpr has a type", "write I.Constexpr[int]"
                )
            case Intrinsic(path=path) if path in _ACCESS:
                raise AnnotationError("src.view.shape", f"the view `{name}` has no dtype and no shape", _VIEW_HELP)
            case EnumType(name=enum):
                raise AnnotationError(
                    "src.param.kind",
                    f"`{name}` is annotated with the enum `{enum}`, which exists at compile time only",
                    f"write I.Constexpr[{enum}]",
                )
            case Intrinsic(path="record") | HostName(path="tuple" | "list" | "dict" | "object") as kind:
                raise AnnotationError(
                    "src.param.kind",
                    f"the parameter `{name}` cannot be a {kind.path}",
                    "pass views and scalars one by one",
                )
            case HostName(path=path):
                raise AnnotationError(
                    "src.param.annotation",
                    f"`{name}` is annotated with `{path}` of Python",
                    "write a dtype such as I.f32, or I.Constexpr[...]",
                )
            case Text(value=text):
                raise AnnotationError(
                    "src.param.annotation", f'`{name}` is annotated with the string "{text[:40]}"', _VIEW_HELP
                )
            case found:
                what = described(found) if found is not None else "no known type"
                raise AnnotationError("src.param.annotation", f"the annotation of `{name}` is {what}", _VIEW_HELP)

    def value(self, node: cst.BaseExpression) -> Val | None:
        """The compile-time value of a part of an annotation; unknown names are explained."""
        found = constants.evaluate(self.globals, self.module, node)
        if found is None or (isinstance(found, Intrinsic) and not surface.is_name(found.path)):
            self._explain(node)
        if isinstance(found, Unresolved):
            raise AnnotationError(
                "src.import.unresolved",
                f"the annotation names what cannot be imported: {found.reason}",
                "correct the import, or define the name there",
            )
        return found

    def _explain(self, node: cst.BaseExpression) -> None:
        match node:
            case cst.Name(value=name):
                text = identifier(name)
                close = near(text, self.globals.names(self.module))
                help = f"did you mean `{close}`?" if close else "import it at the top of the file"
                if text in {identifier(p.name.value) for p in named_parameters(self.function)}:
                    help = f'write the name of a parameter as a string: "{text}"'
                elif not close and text != "I":
                    help = f'write an extent in quotes, "{text}"; import what is defined elsewhere'
                raise AnnotationError(
                    "src.name.undefined",
                    f"`{text}` is not defined",
                    "add: import intent2cuda.language as I" if text == "I" else help,
                )
            case cst.Attribute(value=base, attr=cst.Name(value=name)):
                owner = self.value(base)
                if isinstance(owner, Package | Intrinsic):
                    hint = REMOVED.get(name)
                    if hint is not None:
                        raise AnnotationError(hint.code, f"I.{name}: {hint.reason}", hint.help)
                    close = near(name, BY_NAME)
                    known = SPELLINGS.get(name) or (f"I.{close}" if close else "")
                    raise AnnotationError(
                        "src.name.unknown",
                        f"the language has no I.{name}",
                        f"write {known}" if known else "use a dtype of the language, such as I.f32",
                    )
            case cst.Tuple(elements=elements):
                for part in elements:
                    self.value(part.value)
            case _:
                return

    def element(self, name: str, element: cst.SubscriptElement) -> tuple[cst.BaseExpression, Val | None]:
        if not isinstance(element.slice, cst.Index):
            raise AnnotationError("src.view.shape", f"the annotation of `{name}` holds a slice", _VIEW_HELP)
        node = element.slice.value
        if isinstance(node, cst.List):
            node = cst.Tuple(node.elements)
        return node, None if isinstance(node, cst.Call) else self.value(node)

    def view(self, name: str, access: Access, parts: list[tuple[cst.BaseExpression, Val | None]]) -> ViewType:
        if len(parts) == 1 and isinstance(parts[0][1], Tuple):
            raise AnnotationError("src.view.dtype", f"the view `{name}` has no dtype", _VIEW_HELP)
        dtype = self.view_dtype(name, parts[0][0], parts[0][1])
        if len(parts) < 2:
            raise AnnotationError("src.view.shape", f"the view `{name}` has no shape", _VIEW_HELP)
        if len(parts) > 3:
            raise AnnotationError("src.view.form", f"the view `{name}` has {len(parts)} parts", _VIEW_HELP)
        shape = self.shape(name, parts[1][1])
        if len(parts) == 2:
            return ViewType(dtype, shape, access)
        return self.constrained(name, ViewType(dtype, shape, access), parts[2][0])

    def view_dtype(self, name: str, node: cst.BaseExpression, value: Val | None) -> DType:
        match value:
            case Element(dtype=dtype):
                return dtype
            case Text(value=text) if text in BY_NAME:
                raise AnnotationError(
                    "src.view.dtype", f'the dtype of `{name}` is the string "{text}"', f"write I.{text}"
                )
            case None if isinstance(node, cst.Call):
                raise AnnotationError(
                    "src.view.dtype",
                    f"the element of `{name}` is the result of a call, no dtype: records have no views",
                    "use one view for each field",
                )
            case _:
                what = described(value) if value is not None else "unknown"
                raise AnnotationError(
                    "src.view.dtype", f"the dtype of `{name}` is {what}", "write a dtype of the language, such as I.f32"
                )

    def shape(self, name: str, value: Val | None) -> tuple[IntExpr, ...]:
        if not isinstance(value, Tuple):
            raise AnnotationError(
                "src.view.shape", f"the shape of `{name}` is no tuple", 'write a tuple, for example ("N",)'
            )
        return tuple(self.extent(name, item) for item in value.items)

    def extent(self, name: str, item: Val) -> IntExpr:
        match item:
            case Text(value=symbol) if identifier(symbol).isidentifier():
                return IntExpr.symbol(identifier(symbol))
            case Text(value=symbol):
                raise AnnotationError(
                    "src.view.symbol",
                    f'the extent "{symbol[:40]}" of `{name}` is no identifier',
                    "name an extent with an identifier, and compute in the body",
                )
            case Literal(value=number) if type(number) is int:
                if number < 0:
                    raise AnnotationError(
                        "src.view.extent", f"the extent {number} of `{name}` is negative", "use a non-negative extent"
                    )
                if number >= 1 << 63:
                    raise AnnotationError(
                        "src.view.extent", f"the extent of `{name}` exceeds 63 bits", "use a smaller extent"
                    )
                return IntExpr.of(number)
            case Literal(value=other):
                raise AnnotationError(
                    "src.view.extent", f"the extent {other} of `{name}` is no integer", "use an integer or a name"
                )
            case _:
                raise AnnotationError(
                    "src.view.extent", f"an extent of `{name}` is {described(item)}", "use an integer or a name"
                )

    def constexpr(self, name: str, parts: list[tuple[cst.BaseExpression, Val | None]]) -> ConstexprType:
        match [value for _, value in parts]:
            case [HostName(path="int" | "float" | "bool" as kind)]:
                return ConstexprType(kind)
            case [EnumType() as enum]:
                if enum.fault:
                    self.findings.add(
                        Diagnostic(
                            "src.enum.definition", enum.fault, enum.span, "give each member an integer of its own"
                        )
                    )
                return ConstexprType(enum.name, enum)
            case [Element(dtype=dtype)]:
                raise AnnotationError(
                    "src.constexpr.type",
                    f"the Constexpr `{name}` has the dtype {dtype}: its type is one of Python",
                    "write int, float, bool or an enum",
                )
            case [HostValue(name=other, kind="Python enum")]:
                raise AnnotationError(
                    "src.constexpr.type",
                    f"the Constexpr `{name}` has the type `{other}`, a Python enum",
                    "derive it from I.Enum",
                )
            case [HostName(path=path)]:
                raise AnnotationError(
                    "src.constexpr.type",
                    f"the Constexpr `{name}` has the type `{path}`",
                    "use int, float, bool, or an I.Enum for a choice by name",
                )
            case _:
                raise AnnotationError(
                    "src.constexpr.type",
                    f"the Constexpr `{name}` has no known type",
                    "use int, float, bool, or an I.Enum",
                )

    def constrained(self, name: str, view: ViewType, node: cst.BaseExpression) -> ViewType:
        """The view with the strides and aliasing that I.constraints states."""
        if not isinstance(node, cst.Call) or self.value(node.func) != Intrinsic("constraints"):
            raise AnnotationError(
                "src.view.constraints",
                f"the third part of `{name}` is no I.constraints(...)",
                "write I.constraints(strides=..., alias=..., noalias=...)",
            )
        found: dict[str, Val | None] = {}
        for arg in node.args:
            word = "" if arg.keyword is None else identifier(arg.keyword.value)
            if word in PHYSICAL_WORDS:
                raise AnnotationError(
                    "src.view.physical",
                    f"`{word}` of `{name}` is no matter of the algorithm",
                    "leave it out: layouts are tested at the call",
                )
            if word not in ("strides", "alias", "noalias") or arg.star:
                raise AnnotationError(
                    "src.view.constraints",
                    f"I.constraints of `{name}` has no argument `{word}`",
                    "the arguments are strides, alias, noalias",
                )
            found[word] = self.value(cst.Tuple(arg.value.elements) if isinstance(arg.value, cst.List) else arg.value)
        strides = self.strides(name, found.get("strides", Nothing()), len(view.shape))
        alias = self.alias(name, found.get("alias", Nothing()))
        noalias = self.flag(name, found.get("noalias", Literal(False)))
        if alias is not None and noalias:
            raise AnnotationError(
                "src.view.constraints", f"`{name}` has alias and noalias: one excludes the other", "keep one of them"
            )
        return ViewType(view.dtype, view.shape, view.access, strides, alias, noalias)

    def strides(self, name: str, value: Val | None, rank: int) -> tuple[Stride, ...] | None:
        if isinstance(value, Nothing):
            return None
        if not isinstance(value, Tuple):
            raise AnnotationError(
                "src.view.strides",
                f"the strides of `{name}` are no tuple",
                "write one entry for each axis: None, a number or a name",
            )
        if len(value.items) != rank:
            raise AnnotationError(
                "src.view.strides",
                f"`{name}` has {len(value.items)} strides for {rank} axes",
                "write one entry for each axis",
            )
        return tuple(self.stride(name, item) for item in value.items)

    def stride(self, name: str, item: Val) -> Stride:
        match item:
            case Nothing():
                return None
            case Literal(value=number) if type(number) is int:
                return number
            case Text(value=symbol) if identifier(symbol).isidentifier():
                return identifier(symbol)
            case _:
                raise AnnotationError(
                    "src.view.strides", f"a stride of `{name}` is {described(item)}", "write None, a number or a name"
                )

    def alias(self, name: str, value: Val | None) -> str | None:
        match value:
            case Nothing():
                return None
            case Text(value=group) if group:
                return group
            case _:
                raise AnnotationError(
                    "src.view.constraints", f"the alias group of `{name}` is no name", 'write alias="group"'
                )

    def flag(self, name: str, value: Val | None) -> bool:
        if isinstance(value, Literal) and isinstance(value.value, bool):
            return value.value
        raise AnnotationError("src.view.constraints", f"`noalias` of `{name}` is no bool", "write True or False")
