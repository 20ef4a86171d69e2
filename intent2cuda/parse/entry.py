"""From a file and a name to the typed Kernel IR of one specialisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from intent2cuda.base.diagnostics import Diagnostic, Findings
from intent2cuda.base.intexpr import Symbol
from intent2cuda.base.span import SourceFile
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Region
from intent2cuda.ir.value import Value
from intent2cuda.parse.constexprs import shown
from intent2cuda.parse.context import Binding, Context, Frame
from intent2cuda.parse.inline import body_of
from intent2cuda.parse.kernels import find_kernel
from intent2cuda.parse.limits import with_deep_stack
from intent2cuda.parse.module_scope import Globals
from intent2cuda.parse.signature import Parameter, Signature, read_parameters, specialise
from intent2cuda.parse.source import load_source
from intent2cuda.parse.statements import run
from intent2cuda.parse.values import Function
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import Access, ViewType, scalar


@dataclass(frozen=True)
class ParsedKernel:
    """A kernel, what is to be noted about it, and every file that was read for it."""

    kernel: Kernel
    notes: tuple[Diagnostic, ...]
    sources: tuple[SourceFile, ...]


def parse_kernel(
    path: str | Path, name: str, constexprs: Mapping[str, object] | None = None, display_name: str | None = None
) -> ParsedKernel:
    """The kernel `name` of a file, specialised. Raises IntentError with all that is wrong at the stage that fails."""
    return with_deep_stack(lambda: _parse(path, name, constexprs or {}, display_name))


def parse_signature(path: str | Path, name: str, display_name: str | None = None) -> tuple[Parameter, ...]:
    """The parameters of a kernel, with the defaults of its Constexpr ones. Raises IntentError."""

    def read() -> tuple[Parameter, ...]:
        module = load_source(path, display_name)
        globals_ = Globals(module)
        findings = Findings()
        parameters = read_parameters(globals_, find_kernel(globals_, module, name), findings)
        findings.stop_on_errors()
        return parameters

    return with_deep_stack(read)


def _parse(path: str | Path, name: str, constexprs: Mapping[str, object], display_name: str | None) -> ParsedKernel:
    module = load_source(path, display_name)
    globals_ = Globals(module)
    function = find_kernel(globals_, module, name)
    node = function.node
    assert node is not None
    cx = Context(globals_, run)
    parameters = read_parameters(globals_, function, cx.findings)
    cx.findings.stop_on_errors()
    signature = specialise(parameters, constexprs, cx.findings, module.span(node.name, node))
    cx.findings.stop_on_errors()
    kernel = _read(cx, function, node, signature)
    cx.findings.stop_on_errors()
    return ParsedKernel(kernel, cx.findings.all, globals_.sources)


def _read(cx: Context, function: Function, node: cst.FunctionDef, signature: Signature) -> Kernel:
    frame = Frame(function, node)
    cx.frames.append(frame)
    values = tuple(_declare(cx, parameter) for parameter in signature.runtime)
    for name, bound in signature.bound.items():
        frame.scope[name] = Binding(bound)
    with cx.emitter.block() as block:
        cx.run(cx, body_of(node))
    docstring = node.get_docstring() or ""
    bound = tuple((name, shown(value)) for name, value in signature.bound.items())
    body = Region((), tuple(block.ops))
    return Kernel(function.name, values, body, function.module.span(node.name, node), bound, docstring)


def _declare(cx: Context, parameter: Parameter) -> Value:
    type_ = parameter.type
    cx.emitter.place = parameter.span
    if isinstance(type_, ViewType):
        value = cx.emitter.value(type_, parameter.name)
        for axis, extent in enumerate(type_.shape):
            symbol = extent.as_symbol
            if symbol is not None:
                cx.extent_places.setdefault(symbol.name, f"{parameter.name}.shape[{axis}]")
        cx.signature_extents |= set(type_.shape)
        if type_.access is not Access.IN:
            cx.written_extents |= set(type_.shape)
    else:
        assert isinstance(type_, DType)
        value = cx.emitter.value(scalar(type_), parameter.name)
        if type_.is_integer:
            cx.emitter.expression(value)
            cx.emitter.call_time.add(Symbol(value.name, value.serial))
    cx.frame.scope[parameter.name] = Binding(value, parameter.span)
    return value
