"""What changed between two plans: does it mean something else, was something decided otherwise, does it take more?"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from intent2cuda.review.lineage import KernelLineage
from intent2cuda.review.plans import SECTIONS, KernelPlan, Row, Side

LEVELS: Mapping[str, str] = {
    "operations": "kir", "facts": "facts", "tasks": "portable", "decisions": "portable", "stages": "concrete",
    "buffers": "concrete", "barriers": "concrete", "launch": "concrete", "guards": "concrete",
}  # fmt: skip


_ID = re.compile(r"\b[a-z]?[0-9a-f]{8}(?:\.\d+)?\b")
"""How identifiers look, in whatever they are part of."""
_COUNT = re.compile(r"\b\d+ operations\b")
_PLACES = ("in", "from", "to")
"""Fields that name other things only."""


@dataclass(frozen=True)
class Change:
    """`fields`: name, old and new value; an empty one is absent. `how`: added, removed, changed, or follows: it is the
    same on operands that changed, which gives it another identifier.
    """

    kernel: str
    section: str
    id: str
    how: str
    does: str
    fields: tuple[tuple[str, str, str], ...]

    @property
    def level(self) -> str:
        return LEVELS[self.section]


@dataclass(frozen=True)
class FileChange:
    """`hunks`: how many differences stand under which stage; an empty stage is the interface of the kernel."""

    kernel: str
    path: str
    hunks: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class PlanDiff:
    """`layers`: for each kernel on both sides, each layer with the old and the new digest. `detached`: a side has only
    digests left, so that changes cannot be named. `requires`: what the projects are built for, where that differs, as
    name, old and new.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    layers: tuple[tuple[str, str, str, str], ...]
    changes: tuple[Change, ...]
    files: tuple[FileChange, ...]
    detached: tuple[str, ...]
    requires: tuple[tuple[str, str, str], ...] = ()

    @property
    def meaning(self) -> tuple[str, ...]:
        """The kernels whose Kernel IR or facts changed, or that only one side has."""
        changed = [kernel for kernel, layer, old, new in self.layers if layer in ("kir", "facts") and old != new]
        return tuple(dict.fromkeys((*self.added, *self.removed, *changed)))

    @property
    def is_empty(self) -> bool:
        layers = any(old != new for _, _, old, new in self.layers)
        return not (self.meaning or self.changes or self.files or self.requires or layers)


def compare(old: Side, new: Side) -> PlanDiff:
    """The changes from one side to the other, in the order of the kernels and of the layers."""
    both = [name for name in old.kernels if name in new.kernels]
    pairs = [(old.kernels[name], new.kernels[name]) for name in both]
    return PlanDiff(
        added=tuple(name for name in new.kernels if name not in old.kernels),
        removed=tuple(name for name in old.kernels if name not in new.kernels),
        layers=tuple(row for one, other in pairs for row in _layers(one, other)),
        changes=tuple(change for one, other in pairs for change in _changes(one, other)),
        files=tuple(_files(old, new, both)),
        detached=tuple(each.where for each in (old, new) if each.detached),
        requires=tuple(_requires(old.requires, new.requires)),
    )


