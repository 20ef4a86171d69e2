"""Identifiers that follow from what things are: they change only when the thing itself, or what it reads, changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property

from intent2cuda.analysis.effects import access, effects
from intent2cuda.base.codec import digest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.notation import READER_FIELDS, Names, mnemonic, operation_text, type_text
from intent2cuda.ir.op import Op, Region, regions, results
from intent2cuda.ir.ops import Allocate
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import ViewType


class Identities:
    """Short identifiers of the ops of a kernel. Equal twins are told apart by their order; names of locals take no
    part. What reads one of several equal values does not depend on which one, so that one more of them changes nothing
    else. A read counts the writes of its memory before it, a loop says which views it changes.

    With `author`, the identifiers of the author's kernel, the kernel is one made from it: a copied op keeps its
    identifier, and one that others were written out for lends them its own: `1a2b3c4d/for`. So identifiers do not
    depend on the numbers that the gate puts into a kernel.
    """

    def __init__(self, kernel: Kernel, author: Identities | None = None) -> None:
        self.names = Names.empty()
        self._meanings = Names.empty()
        self._author = author
        self._twins: Counter[str] = Counter()
        self._writes: Counter[Value] = Counter()
        self._of: dict[Op, str] = {}
        for parameter in kernel.parameters:
            self._call(parameter, parameter.name, parameter.name)
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
            self._call(argument, f"{path}.{number}", f"{path}.{number}")
        for op in region.ops:
            self._add(op, path)

    def _add(self, op: Op, path: str) -> None:
        short = self._written_out(op) or self._described(op, path)
        self._twins[short] += 1
        name = short if self._twins[short] == 1 else f"{short}.{self._twins[short]}"
        self._of[op] = name
        meaning = short if _is_value(op) else name
        for number, value in enumerate(results(op)):
            self._call(value, *(f"{text}:{number}" if number else text for text in (name, meaning)))
        for number, region in enumerate(regions(op)):
            self._region(region, f"{name}/{number}")
        made = access(op)
        if made is not None and made.writes:
            self._writes[made.resource] += 1

    def _call(self, value: Value, name: str, meaning: str) -> None:
        self.names.add(value, name)
        self._meanings.add(value, meaning)

    def _described(self, op: Op, path: str) -> str:
        own = operation_text(op, self._meanings, READER_FIELDS)
        kinds = " ".join(type_text(value.type, self._meanings) for value in results(op))
        made = access(op)
        memory = " ".join(_changed(op)) if made is None else str(self._writes[made.resource])
        return digest("op", f"{path}|{own}|{kinds}|{memory}")[:8]

    def _written_out(self, op: Op) -> str:
        """The identifier by the author's op; empty where there is none."""
        found = self._author.ops.get(op.author, "") if self._author else ""
        return found if not found or type(op) is type(op.author) else f"{found}/{mnemonic(op)}"


def _is_value(op: Op) -> bool:
    """Whether the op's text says all that its results are."""
    made = access(op)
    return not regions(op) and not isinstance(op, Allocate) and (made is None or not made.writes)


def _changed(op: Op) -> Iterator[str]:
    """The views that are written inside an op."""
    if regions(op):
        yield from dict.fromkeys(v.name for v in effects(op).writes if isinstance(v.type, ViewType))
