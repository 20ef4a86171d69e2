"""Where the extents of the signature come from: each symbol is read off the first parameter that has it as an axis."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.ir.value import Value
from intent2cuda.machine.expressions import Expression, Integer, Method, Name
from intent2cuda.types.value_type import ViewType


class Extents:
    """`origin` maps a symbol to (view, axis)."""

    def __init__(self, parameters: Mapping[Value, str]) -> None:
        self._names = parameters
        self.origin: dict[str, tuple[Value, int]] = {}
        for value in parameters:
            if isinstance(value.type, ViewType):
                for axis, extent in enumerate(value.type.shape):
                    if (symbol := extent.as_symbol) is not None and not symbol.serial:
                        self.origin.setdefault(symbol.name, (value, axis))

    def of(self, name: str) -> Expression:
        """`x.extent(0)`."""
        if name not in self.origin:
            raise InternalError(f"no parameter has an axis of extent {name}")
        view, axis = self.origin[name]
        return Method(Name(self._names[view]), "extent", (Integer(axis),))
