"""Worksets: the groups of an author's operations that values connect, with the part that each of their axes plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from intent2cuda.base.codec import canonical, digest
from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.base.envelope import Envelope, opened
from intent2cuda.base.intexpr import IntExpr, Operation, Symbol
from intent2cuda.base.records import Records
from intent2cuda.base.report import Assurance, Report, report
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.notation import mnemonic
from intent2cuda.ir.op import Op, operands, regions, results
from intent2cuda.ir.ops import Domain, For, Parallel, Subregion, Yield
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import AxisClasses
from intent2cuda.plan.effects import EFFECTS
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.spelling import spelled
from intent2cuda.plan.stage import Role
from intent2cuda.plan.structured_axes import roles
from intent2cuda.types.value_type import TensorType

SCHEMA = "intent.worksets"
PRODUCER = "intent2cuda.worksets/0"

STRENGTH = (Role.FREE, Role.REDUCTION, Role.SCAN, Role.SEGMENT)
"""Where operations of a group do different things along an axis, the last of them here is its part."""


@dataclass(frozen=True)
class WorksetAxis:
    """`source`: the domain of the author that the axis runs over; empty for the positions of a tensor."""

    id: str
    extent: IntExpr
    role: Role
    source: str = ""


@dataclass(frozen=True)
class Workset:
    """`ops`: identifier and kind of each operation, in program order."""

    id: str
    ops: tuple[tuple[str, str], ...]
    axes: tuple[WorksetAxis, ...]
    effects: tuple[str, ...]


@dataclass(frozen=True)
class Worksets:
    """`parent` is the digest of the kernel."""

    kernel: str
    parent: str
    groups: tuple[Workset, ...]

    @property
    def digest(self) -> str:
        return digest(SCHEMA, canonical(RECORDS.plain(self)))


RECORDS = Records((Worksets, Workset, WorksetAxis, Role, IntExpr, Operation, Symbol))


def sealed(found: Worksets) -> Envelope:
    """The worksets as the text of their layer."""
    return Envelope(SCHEMA, PRODUCER, (("kir", found.parent),), (), found.digest, RECORDS.plain(found))


def loaded(text: str) -> Worksets:
    """The worksets that a text holds. Raises: IntentError when it is the text of another layer, or no such text."""
    return RECORDS.item(opened(text, SCHEMA).content)


def worksets_report(found: Worksets) -> Report:
    """What does not fit together in worksets: every operation is in one of them, and so is every effect."""

    def findings() -> Iterator[Diagnostic]:
        for name, count in Counter(group.id for group in found.groups).items():
            if count > 1 or not name:
                yield Diagnostic("worksets.reference.duplicate", f"{count} worksets have this name", subject=name)
        for name, count in Counter(name for group in found.groups for name, _ in group.ops).items():
            if count > 1:
                yield Diagnostic("worksets.operation.shared", f"it is {count} times in worksets", subject=name)
        for group in found.groups:
            for name in sorted({*group.effects} - {name for name, _ in group.ops}):
                yield Diagnostic("worksets.effect.unknown", f"{name} is none of its operations", subject=group.id)

    return report(Assurance.STRUCTURAL, findings())


def worksets(kernel: Kernel, identities: Identities, axes: Axes, parent: str) -> Worksets:
    """Operations are in one group when one reads a tensor that the other defines, or one stands inside the other."""
    ops = [op for op in walk(kernel.body) if not isinstance(op, Yield)]
    leaders = {op: op for op in ops}
    makers = {value: op for op in ops for value in results(op) if isinstance(value.type, TensorType)}
    for op in ops:
        for other in _connected(op, makers):
            leaders[_leader(leaders, other)] = _leader(leaders, op)
    groups: dict[Op, list[Op]] = {}
    for op in ops:
        groups.setdefault(_leader(leaders, op), []).append(op)
    large = (group for group in groups.values() if not all(map(_is_small, group)))
    return Worksets(kernel.name, parent, tuple(_workset(group, identities, axes) for group in large))


def _connected(op: Op, makers: dict[Value, Op]) -> Iterator[Op]:
    yield from (makers[value] for value in operands(op) if value in makers and value.tensor.shape)
    for region in regions(op):
        for inner in region.ops:
            if isinstance(inner, Yield):
                yield from (makers[value] for value in inner.values if value in makers)
            else:
                yield inner


def _leader(leaders: dict[Op, Op], op: Op) -> Op:
    """The op that stands for the group of an op; chains to it become shorter on the way."""
    while leaders[op] is not op:
        leaders[op] = op = leaders[leaders[op]]
    return op


def _is_small(op: Op) -> bool:
    """Whether an op on its own is no work: scalars, domains, constants."""
    if isinstance(op, EFFECTS) or regions(op) or any(True for _ in roles(op)):
        return False
    return not any(isinstance(value.type, TensorType) and value.type.shape for value in results(op))


def _workset(ops: list[Op], identities: Identities, axes: Axes) -> Workset:
    names = tuple((identities.op(op), mnemonic(op)) for op in ops)
    effects = tuple(identities.op(op) for op in ops if isinstance(op, EFFECTS))
    name = digest("workset", " ".join(sorted(name for name, _ in names)))[:8]
    return Workset(f"w{name}", names, axes.of(ops), effects)


class Axes:
    """The axes of groups of a kernel's operations, named after the first value of the kernel that has them."""

    def __init__(self, kernel: Kernel, identities: Identities) -> None:
        self._identities = identities
        self._classes = AxisClasses(kernel)
        self._domains: dict[Value, Op] = {}
        self._first: dict[int, tuple[Value, int]] = {}
        for op in walk(kernel.body):
            if isinstance(op, Domain | Subregion):
                self._domains[op.result] = op
            for value in (*operands(op), *results(op)):
                for axis, number in enumerate(self._classes.every(value)):
                    self._first.setdefault(number, (value, axis))

    def of(self, ops: Iterable[Op]) -> tuple[WorksetAxis, ...]:
        """Loops of the author first, then the axes of tensors, each with its part in the group."""
        loops: list[WorksetAxis] = []
        parts: dict[int, Role] = {}
        for op in ops:
            loops += self._loops(op)
            for value in (*results(op), *operands(op)):
                for number in self._classes.every(value):
                    parts.setdefault(number, Role.FREE)
            for (value, axis), role in roles(op):
                number = self._classes.of(value, axis)
                parts[number] = max(parts.get(number, Role.FREE), role, key=STRENGTH.index)
        axes = (self._axis(number, parts[number]) for number in sorted(parts))
        return (*loops, *(axis for axis in axes if axis.extent.constant != 1))

    def id(self, number: int) -> str:
        """What a class of axes is called."""
        value, axis = self._first[number]
        return f"{self._identities.names.of(value)}.{axis}"

    def _axis(self, number: int, role: Role) -> WorksetAxis:
        value, axis = self._first[number]
        return WorksetAxis(self.id(number), spelled(value.tensor.shape[axis], self._identities.names), role)

    def _loops(self, op: Op) -> Iterator[WorksetAxis]:
        if not isinstance(op, For | Parallel):
            return
        domains, role = ((op.domain,), Role.ORDERED) if isinstance(op, For) else (op.domains, Role.FREE)
        for number, domain in enumerate(domains):
            extent = spelled(domain.domain.extent, self._identities.names)
            source = self._identities.op(self._domains[domain]) if domain in self._domains else ""
            yield WorksetAxis(f"{self._identities.op(op)}/{number}", extent, role, source)
