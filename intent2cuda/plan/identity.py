"""Identifiers that follow from what things are: they change only when the thing itself, or what it reads, changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from intent2cuda.base.codec import digest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.notation import READER_FIELDS, Names, operation_text, type_text
from intent2cuda.ir.op import Op, Region, regions, results


class Identities:
    """Short identifiers of the ops of a kernel. Equal twins are told apart by their order; names of locals take no
    part.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.names = Names.empty()
        self._twins: Counter[str] = Counter()
        self._of: dict[Op, str] = {}
        for parameter in kernel.parameters:
            self.names.add(parameter, parameter.name)
        self._region(kernel.body, "")

    def op(self, op: Op) -> str:
        return self._of[op]

    @property
    def ops(self) -> Mapping[Op, str]:
        return self._of

    def _region(self, region: Region, path: str) -> None:
        for number, argument in enumerate(region.args):
            self.names.add(argument, f"{path}.{number}")
        for op in region.ops:
            self._add(op, path)

    def _add(self, op: Op, path: str) -> None:
        own = operation_text(op, self.names, READER_FIELDS)
        kinds = " ".join(type_text(value.type, self.names) for value in results(op))
        short = digest("op", f"{path}|{own}|{kinds}")[:8]
        self._twins[short] += 1
        name = short if self._twins[short] == 1 else f"{short}.{self._twins[short]}"
        self._of[op] = name
        for number, value in enumerate(results(op)):
            self.names.add(value, f"{name}:{number}" if number else name)
        for number, region in enumerate(regions(op)):
            self._region(region, f"{name}/{number}")
