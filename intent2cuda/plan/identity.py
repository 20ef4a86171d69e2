"""Identifiers that follow from what things are: they change only when the thing itself, or what it reads, changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from intent2cuda.base.codec import digest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.notation import READER_FIELDS, Names, mnemonic, operation_text, type_text
from intent2cuda.ir.op import Op, Region, regions, results


class Identities:
    """Short identifiers of the ops of a kernel. Equal twins are told apart by their order; names of locals take no
    part.

    With `author`, the identifiers of the author's kernel, the kernel is one made from it: a copied op keeps its
    identifier, and one that others were written out for lends them its own: `1a2b3c4d/for`. So identifiers do not
    depend on the numbers that the gate puts into a kernel.
    """

    def __init__(self, kernel: Kernel, author: Identities | None = None) -> None:
        self.names = Names.empty()
        self._author = author
        self._twins: Counter[str] = Counter()
        self._of: dict[Op, str] = {}
        for parameter in kernel.parameters:
            self.names.add(parameter, parameter.name)
        self._region(kernel.body, "")

    def op(self, op: Op) -> str:
        return self._of[op]

    @cached_property
    def authors(self) -> Mapping[str, str]:
        """For each identifier that of the author's op."""
        return {name: self.of_author(op) for op, name in self._of.items()}

    def of_author(self, op: Op) -> str:
        """The identifier of the author's op that an op stands for; its own where it stands for none."""
        found = (self._author or self).ops
        return found[op.author] if op.author in found else self.op(op)

    @property
    def ops(self) -> Mapping[Op, str]:
        return self._of

    def _region(self, region: Region, path: str) -> None:
        for number, argument in enumerate(region.args):
            self.names.add(argument, f"{path}.{number}")
        for op in region.ops:
            self._add(op, path)

    def _add(self, op: Op, path: str) -> None:
        short = self._written_out(op) or self._described(op, path)
        self._twins[short] += 1
        name = short if self._twins[short] == 1 else f"{short}.{self._twins[short]}"
        self._of[op] = name
        for number, value in enumerate(results(op)):
            self.names.add(value, f"{name}:{number}" if number else name)
        for number, region in enumerate(regions(op)):
            self._region(region, f"{name}/{number}")

    def _described(self, op: Op, path: str) -> str:
        own = operation_text(op, self.names, READER_FIELDS)
        kinds = " ".join(type_text(value.type, self.names) for value in results(op))
        return digest("op", f"{path}|{own}|{kinds}")[:8]

    def _written_out(self, op: Op) -> str:
        """The identifier by the author's op; empty where there is none."""
        found = self._author.ops.get(op.author, "") if self._author else ""
        return found if not found or type(op) is type(op.author) else f"{found}/{mnemonic(op)}"
