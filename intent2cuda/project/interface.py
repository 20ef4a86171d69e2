"""What a caller must know of a compiled kernel: the part of the manifest that calls are checked against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

from intent2cuda.base.codec import Plain
from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Access, TensorType, ViewType

ParameterKind = Literal["in", "out", "inout", "scalar"]
AliasRelation = Literal["disjoint", "same_or_disjoint"]


class ParameterRecord(TypedDict):
    """A parameter in the manifest. A scalar has no extents."""

    name: str
    kind: ParameterKind
    dtype: str
    extents: list[int | str]
    strides: list[int | str | None]
    alias: str | None
    noalias: bool


class KernelRecord(TypedDict):
    """A kernel in the manifest."""

    name: str
    symbol: str
    last_error_symbol: str
    workspace_symbol: str
    parameters: list[ParameterRecord]
    alias_rules: list[tuple[str, str, AliasRelation]]


@dataclass(frozen=True)
class Parameter:
    """A runtime parameter. `extents`: numbers, or symbols that mean one number in the whole call.

    `strides` (in elements) is empty when the kernel takes any; None leaves an axis free. Parameters with one `alias`
    may be parts of one allocation, for the reader to know; one with `noalias` overlaps no other array.
    """

    name: str
    kind: ParameterKind
    dtype: str
    extents: tuple[int | str, ...] = ()
    strides: tuple[int | str | None, ...] = ()
    alias: str | None = None
    noalias: bool = False


@dataclass(frozen=True)
class AliasRule:
    """`written` and `other` share no element or, if the relation allows it, all of them at the same coordinates."""

    written: str
    other: str
    relation: AliasRelation


@dataclass(frozen=True)
class Interface:
    """A kernel as callers see it. `symbol` names the C function `..._call`; without compiled code it is empty.

    `workspace_symbol` names the function that says how much workspace a call needs, for kernels that have one.
    """

    name: str
    parameters: tuple[Parameter, ...]
    alias_rules: tuple[AliasRule, ...] = ()
    symbol: str = ""
    last_error_symbol: str = ""
    workspace_symbol: str = ""

    def record(self) -> dict[str, Plain]:
        """The interface as plain data for the manifest, in the form of a KernelRecord."""
        return {
            "name": self.name,
            "symbol": self.symbol,
            "last_error_symbol": self.last_error_symbol,
            "workspace_symbol": self.workspace_symbol,
            "parameters": [_record(parameter) for parameter in self.parameters],
            "alias_rules": [[rule.written, rule.other, rule.relation] for rule in self.alias_rules],
        }


def _record(parameter: Parameter) -> dict[str, Plain]:
    return {
        "name": parameter.name,
        "kind": parameter.kind,
        "dtype": parameter.dtype,
        "extents": list(parameter.extents),
        "strides": list(parameter.strides),
        "alias": parameter.alias,
        "noalias": parameter.noalias,
    }


def interface_of(record: KernelRecord) -> Interface:
    """The interface that `record` was made from, for a manifest that was read back."""
    return Interface(
        name=record["name"],
        symbol=record["symbol"],
        last_error_symbol=record["last_error_symbol"],
        workspace_symbol=record["workspace_symbol"],
        parameters=tuple(
            Parameter(
                name=p["name"],
                kind=p["kind"],
                dtype=p["dtype"],
                extents=tuple(p["extents"]),
                strides=tuple(p["strides"]),
                alias=p["alias"],
                noalias=p["noalias"],
            )
            for p in record["parameters"]
        ),
        alias_rules=tuple(AliasRule(*rule) for rule in record["alias_rules"]),
    )


def kernel_interface(
    kernel: Kernel, *, alias_rules: tuple[AliasRule, ...] = (), symbol: str = "", last_error_symbol: str = ""
) -> Interface:
    """The interface of a kernel: what its parameters declare, and the alias rules of its plan."""
    parameters = tuple(_parameter(value) for value in kernel.parameters)
    return Interface(kernel.name, parameters, alias_rules, symbol, last_error_symbol)


_KINDS: dict[Access, ParameterKind] = {Access.IN: "in", Access.OUT: "out", Access.INOUT: "inout"}


def _parameter(value: Value) -> Parameter:
    match value.type:
        case ViewType() as view:
            return Parameter(
                name=value.name,
                kind=_KINDS[view.access],
                dtype=view.dtype.name,
                extents=tuple(_extent(expression) for expression in view.shape),
                strides=view.strides or (),
                alias=view.alias,
                noalias=view.noalias,
            )
        case TensorType() as scalar:
            return Parameter(value.name, "scalar", scalar.dtype.name)
        case _:
            raise InternalError(f"`{value.name}` is neither a view nor a scalar")


def _extent(expression: IntExpr) -> int | str:
    if expression.constant is not None:
        return expression.constant
    if expression.as_symbol is not None:
        return expression.as_symbol.name
    raise InternalError(f"a view has the extent {expression}, which is neither a number nor a symbol")
