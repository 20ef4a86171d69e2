"""What the templates of headers and bindings receive: prepared text, one record a kernel and one a parameter."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from intent2cuda.emit.comments import comment_text, string_text
from intent2cuda.emit.functions import declaration
from intent2cuda.emit.layout import (
    INDENT,
    WIDTH,
    Concat,
    Doc,
    Fill,
    Group,
    HardLine,
    Line,
    Nest,
    Value,
    concat,
    joined,
    render,
)
from intent2cuda.emit.names import c_prefix
from intent2cuda.emit.spelling import c_scalar, public_element
from intent2cuda.machine.names import first_free
from intent2cuda.machine.unit import Direction, InterfaceParameter, KernelUnit

_DOC_COLUMNS = 500
"""How much of a kernel's first paragraph stands above its declaration."""


@dataclass(frozen=True)
class ParameterView:
    """One parameter in each of the spellings that files need."""

    name: str
    described: str
    c_declaration: str
    unpacked: str
    python_name: str
    python_declaration: str
    python_value: str
    stub: str


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


@dataclass(frozen=True)
class KernelView:
    """A kernel in each of the spellings that files need."""

    name: str
    python_name: str
    doc: tuple[str, ...]
    declarations: tuple[str, ...]
    parameters: tuple[ParameterView, ...]
    c_name: str
    c_run: str
    run_body: str
    call_body: str
    python_lambda: str
    python_arguments: tuple[str, ...]
    stub: str
    workspace: WorkspaceView | None
    count: int


@dataclass(frozen=True)
class WorkspaceView:
    """The function that says how many bytes of workspace a call of a kernel needs."""

    c_function: str
    c_body: str
    c_call_body: str
    python_name: str
    python_lambda: str
    python_arguments: tuple[str, ...]
    stub: str


def kernel_view(project: str, unit: KernelUnit) -> KernelView:
    """The view of a kernel; the declarations are those of its public functions, with `index_t` spelled out."""
    interface = unit.interface
    parameters = tuple(_parameter(p) for p in interface.parameters)
    public = [f for f in unit.functions if f.kind.is_public]
    extras = _EXTRAS[: 1 + interface.has_workspace] if unit.target == "cuda" else ()
    function, name = f"{project}::{interface.cpp_name}", c_prefix(project, interface.cpp_name)
    typed = (*(_from_c(p, interface.cpp_name) for p in interface.parameters), *(e.from_c for e in extras))
    raw = [f"arguments[{i}]" for i in range(len(parameters) + len(extras))]
    passed = (
        *(f"{p.unpacked}({a})" for p, a in zip(parameters, raw, strict=False)),
        *(f"*static_cast<void* const*>({a})" for a in raw[len(parameters) :]),
    )
    return KernelView(
        name=interface.cpp_name,
        python_name=_python_name(interface.name, interface.cpp_name),
        doc=tuple(textwrap.wrap(comment_text(interface.doc, _DOC_COLUMNS), 97)),
        declarations=tuple(declaration(f) for f in public),
        parameters=parameters,
        c_name=name,
        c_run=_c_function(f"{name}_run", parameters, tuple(f"void* {e.name}" for e in extras)),
        run_body=_statement(function, typed, 2),
        call_body=_statement(f"return {name}_run", passed, 1),
        python_lambda=_python_lambda(unit, function, parameters, extras),
        python_arguments=(
            *(f'pybind11::arg("{p.python_name}")' for p in parameters),
            *(f'pybind11::arg("{e.name}") = 0' for e in extras),
        ),
        stub=_stub(unit, parameters, extras),
        workspace=_workspace(project, unit, parameters) if interface.has_workspace else None,
        count=len(parameters),
    )


def _workspace(project: str, unit: KernelUnit, parameters: tuple[ParameterView, ...]) -> WorkspaceView:
    interface = unit.interface
    function = f"{project}::{interface.cpp_name}_workspace"
    c_name = f"{c_prefix(project, interface.cpp_name)}_workspace"
    result = first_free(("bytes", "workspace_bytes"), {p.name for p in parameters}.__contains__)
    raw = (*(f"{p.unpacked}(arguments[{i}])" for i, p in enumerate(parameters)), "bytes")
    name = f"{_python_name(interface.name, interface.cpp_name)}_workspace"
    shapes = tuple(_from_c(p, interface.cpp_name, "shape_of") for p in interface.parameters)
    return WorkspaceView(
        c_function=_c_function(c_name, parameters, (f"size_t* {result}",)),
        c_body=_statement(f"*{result} = {function}", shapes, 2),
        c_call_body=_statement(f"return {c_name}", raw, 1),
        python_name=name,
        python_lambda=_python_lambda(unit, f"return {function}", parameters, ()),
        python_arguments=tuple(f'pybind11::arg("{p.python_name}")' for p in parameters),
        stub=render(concat(_call(f"def {name}", tuple(p.stub for p in parameters)), " -> int: ...")),
    )


def _c_function(name: str, parameters: tuple[ParameterView, ...], extras: tuple[str, ...]) -> str:
    """A typed C function up to its closing parenthesis."""
    declarations = (*(p.c_declaration for p in parameters), *extras)
    return render(_call(f"intent_status {name}", declarations or ("void",)), width=WIDTH - len(";"))


