"""Interfaces as the bridge wants to see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intent2cuda.api.arrays import numpy_dtype
from intent2cuda.project.interface import Interface, Parameter

if TYPE_CHECKING:
    from intent2cuda._bridge import ArrayDescription, ScalarDescription, SignatureDescription


def signature_of(interface: Interface, *, on_device: bool = False, has_stream: bool = False) -> SignatureDescription:
    """The description of a kernel's parameters. `on_device`: arrays live on a CUDA device."""
    return {
        "kernel": interface.name,
        "on_device": on_device,
        "has_stream": has_stream,
        "has_workspace": bool(interface.workspace_symbol),
        "parameters": [_parameter(parameter) for parameter in interface.parameters],
        "alias_rules": [(rule.written, rule.other, rule.relation) for rule in interface.alias_rules],
    }


def _parameter(parameter: Parameter) -> ArrayDescription | ScalarDescription:
    if parameter.kind == "scalar":
        return {"name": parameter.name, "kind": "scalar", "dtype": parameter.dtype}
    return {
        "name": parameter.name,
        "kind": parameter.kind,
        "dtype": parameter.dtype,
        "numpy_dtype": numpy_dtype(parameter.dtype),
        "extents": parameter.extents,
        "strides": parameter.strides,
        "noalias": parameter.noalias,
    }
