"""Loop axes and buffers with names that a reader expects."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.value import Value
from intent2cuda.plan.stage import Axis, Buffer, Role, Space
from intent2cuda.types.value_type import Shape

_PLAIN = ("i", "j", "k", "l", "p", "q")


class AxisMaker:
    """Makes axes and buffers. Identifiers count in the order in which things are made; names of parameters are not
    used.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._axes = 0
        self._taken = {parameter.name for parameter in kernel.parameters}
        self.buffers: list[Buffer] = []

    def along(self, extent: IntExpr, role: Role, around: Collection[str]) -> Axis:
        """The positions of a tensor axis. An extent that is a symbol names its loop variable: `M` gives `m`."""
        symbol = extent.as_symbol
        wanted = symbol.name.lower() if symbol and symbol.name and not symbol.serial else ""
        return Axis(self._id(), self._free(wanted, around), extent, role)

    def of_domain(self, domain: Value, point: Value, around: Collection[str]) -> Axis:
        """The members of a domain in an author's parallel loop."""
        kind = domain.domain
        name = self._free(point.name, around)
        return Axis(self._id(), name, kind.extent, Role.FREE, kind.begin, kind.step, point)

    def buffer(self, value: Value, kept: tuple[int, ...], extents: Shape, reason: str, nest: tuple[str, ...]) -> Buffer:
        """Storage for the kept axes of a value, for one member of the innermost loop of `nest`, or for the whole
        call.
        """
        name = value.name or f"part{len(self.buffers) + 1}"
        made = Buffer(f"b{len(self.buffers) + 1}", name, value, kept, extents, Space.SCRATCH, reason, not nest, nest)
        self.buffers.append(made)
        return made

    def again(self, buffer: Buffer, reason: str) -> Buffer:
        """A second buffer of the same shape."""
        made = replace(buffer, id=f"b{len(self.buffers) + 1}", name=f"next_{buffer.name}", reason=reason)
        self.buffers.append(made)
        return made

    def _id(self) -> str:
        self._axes += 1
        return f"a{self._axes}"

    def _free(self, wanted: str, around: Collection[str]) -> str:
        used = {*around, *self._taken}
        for name in (wanted, *_PLAIN):
            if name and name not in used:
                return name
        number = 2
        while f"{wanted or 'i'}{number}" in used:
            number += 1
        return f"{wanted or 'i'}{number}"
