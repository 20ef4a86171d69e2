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
    call_arguments: tuple[str, ...]
    has_workspace: bool
    count: int


def kernel_view(unit: KernelUnit) -> KernelView:
    """The view of a kernel; declarations are those of its public functions, with `index_t` spelled out for the header."""
    interface = unit.interface
    parameters = tuple(_parameter(p, interface.cpp_name) for p in interface.parameters)
    public = [f for f in unit.functions if f.kind is not FunctionKind.KERNEL]
    c_parameters = [p.c_declaration for p in parameters]
    if unit.target == "cuda":
        c_parameters.append("void* stream")
        if interface.has_workspace:
            c_parameters.append("void* workspace")
    return KernelView(
        name=interface.cpp_name,
        title=comment_text(interface.name),
        doc=comment_text(interface.doc, 96),
        declarations=tuple(declaration(f).replace("index_t", "std::int64_t") for f in public),
        parameters=parameters,
        c_parameters=", ".join(c_parameters) or "void",
        call_arguments=_call_arguments(unit, parameters),
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


def _parameter(p: InterfaceParameter, kernel: str) -> ParameterView:
    element = public_element(p.dtype)
    is_view = p.direction is not Direction.SCALAR
    qualified = f"const {element}" if p.direction is Direction.IN else element
    bits = c_scalar(p.dtype)
    narrow = p.dtype.is_float and p.dtype.bits < 32
    shown = string_text(p.name)
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
            f'intent::python::view<{qualified}, {len(p.dims)}>({p.cpp_name}, "{kernel}", "{shown}")'
            if is_view
            else (f"{element}({p.cpp_name})" if narrow else p.cpp_name)
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
