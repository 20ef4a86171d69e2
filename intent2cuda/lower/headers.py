"""Which headers a unit needs: read off the names that its text uses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from intent2cuda.machine.expressions import Call, Construct, Literal
from intent2cuda.machine.runtime import COMMON, CPU, CUDA, NARROW
from intent2cuda.machine.types import Named, Scalar, View
from intent2cuda.machine.unit import Constant, Function
from intent2cuda.machine.walk import nodes
from intent2cuda.types.dtype import DTYPES, DType


@dataclass(frozen=True)
class Headers:
    runtime: tuple[str, ...]
    system: tuple[str, ...]


def headers(target: str, functions: Iterable[Function], constants: Iterable[Constant]) -> Headers:
    """The headers of the names in use, and those that every kernel of the target needs."""
    table = {**COMMON, **(CUDA if target == "cuda" else CPU)}
    runtime = {"intent/config.hpp", "intent/view.hpp"}
    system: set[str] = set()
    if target == "cuda":
        runtime.add("intent/device/device.cuh")
    for item in (*functions, *constants):
        for node in nodes(item):
            for name in _runtime_names(node):
                if name in table:
                    runtime.add(table[name])
            if isinstance(node, Call) and node.function == "std::swap":
                system.add("utility")
            for dtype in _dtypes(node):
                if dtype.name in NARROW:
                    runtime.add(NARROW[dtype.name])
                if dtype.is_integer:
                    system.add("cstdint")
    for function in functions:
        if function.launch_bounds:
            system.add("cstddef")
    return Headers(tuple(sorted(runtime)), tuple(sorted(system)))


def _runtime_names(node: object) -> Iterable[str]:
    text = ""
    match node:
        case Call():
            text = node.function
        case Construct():
            text = node.type
        case Named():
            text = node.name
        case str():
            text = node
        case Literal():
            text = _literal_function(node)
        case _:
            text = (
                " ".join(p for p in getattr(node, "pragmas", ()))
                + str(getattr(node, "pragma", ""))
                + str(getattr(node, "text", ""))
            )
    return re.findall(r"intent::(\w+)", text)


def _literal_function(literal: Literal) -> str:
    if isinstance(literal.value, float) and literal.value != literal.value:
        return "intent::quiet_nan"
    if isinstance(literal.value, float) and literal.value in (float("inf"), float("-inf")):
        return "intent::infinity"
    dtype = literal.dtype
    return "intent::lowest" if dtype.is_integer and dtype.is_signed and literal.value == dtype.integer_range[0] else ""


def _dtypes(node: object) -> Iterable[DType]:
    match node:
        case Scalar() | View() | Literal():
            return (node.dtype,)
        case Named():
            return tuple(d for d in DTYPES if f"intent::{d.name}" in node.name)
        case _:
            return ()
