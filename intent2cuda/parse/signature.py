"""Signatures of kernels: runtime parameters with their types, and Constexpr parameters with their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import libcst as cst

from intent2cuda.base.diagnostics import Findings
from intent2cuda.base.intexpr import IntExpr, Symbol, substitute
from intent2cuda.base.span import Span
from intent2cuda.parse import constants, constexprs
from intent2cuda.parse.annotations import AnnotationError, AnnotationReader, ConstexprType
from intent2cuda.parse.module_scope import Globals
from intent2cuda.parse.sizes import holds, oversized
from intent2cuda.parse.source import identifier
from intent2cuda.parse.values import Function, Literal, Val
from intent2cuda.parse.walk import named_parameters
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import ViewType


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel: a view, a runtime scalar, or a Constexpr with its default, if it has one."""

    name: str
    type: ViewType | DType | ConstexprType
    span: Span
    default: Val | None = None

    @property
    def is_constexpr(self) -> bool:
        return isinstance(self.type, ConstexprType)


@dataclass(frozen=True)
class Signature:
    """Parameters in order. `bound` are the values of the Constexpr ones."""

    parameters: tuple[Parameter, ...]
    bound: Mapping[str, Val]

    @property
    def runtime(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if not p.is_constexpr)


def read_parameters(globals_: Globals, function: Function, findings: Findings) -> tuple[Parameter, ...]:
    """The parameters of a kernel; what is wrong with them is among the findings."""
    node = function.node
    assert node is not None
    reader = AnnotationReader(globals_, function.module, node, findings)
    for star in (node.params.star_arg, node.params.star_kwarg):
        if isinstance(star, cst.Param):
            reader.fault(
                star,
                AnnotationError(
                    "src.param.variadic",
                    f"a kernel has a fixed number of parameters: `{star.name.value}`",
                    "name every parameter",
                ),
            )
    if node.returns is not None:
        reader.fault(
            node.returns,
            AnnotationError(
                "src.kernel.return_value",
                "a kernel has no return type: it cannot return a value",
                "store results into an Out view",
            ),
        )
    found: list[Parameter] = []
    names: set[str] = set()
    for parameter in named_parameters(node):
        name = identifier(parameter.name.value)
        if name in names:
            reader.fault(parameter, repeated_parameter(name))
        names.add(name)
        one = _parameter(reader, parameter)
        if one is not None:
            found.append(one)
    return tuple(found)


def repeated_parameter(name: str) -> AnnotationError:
    """What is said about a parameter with the name of one before it."""
    return AnnotationError(
        "src.param.duplicate", f"two parameters have the name `{name}`", "give each parameter a name of its own"
    )


def _parameter(reader: AnnotationReader, node: cst.Param) -> Parameter | None:
    name = identifier(node.name.value)
    type_ = reader.read(node)
    if node.default is not None and not isinstance(type_, ConstexprType | None):
        reader.fault(
            node,
            AnnotationError(
                "src.param.default",
                f"the parameter `{name}` has a default: only a Constexpr may have one",
                "pass the value at each call",
            ),
        )
        return None
    if type_ is None:
        return None
    span = reader.module.span(node, reader.function)
    if not isinstance(type_, ConstexprType):
        return Parameter(name, type_, span)
    try:
        constexprs.check_name(name)
        default = _default(reader, name, type_, node.default)
        return Parameter(name, type_, span, default)
    except AnnotationError as fault:
        reader.fault(node, fault)
        return None


def _default(reader: AnnotationReader, name: str, type_: ConstexprType, node: cst.BaseExpression | None) -> Val | None:
    if node is None:
        return None
    value = constants.evaluate(reader.globals, reader.module, node)
    if value is None and isinstance(node, cst.List):
        raise AnnotationError(
            "src.constexpr.type",
            f"`{name}` has the type {type_.name}, its default is a list",
            f"write a constant of {type_.name}",
        )
    return constexprs.of_default(name, type_, value)


def specialise(
    parameters: tuple[Parameter, ...], values: Mapping[str, object], findings: Findings, kernel: Span
) -> Signature:
    """The signature with every Constexpr bound, and their values in the shapes that name them."""
    bound: dict[str, Val] = {}
    known = {p.name for p in parameters if isinstance(p.type, ConstexprType)}
    for name in values:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            findings.error(
                "src.constexpr.unknown",
                f"the kernel has no Constexpr `{name}`",
                kernel,
                f"the Constexpr parameters are: {listed}",
            )
    for p in parameters:
        if not isinstance(p.type, ConstexprType):
            continue
        try:
            value = constexprs.of_caller(p.name, p.type, values[p.name]) if p.name in values else p.default
        except AnnotationError as fault:
            findings.error(fault.code, str(fault), p.span, fault.help)
            continue
        if value is None:
            findings.error(
                "src.constexpr.missing",
                f"the Constexpr `{p.name}` has no value",
                p.span,
                f'pass it: constexprs={{"{p.name}": ...}}',
            )
        else:
            bound[p.name] = value
    numbers = {Symbol(n): v.value for n, v in bound.items() if isinstance(v, Literal) and type(v.value) is int}
    _check_extents(parameters, numbers, findings)
    specialised = tuple(_substituted(p, numbers) for p in parameters)
    _check_sizes(specialised, findings)
    return Signature(specialised, bound)


def _check_sizes(parameters: tuple[Parameter, ...], findings: Findings) -> None:
    """Reports each view of too many axes or elements."""
    for p in parameters:
        if not isinstance(p.type, ViewType):
            continue
        excess = oversized(p.type.shape, p.type.dtype, f"the view `{p.name}`", "src.view.extent")
        if excess is not None:
            findings.error(excess.code, excess.message, p.span, excess.help)


def _check_extents(parameters: tuple[Parameter, ...], numbers: Mapping[Symbol, int], findings: Findings) -> None:
    """Reports each Constexpr that is an extent and negative or more than 63 bits, where it is first one."""
    for symbol, number in numbers.items():
        extent = IntExpr.symbol(symbol.name)
        uses = [p for p in parameters if isinstance(p.type, ViewType) and extent in p.type.shape]
        if not uses or (number >= 0 and holds(number)):
            continue
        what = f"{number}, a negative extent" if number < 0 else "an extent of more than 63 bits"
        findings.error(
            "src.constexpr.extent",
            f"`{symbol.name}` is {what} of `{uses[0].name}`",
            uses[0].span,
            "bind a non-negative value" if number < 0 else "bind a smaller value",
        )


def _substituted(parameter: Parameter, numbers: Mapping[Symbol, int]) -> Parameter:
    """The parameter with the values of Constexpr names in its shape."""
    view = parameter.type
    if not isinstance(view, ViewType):
        return parameter
    values = {symbol: IntExpr.of(number) for symbol, number in numbers.items()}
    shape = tuple(substitute(extent, values) for extent in view.shape)
    return replace(parameter, type=replace(view, shape=shape))