def _statement(function: str, arguments: Sequence[Doc], depth: int) -> str:
    """A call as a statement, indented `depth` times."""
    column = depth * INDENT
    return " " * column + render(concat(_call(function, arguments), ";"), column=column)


def _call(function: str, arguments: Sequence[Doc]) -> Doc:
    parts = tuple(concat(a, ",") if i < len(arguments) - 1 else a for i, a in enumerate(arguments))
    return Group(Concat((f"{function}(", Fill(parts, hangs=True), ")")))


def _python_lambda(
    unit: KernelUnit, function: str, parameters: tuple[ParameterView, ...], extras: tuple[Extra, ...]
) -> str:
    """Converts the arguments while Python is locked, then calls the kernel without the lock."""
    taken = {p.name for p in parameters}
    reader = "device_view" if unit.target == "cuda" else "view"
    declared = [p.python_declaration for p in parameters] + [f"std::uintptr_t {e.name}" for e in extras]
    rows: list[Doc] = []
    arguments: list[str] = []
    for parameter, view in zip(unit.interface.parameters, parameters, strict=True):
        if parameter.direction is Direction.SCALAR:
            arguments.append(view.python_value)
            continue
        local = first_free((f"{view.name}_view", f"{view.name}_array_view"), taken.__contains__)
        taken.add(local)
        arguments.append(local)
        read = _call(
            f"intent::python::{reader}<{_element(parameter)}, {len(parameter.dims)}>",
            (view.name, f'"{string_text(unit.interface.name)}"', f'"{view.python_name}"'),
        )
        rows += [concat(f"const auto {local} =", Value(read), ";"), HardLine()]
    lock = first_free(("unlocked", "python_unlocked"), taken.__contains__)
    body = Concat(
        (
            *rows,
            concat(f"const pybind11::gil_scoped_release {lock};", HardLine()),
            concat(_call(function, (*arguments, *(e.from_python for e in extras))), ";"),
        )
    )
    head = Group(concat("[](", Nest(joined(Concat((",", Line())), declared), None), ") {"))
    return render(Concat((head, Nest(Concat((HardLine(), body))), HardLine(), "}")), column=2 * INDENT)


def _stub(unit: KernelUnit, parameters: tuple[ParameterView, ...], extras: tuple[Extra, ...]) -> str:
    written = (*(p.stub for p in parameters), *(f"{e.name}: int = 0" for e in extras))
    return render(
        concat(_call(f"def {_python_name(unit.interface.name, unit.interface.cpp_name)}", written), " -> None: ...")
    )


def _python_name(name: str, cpp_name: str) -> str:
    """The author's name where every editor can type it, else the one of C++."""
    return name if name.isascii() else cpp_name


def _element(p: InterfaceParameter) -> str:
    return f"{'const ' if p.direction is Direction.IN else ''}{public_element(p.dtype)}"


def _is_narrow(p: InterfaceParameter) -> bool:
    """Whether C and Python have no type for it: 8- and 16-bit floats."""
    return p.dtype.is_float and p.dtype.bits < 32


def _parameter(p: InterfaceParameter) -> ParameterView:
    element, scalar = public_element(p.dtype), c_scalar(p.dtype)
    python_name = _python_name(p.name, p.cpp_name)
    if p.direction is Direction.SCALAR:
        narrow = _is_narrow(p)
        return ParameterView(
            name=p.cpp_name,
            described=comment_text(f"{p.dtype.name}{' (its bits)' if narrow else ''}"),
            c_declaration=f"{scalar} {p.cpp_name}",
            unpacked=f"*static_cast<const {scalar}*>",
            python_name=python_name,
            python_declaration=f"{'float' if narrow else element} {p.cpp_name}",
            python_value=f"{element}({p.cpp_name})" if narrow else p.cpp_name,
            stub=f"{python_name}: {_stub_scalar(p)}",
        )
    shape = ", ".join(str(d) for d in p.dims)
    return ParameterView(
        name=p.cpp_name,
        described=comment_text(f"[{shape}] {p.dtype.name}, {p.direction.value}"),
        c_declaration=f"const intent_view* {p.cpp_name}",
        unpacked="static_cast<const intent_view*>",
        python_name=python_name,
        python_declaration=f"const pybind11::object& {p.cpp_name}",
        python_value="",
        stub=f"{python_name}: Array",
    )


def _from_c(p: InterfaceParameter, kernel: str, reader: str = "view_of") -> Doc:
    """The argument of the C++ function that a C caller's argument stands for."""
    if p.direction is not Direction.SCALAR:
        whose = f'"{kernel}: {p.cpp_name}"'
        return _call(f"intent::{reader}<{_element(p)}, {len(p.dims)}>", (p.cpp_name, whose))
    return f"intent::bit_cast<{public_element(p.dtype)}>({p.cpp_name})" if _is_narrow(p) else p.cpp_name


def _stub_scalar(p: InterfaceParameter) -> str:
    if p.dtype.is_bool:
        return "bool"
    return "float" if p.dtype.is_float else "int"
