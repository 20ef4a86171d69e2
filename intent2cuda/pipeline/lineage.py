"""What the lines of an emitted project come from: instructions, stages, commands, tasks, worksets, operations, and the
author's lines. It goes into `diagnostics/lineage.json`, which nothing needs but the questions of `trace`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from intent2cuda.base.codec import Plain, canonical, digest
from intent2cuda.base.envelope import VERSION
from intent2cuda.base.rows import in_rows
from intent2cuda.base.span import SourceFile, Span
from intent2cuda.emit.places import Place
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.notation import mnemonic
from intent2cuda.ir.op import Op, operands, regions, results
from intent2cuda.ir.ops import Yield
from intent2cuda.ir.value import Value
from intent2cuda.machine.unit import KernelUnit
from intent2cuda.pipeline.front import Front
from intent2cuda.pipeline.instructions import file_of, instructions
from intent2cuda.plan import Planned
from intent2cuda.plan.stage import Fold, Points, Product, Stage
from intent2cuda.plan.stage_identity import StageIds, every_part, own_work, parts
from intent2cuda.plan.text import stage_head
from intent2cuda.plan.wording import reader_names
from intent2cuda.review.lineage import SCHEMA


@dataclass(frozen=True)
class Compiled:
    """A kernel on its way: what was parsed, planned and lowered, and its file with the places of what is in it."""

    front: Front
    planned: Planned
    unit: KernelUnit
    path: str
    places: tuple[Place, ...]

    @property
    def guards(self) -> tuple[str, ...]:
        """What is checked at every call, and what decides between the instances of the kernel."""
        plan = self.planned.concrete
        checked = [*(check.sentence for check in plan.checks), *(rule.sentence for rule in plan.overlaps)]
        faster = [f"{u.view.name} has stride 1 along axis {u.axis}, else the slower instance" for u in plan.unit_axes]
        return tuple(dict.fromkeys((*checked, *faster)))

    @property
    def command(self) -> str:
        """The identifier of the launch of the kernel."""
        return self.planned.concrete.coordination.commands[0].id


def text(kernels: Sequence[Compiled], roles: Mapping[str, str]) -> str:
    """The file for a project. `roles`: for each file that is neither a kernel's nor a runtime header what it is."""
    content = _content(kernels, roles)
    return in_rows({"schema": SCHEMA, "version": VERSION, "digest": digest(SCHEMA, canonical(content)), **content}, 4)


def _content(kernels: Sequence[Compiled], roles: Mapping[str, str]) -> dict[str, Plain]:
    origins = dict.fromkeys(o for kernel in kernels for o in kernel.front.origins)
    place = {origin: number for number, origin in enumerate(origins)}
    return {
        "sources": list(origins),
        "files": dict(roles),
        "kernels": [_Kernel(kernel, [place[o] for o in kernel.front.origins]).record() for kernel in kernels],
    }


