"""What the templates of headers and bindings receive: prepared text, one record a kernel and one a parameter."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.emit.comments import comment_text, string_text
from intent2cuda.emit.functions import declaration
from intent2cuda.emit.spelling import c_scalar, public_element
from intent2cuda.machine.unit import Direction, FunctionKind, InterfaceParameter, KernelUnit


@dataclass(frozen=True)
class ParameterView:
    """One parameter in each of the spellings that files need."""

    name: str
    shown: str
    is_view: bool
    element: str
    rank: int
    c_declaration: str
    c_argument: str
    python_type: str
    python_value: str
    stub_type: str
    described: str


@dataclass(frozen=True)
class KernelView:
    name: str
    title: str
    doc: str
    declarations: tuple[str, ...]
    parameters: tuple[ParameterView, ...]
    c_parameters: str
    c_arguments: str
    workspace_arguments: str
    call_arguments: tuple[str, ...]
    python_parameters: str
    python_arguments: str
    python_names: str
    has_workspace: bool
    count: int


@dataclass(frozen=True)
class Extra:
    """A parameter that a cuda kernel has beside the author's."""

    name: str
    from_c: str
    from_python: str


_EXTRAS = (
    Extra("stream", "static_cast<cudaStream_t>(stream)", "reinterpret_cast<cudaStream_t>(stream)"),
    Extra("workspace", "workspace", "reinterpret_cast<void*>(workspace)"),
)


def kernel_view(unit: KernelUnit) -> KernelView:
    """The view of a kernel; the declarations are those of its public functions, with `index_t` spelled out."""
    interface = unit.interface
    parameters = tuple(_parameter(p, interface.cpp_name, unit.target) for p in interface.parameters)
    public = [f for f in unit.functions if f.kind is not FunctionKind.KERNEL]
    extras = _EXTRAS[: 1 + interface.has_workspace] if unit.target == "cuda" else ()
    own = [p.c_argument for p in parameters]
    return KernelView(
        name=interface.cpp_name,
        title=comment_text(interface.name),
        doc=comment_text(interface.doc, 96),
        declarations=tuple(declaration(f).replace("index_t", "std::int64_t") for f in public),
        parameters=parameters,
        c_parameters=", ".join((*(p.c_declaration for p in parameters), *(f"void* {e.name}" for e in extras)))
        or "void",
        c_arguments=",\n            ".join((*own, *(e.from_c for e in extras))),
        workspace_arguments=",\n            ".join(own),
        call_arguments=_call_arguments(unit, parameters),
        python_parameters=",\n           ".join(
            (
                *(f"{p.python_type} {p.name}{'_object' if p.is_view else '_value'}" for p in parameters),
                *(f"std::uintptr_t {e.name}" for e in extras),
            )
        ),
        python_arguments=", ".join((*(p.name for p in parameters), *(e.from_python for e in extras))),
        python_names="".join(
            (
                *(f',\n        pybind11::arg("{p.shown}")' for p in parameters),
                *(f',\n        pybind11::arg("{e.name}") = 0' for e in extras),
            )
        ),
        has_workspace=interface.has_workspace,
        count=len(parameters),
    )


def _call_arguments(unit: KernelUnit, parameters: tuple[ParameterView, ...]) -> tuple[str, ...]:
    """How the entry for dynamic callers takes each argument out of its array."""
    found = [
        f"static_cast<const intent_view*>(arguments[{i}])"
        if p.is_view
        else f"*static_cast<const {c_scalar(unit.interface.parameters[i].dtype)}*>(arguments[{i}])"
        for i, p in enumerate(parameters)
    ]
    if unit.target == "cuda":
        found.append(f"*static_cast<void* const*>(arguments[{len(parameters)}])")
        if unit.interface.has_workspace:
            found.append(f"*static_cast<void* const*>(arguments[{len(parameters) + 1}])")
    return tuple(found)


def _parameter(p: InterfaceParameter, kernel: str, target: str) -> ParameterView:
    element = public_element(p.dtype)
    is_view = p.direction is not Direction.SCALAR
    qualified = f"const {element}" if p.direction is Direction.IN else element
    bits = c_scalar(p.dtype)
    narrow = p.dtype.is_float and p.dtype.bits < 32
    shown = string_text(p.name)
    reader = "device_view" if target == "cuda" else "view"
    shape = ", ".join(str(d) for d in p.dims)
    return ParameterView(
        name=p.cpp_name,
        shown=shown,
        is_view=is_view,
        element=qualified,
        rank=len(p.dims),
        c_declaration=f"const intent_view* {p.cpp_name}" if is_view else f"{bits} {p.cpp_name}",
        c_argument=_c_argument(p, qualified, narrow),
        python_type="const pybind11::object&" if is_view else ("float" if narrow else element),
        python_value=(
            f'intent::python::{reader}<{qualified}, {len(p.dims)}>({p.cpp_name}_object, "{kernel}", "{shown}")'
            if is_view
            else (f"{element}({p.cpp_name}_value)" if narrow else f"{p.cpp_name}_value")
        ),
        stub_type=_stub_type(p),
        described=comment_text(f"[{shape}] {p.dtype.name}, {p.direction.value}" if is_view else p.dtype.name),
    )


def _c_argument(p: InterfaceParameter, qualified: str, narrow: bool) -> str:
    if p.direction is not Direction.SCALAR:
        return f"intent::view_of<{qualified}, {len(p.dims)}>(*{p.cpp_name})"
    return f"intent::bit_cast<{public_element(p.dtype)}>({p.cpp_name})" if narrow else p.cpp_name


def _stub_type(p: InterfaceParameter) -> str:
    if p.direction is not Direction.SCALAR:
        return "Array"
    if p.dtype.is_bool:
        return "bool"
    return "float" if p.dtype.is_float else "int"