def _requires(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    if old and new:
        for name in dict.fromkeys((*old, *new)):
            if old.get(name) != new.get(name):
                yield name, old.get(name, ""), new.get(name, "")


def _layers(old: KernelPlan, new: KernelPlan) -> Iterator[tuple[str, str, str, str]]:
    for layer in dict.fromkeys((*old.digests, *new.digests)):
        yield old.name, layer, old.digests.get(layer, ""), new.digests.get(layer, "")


def _changes(old: KernelPlan, new: KernelPlan) -> Iterator[Change]:
    """The changes section by section; `follow` knows the new identifiers of what is the same on other operands."""
    follow: dict[str, str] = {}
    for section in SECTIONS:
        before, after = old.sections.get(section), new.sections.get(section)
        if before is None or after is None:
            continue
        pairs = _followers(before, after)
        pairs |= _alike(section, before, after, pairs)
        follow |= pairs
        earlier = {name: former for former, name in pairs.items()}
        for name in dict.fromkeys((*before, *after)):
            if name not in pairs:
                former = earlier.get(name, name)
                change = _change(old.name, section, name, _renamed(before.get(former), follow), after.get(name), former)
                if change is not None:
                    yield change
                elif former != name:
                    yield Change(
                        old.name, section, name, "follows", _does(section, after[name]), (("id", former, name),)
                    )


def _followers(before: Mapping[str, Row], after: Mapping[str, Row]) -> dict[str, str]:
    """What went and came back under another identifier: things whose rows are the same but for identifiers."""
    gone = [name for name in before if name not in after]
    pairs: dict[str, str] = {}
    for name, row in after.items():
        if name not in before:
            alike = (each for each in gone if each not in pairs and _shape(before[each]) == _shape(row))
            former = next(alike, None)
            if former is not None:
                pairs[former] = name
    return pairs


def _alike(
    section: str, before: Mapping[str, Row], after: Mapping[str, Row], pairs: Mapping[str, str]
) -> dict[str, str]:
    """What went and came back as something else: the only one of its kind on both sides."""
    gone = [name for name in before if name not in after and name not in pairs]
    come = [name for name in after if name not in before and name not in pairs.values()]
    kinds = [Counter(_kind(section, rows[name]) for name in names) for rows, names in ((before, gone), (after, come))]
    only = {kind for kind, count in kinds[0].items() if kind and count == kinds[1][kind] == 1}
    came = {_kind(section, after[name]): name for name in come}
    return {name: came[kind] for name in gone if (kind := _kind(section, before[name])) in only}


def _kind(section: str, row: Row) -> str:
    """The word for what a thing is; empty where two of one word need not be the same thing."""
    does = str(row.get("does", ""))
    kind = does if section == "tasks" else does.partition(" ")[0]
    return "" if section == "operations" and kind != "constant" else kind


def _shape(row: Row) -> tuple[tuple[str, str], ...]:
    """A row without the identifiers in it."""
    return tuple((field, _ID.sub("#", str(value))) for field, value in row.items() if field not in _PLACES)


def _renamed(row: Row | None, follow: Mapping[str, str]) -> Row | None:
    """A row of the old side with the identifiers of the new one."""
    if row is None:
        return None
    return {
        field: _ID.sub(lambda found: follow.get(found[0], found[0]), value) if isinstance(value, str) else value
        for field, value in row.items()
    }


def _words(row: Row) -> str:
    """What a thing is, without identifiers and the numbers of operations."""
    return _COUNT.sub("operations", _ID.sub("#", str(row.get("does", ""))))


def _does(section: str, row: Row) -> str:
    """What a thing is, in words."""
    if section == "buffers":
        space = row.get("space")
        memory = f"{space} memory" if space in ("local", "shared") else space
        name = f"{row['does']}: " if row.get("does") else ""
        return f"{name}{row.get('bytes')} bytes of {memory} a {row.get('per')}"
    return f"{'wait: ' if section == 'barriers' else ''}{row.get('does', '')}"


def _change(kernel: str, section: str, name: str, old: Row | None, new: Row | None, former: str) -> Change | None:
    if old is None or new is None:
        how = "added" if old is None else "removed"
        return Change(kernel, section, name, how, _does(section, new if new is not None else old or {}), ())
    names = [field for field in dict.fromkeys((*old, *new)) if field != "does"]
    fields = [(field, str(old.get(field, "")), str(new.get(field, ""))) for field in names]
    changed = tuple(row for row in fields if row[1] != row[2])
    if former != name and _words(old) != _words(new):
        changed = (("does", str(old.get("does", "")), str(new.get("does", ""))), *changed)
    words = str(new.get("does", "")) if section == "buffers" else _does(section, new)
    return Change(kernel, section, name, "changed", words, changed) if changed else None


def _files(old: Side, new: Side, both: Sequence[str]) -> Iterator[FileChange]:
    """Where the emitted texts of kernels differ, when both projects are at hand with their lineage."""
    if old.emitted is None or new.emitted is None or old.detached or new.detached:
        return
    for name in both:
        one = next((k for k in old.emitted.lineage.kernels if k.name == name), None)
        other = next((k for k in new.emitted.lineage.kernels if k.name == name), None)
        if one is None or other is None:
            continue
        texts = old.emitted.text(one.file).split("\n"), new.emitted.text(other.file).split("\n")
        hunks = Counter(_hunks(texts[0], texts[1], one, other))
        if hunks:
            yield FileChange(name, other.file, tuple(hunks.items()))


def _hunks(before: list[str], after: list[str], old: KernelLineage, new: KernelLineage) -> Iterator[str]:
    """The stage of each difference; digests in the head of the file are none."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            continue
        rows = [*before[first:last], *after[start:end]]
        if all(row.startswith("// Digests:") or not row.strip() for row in rows):
            continue
        yield _stage(new, start + 1, end) if end > start else _stage(old, first + 1, last)


def _stage(kernel: KernelLineage, first: int, last: int) -> str:
    """The innermost stage over some lines."""
    over = [i for i in kernel.instructions if i.first <= last and first <= i.last and i.stage]
    inner = [i for i in over if first <= i.first <= last]
    return (inner[0] if inner else over[-1]).stage if over else ""
