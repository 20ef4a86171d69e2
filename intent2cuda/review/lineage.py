"""`diagnostics/lineage.json` of an emitted project, read back: what the lines of its kernels come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from intent2cuda.base.codec import Plain, canonical, digest
from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.envelope import VERSION
from intent2cuda.base.records import RecordError, parsed

SCHEMA = "intent2cuda.lineage"


@dataclass(frozen=True)
class Lines:
    """A stretch of one of the author's files; the number of the file is its place among the sources."""

    source: int
    first: int
    last: int

    def covers(self, source: int, line: int) -> bool:
        return self.source == source and self.first <= line <= self.last

    @property
    def extent(self) -> int:
        return self.last - self.first


@dataclass(frozen=True)
class Operation:
    """`at` is its expression, `statement` the whole statement. `into`: the operations whose code it is part of, for one
    without code of its own.
    """

    id: str
    kind: str
    at: Lines
    statement: Lines
    into: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    id: str
    operation: str
    worksets: tuple[str, ...]
    operations: tuple[str, ...]


@dataclass(frozen=True)
class Stage:
    """`around` is the stage that it stands in, or empty; `tasks` are those of the portable plan that it carries out,
    `operations` those that it stands for by itself.
    """

    id: str
    does: str
    by: str
    around: str
    tasks: tuple[str, ...]
    operations: tuple[str, ...]


@dataclass(frozen=True)
class Instruction:
    id: str
    opcode: str
    first: int
    last: int
    stage: str
    operations: tuple[str, ...]
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class KernelLineage:
    """One kernel: every level by its identifiers, in the order of the program. `at` is the head of its definition."""

    name: str
    cpp_name: str
    concrete: str
    file: str
    at: Lines
    parameters: Mapping[str, Lines]
    commands: Mapping[str, tuple[str, ...]]
    tasks: Mapping[str, Task]
    stages: Mapping[str, Stage]
    operations: Mapping[str, Operation]
    instructions: tuple[Instruction, ...]
    quotes: Mapping[int, Lines]

    @cached_property
    def written(self) -> frozenset[str]:
        """The stages with instructions of their own."""
        return frozenset(instruction.stage for instruction in self.instructions)

    def chain(self, stage: str) -> Iterator[Stage]:
        """The stage and those around it, innermost first."""
        while stage:
            found = self.stages[stage]
            yield found
            stage = found.around

    def inside(self, stage: str) -> Iterator[Stage]:
        """The stage and all that stand in it."""
        return (found for found in self.stages.values() if any(s.id == stage for s in self.chain(found.id)))

    def place(self, stage: str) -> str:
        """The nearest stage, from this one outwards, that has instructions; empty when none has."""
        return next((found.id for found in self.chain(stage) if found.id in self.written), "")


@dataclass(frozen=True)
class Lineage:
    """`files`: what each file is that holds neither a kernel nor a part of the runtime: `build` or `interface`."""

    sources: tuple[str, ...]
    files: Mapping[str, str]
    kernels: tuple[KernelLineage, ...]


def read_lineage(text: str) -> Lineage:
    """The lineage that a text holds.

    Raises: IntentError when it is no such text, or was changed.
    """
    try:
        record = cast(dict[str, Any], parsed(text))
        content = {name: part for name, part in record.items() if name not in ("schema", "version", "digest")}
        if record.get("schema") != SCHEMA or record.get("version") != VERSION:
            raise _refused(f"this is {record.get('schema')} {record.get('version')}, not {SCHEMA} {VERSION}")
        if record.get("digest") != digest(SCHEMA, canonical(cast(Plain, content))):
            raise _refused("the lineage was changed after it was emitted")
        kernels = tuple(_kernel(each) for each in content["kernels"])
        return Lineage(tuple(content["sources"]), dict(content["files"]), kernels)
    except (RecordError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise _refused(f"this is no lineage: {error}") from error


def _refused(message: str) -> IntentError:
    return IntentError([Diagnostic("trace.broken", message, help="emit the project again")])


def _kernel(record: Mapping[str, Any]) -> KernelLineage:
    return KernelLineage(
        name=record["name"],
        cpp_name=record["cpp_name"],
        concrete=record["concrete"],
        file=record["file"],
        at=Lines(*record["at"]),
        parameters={name: Lines(*at) for name, at in record["parameters"].items()},
        commands={name: tuple(command["tasks"]) for name, command in record["commands"].items()},
        tasks={
            name: Task(name, task["operation"], tuple(task["worksets"]), tuple(task["operations"]))
            for name, task in record["tasks"].items()
        },
        stages={
            name: Stage(
                name, stage["does"], stage["by"], stage["in"], tuple(stage["tasks"]), tuple(stage["operations"])
            )
            for name, stage in record["stages"].items()
        },
        operations={name: _operation(name, row) for name, row in record["operations"].items()},
        instructions=tuple(_instruction(row) for row in record["instructions"]),
        quotes={line: Lines(source, number, number) for line, source, number in record["quotes"]},
    )


def _operation(name: str, row: Mapping[str, Any]) -> Operation:
    statement = Lines(*row.get("statement", row["at"]))
    return Operation(name, row["kind"], Lines(*row["at"]), statement, tuple(row.get("into", ())))


def _instruction(row: Sequence[Any]) -> Instruction:
    name, opcode, first, last, stage, operations, parameters = row
    return Instruction(name, opcode, first, last, stage, tuple(operations), tuple(parameters))