class _Kernel:
    """`numbers`: for each source of the kernel its number in the project."""

    def __init__(self, compiled: Compiled, numbers: Sequence[int]) -> None:
        self._compiled = compiled
        self._numbers = numbers
        self._planned = compiled.planned
        self._ids = compiled.planned.bound.identities
        self._stages = StageIds(self._planned.concrete.stages, self._ids)
        self._names = reader_names(self._planned.concrete.kernel)
        self._instructions, self._quotes = instructions(compiled.unit, compiled.places)
        self._known = {self._ids.op(op) for op in walk(self._planned.concrete.kernel.body) if op.span}

    def record(self) -> Plain:
        kernel, unit = self._compiled.front.kernel, self._compiled.unit
        sources = self._compiled.front.sources
        quotes = [[line, self._numbers[file_of(name, sources)], number] for line, name, number in self._quotes]
        return {
            "name": kernel.name,
            "cpp_name": unit.interface.cpp_name,
            "concrete": dict(unit.digests).get("concrete", ""),
            "file": self._compiled.path,
            "at": self._at(kernel.span),
            "parameters": {p.name: self._at(p.span) for p in kernel.parameters if p.span},
            "commands": {
                command.id: {"body": type(command.body).__name__.lower(), "tasks": list(command.tasks)}
                for command in self._planned.concrete.coordination.commands
            },
            "worksets": {group.id: [name for name, _ in group.ops] for group in self._planned.worksets.groups},
            "tasks": {
                task.id: {
                    "operation": task.operation,
                    "worksets": list(task.lineage.worksets),
                    "operations": list(task.body),
                }
                for task in self._planned.portable.tasks
            },
            "stages": dict(self._stage_rows(self._planned.concrete.stages, "")),
            "operations": dict(self._operations()),
            "instructions": [instruction.row() for instruction in self._instructions],
            "quotes": quotes,
        }

    def _at(self, span: Span) -> list[int]:
        """Source, first and last line."""
        return [self._source(span.file), span.line, span.end_line]

    def _source(self, file: SourceFile) -> int:
        names = [source.name for source in self._compiled.front.sources]
        return self._numbers[names.index(file.name)] if file.name in names else self._numbers[0]

    def _stage_rows(self, stages: Sequence[Stage], around: str) -> Iterator[tuple[str, Plain]]:
        realised = dict(self._planned.concrete.realises)
        for stage in stages:
            identity = self._stages.of(stage)
            work = list(self._work(stage))
            by = stage.implementation.name if isinstance(stage, Points | Fold | Product) else ""
            yield (
                identity,
                {
                    "does": stage_head(stage, self._names),
                    "by": by,
                    "in": around,
                    "tasks": list(realised.get(identity, ())),
                    "operations": work,
                },
            )
            yield from self._stage_rows(parts(stage), identity)

    def _work(self, stage: Stage) -> Iterator[str]:
        """The operations that a stage stands for, or whose values it defines."""
        return (op for op in (name.partition(":")[0] for name in own_work(stage, self._ids)) if op in self._known)

    def _operations(self) -> Iterator[tuple[str, Plain]]:
        """Each operation with its place; of one without code of its own also those whose code it is part of."""
        body = self._planned.concrete.kernel.body
        uses = _Uses(body.ops)
        placed = self._placed()
        for op in walk(body):
            span = op.span
            if span is None:
                continue
            row: dict[str, Plain] = {"kind": mnemonic(op), "at": self._at(span)}
            if op.statement is not None and self._at(op.statement) != row["at"]:
                row["statement"] = self._at(op.statement)
            author = self._ids.of_author(op)
            if author != self._ids.op(op):
                row["author"] = author
            if self._ids.op(op) not in placed:
                row["into"] = [self._ids.op(user) for user in uses.of(op, lambda u: self._ids.op(u) in placed)]
            yield self._ids.op(op), row

    def _placed(self) -> set[str]:
        """The operations that have code: in an instruction, or as what a stage does."""
        found = {op for instruction in self._instructions for op in instruction.ops}
        for stage in every_part(self._planned.concrete.stages):
            found.update(self._work(stage))
        return found


class _Uses:
    """Which operations read what an operation gives."""

    def __init__(self, ops: Sequence[Op]) -> None:
        self._users: dict[Value, list[Op]] = {}
        self._around: dict[Op, Op] = {}
        self._add(ops, None)

    def _add(self, ops: Sequence[Op], around: Op | None) -> None:
        for op in ops:
            if around is not None:
                self._around[op] = around
            for value in operands(op):
                self._users.setdefault(value, []).append(op)
            for region in regions(op):
                self._add(region.ops, op)

    def of(self, op: Op, wanted: Callable[[Op], bool]) -> list[Op]:
        """The nearest wanted operations that read it, in the order of the program."""
        found: dict[Op, None] = {}
        seen, waiting = {op}, [op]
        while waiting:
            for user in self._next(waiting.pop(0)):
                if user in seen:
                    continue
                seen.add(user)
                if wanted(user):
                    found[user] = None
                else:
                    waiting.append(user)
        return list(found)

    def _next(self, op: Op) -> Iterator[Op]:
        if isinstance(op, Yield):
            yield from (around for around in (self._around.get(op),) if around is not None)
        for value in results(op):
            yield from self._users.get(value, ())
