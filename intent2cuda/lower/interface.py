"""The kernel as callers see it."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.value import Value
from intent2cuda.lower.inspections import reserved
from intent2cuda.lower.scalars import ctype
from intent2cuda.machine.names import derived, first_free, identifier
from intent2cuda.machine.types import CType, View
from intent2cuda.machine.unit import Direction, Interface, InterfaceParameter, Overlap, Parameter
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.types.value_type import Access, ViewType

_DIRECTIONS = {Access.IN: Direction.IN, Access.OUT: Direction.OUT, Access.INOUT: Direction.INOUT}


def parameter_names(kernel: Kernel) -> dict[Value, str]:
    """A C++ name for each parameter, different from all others."""
    names: dict[Value, str] = {}
    for value in kernel.parameters:
        taken = (*names.values(), *own_names(kernel))
        base = identifier(value.name)
        names[value] = first_free((base, derived(base, "in")), lambda name, taken=taken: name in taken)
    return names


def own_names(kernel: Kernel) -> tuple[str, ...]:
    """What a launcher needs besides the parameters: no parameter and no extent may have these names."""
    functions = (derived(identifier(kernel.name), "kernel"), workspace_name(kernel))
    return "stream", "workspace", *functions, *reserved(kernel)


def workspace_name(kernel: Kernel) -> str:
    """The function that says how many bytes of workspace a call needs."""
    return f"{identifier(kernel.name)}_workspace"


def parameters(names: Mapping[Value, str]) -> tuple[Parameter, ...]:
    """The parameters of the kernel's and the launcher's function."""
    return tuple(Parameter(parameter_type(value), name) for value, name in names.items())


def parameter_type(value: Value) -> CType:
    if isinstance(value.type, ViewType):
        return View(value.type.dtype, len(value.type.shape), value.type.access is Access.IN)
    return ctype(value.tensor.dtype)


def interface(plan: ConcretePlan, names: Mapping[Value, str], has_workspace: bool) -> Interface:
    kernel = plan.kernel
    return Interface(
        name=kernel.name,
        cpp_name=identifier(kernel.name),
        parameters=tuple(_parameter(value, name) for value, name in names.items()),
        overlaps=tuple(Overlap(o.written.name, o.other.name, o.rule) for o in plan.overlaps),
        has_workspace=has_workspace,
        doc=kernel.doc,
        source=kernel.span.file.name,
        line=kernel.span.line,
    )


def _parameter(value: Value, name: str) -> InterfaceParameter:
    if not isinstance(value.type, ViewType):
        return InterfaceParameter(value.name, name, Direction.SCALAR, value.tensor.dtype)
    view = value.type
    dims = tuple(_dim(extent) for extent in view.shape)
    return InterfaceParameter(
        value.name, name, _DIRECTIONS[view.access], view.dtype, dims, view.strides, view.alias, view.noalias
    )


def _dim(extent: IntExpr) -> int | str:
    constant = extent.constant
    return constant if constant is not None else str(extent)
