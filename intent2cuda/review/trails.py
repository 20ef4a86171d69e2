"""From an author's line to the emitted lines that it became, and back. Both ways go by identifiers only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from intent2cuda.review.lineage import Instruction, KernelLineage, Lineage, Lines, Task
from intent2cuda.review.source_lines import leads_to

_RUNTIME = ("#include <", "using intent::")
"""How lines begin that every kernel has for what it uses of the runtime and the standard library."""


@dataclass(frozen=True)
class Trail:
    """What one kernel has to do with a line, level by level. `lines` are the author's.

    `around`: the instructions of the loops in which that happens. A trail without operations and stages is about the
    interface of the kernel.
    """

    kernel: str
    lines: tuple[Lines, ...]
    operations: tuple[str, ...] = ()
    worksets: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    around: tuple[Instruction, ...] = ()


def forward(lineage: Lineage, source: int, line: int) -> tuple[Trail, ...]:
    """What became of a line of a source: one trail for each kernel that it is part of; none where nothing did."""
    trails = (_forward(kernel, source, line) for kernel in lineage.kernels)
    return tuple(trail for trail in trails if trail is not None)


def through(lineage: Lineage, source: int, text: str, line: int) -> tuple[int, ...]:
    """The nearest lines with a trail that a line leads to which has none itself; `text` is that of the source."""
    seen, waiting, found = {line}, [line], list[int]()
    while waiting:
        for following in leads_to(text, waiting.pop(0)):
            if following in seen:
                continue
            seen.add(following)
            (found if forward(lineage, source, following) else waiting).append(following)
    return tuple(sorted(found))


def reverse(lineage: Lineage, path: str, line: int, text: str) -> tuple[Trail, ...]:
    """Where a line of an emitted file comes from; `text` is the line. Nothing for blank ones and the runtime's."""
    if not text.strip() or text.startswith(_RUNTIME):
        return ()
    for kernel in lineage.kernels:
        if kernel.file == path:
            return (_reverse(kernel, line, text),)
    if lineage.files.get(path) != "interface":
        return ()
    words = set(re.findall(r"[A-Za-z]\w*", text))
    named = [k for k in lineage.kernels if any(_is_about(word, k) for word in words)] or lineage.kernels
    return tuple(Trail(k.name, (k.at, *(at for name, at in k.parameters.items() if name in words))) for k in named)


def of_command(lineage: Lineage, command: str) -> Trail | None:
    """Everything that a launch runs, for what was observed of it as a whole."""
    for kernel in lineage.kernels:
        if command in kernel.commands:
            return _whole(kernel)
    return None


def _is_about(word: str, kernel: KernelLineage) -> bool:
    return (
        word == kernel.cpp_name
        or re.fullmatch(rf"(.*_)?{re.escape(kernel.cpp_name)}(_run|_call|_workspace)?", word) is not None
    )


def _whole(kernel: KernelLineage) -> Trail:
    return Trail(
        kernel.name,
        (kernel.at,),
        tuple(kernel.operations),
        tuple(dict.fromkeys(w for task in kernel.tasks.values() for w in task.worksets)),
        tuple(kernel.tasks),
        tuple(kernel.commands),
        tuple(kernel.stages),
        kernel.instructions,
    )


def _forward(kernel: KernelLineage, source: int, line: int) -> Trail | None:
    operations = _at(kernel, source, line)
    if operations:
        stages = _stages_of(kernel, operations)
        found = _instructions_of(kernel, operations, stages)
        return _trail(kernel, operations, stages, found)
    named = tuple(name for name, at in kernel.parameters.items() if at.covers(source, line))
    if named:
        lines = tuple(dict.fromkeys(kernel.parameters[name] for name in named))
        return Trail(
            kernel.name, lines, instructions=tuple(i for i in kernel.instructions if {*named} & {*i.parameters})
        )
    if kernel.at.covers(source, line):
        whole = tuple(i for i in kernel.instructions if i.opcode.startswith("function."))
        return Trail(kernel.name, (kernel.at,), instructions=whole)
    return None


def _at(kernel: KernelLineage, source: int, line: int) -> tuple[str, ...]:
    """The operations of a line: those whose expressions it holds, else those of the innermost statement over it."""
    exact = [op.id for op in kernel.operations.values() if op.at.covers(source, line)]
    if exact:
        return tuple(exact)
    over = [op for op in kernel.operations.values() if op.statement.covers(source, line)]
    least = min((op.statement.extent for op in over), default=0)
    return tuple(op.id for op in over if op.statement.extent == least)


def _with_code(kernel: KernelLineage, operations: Iterable[str]) -> tuple[str, ...]:
    """The operations, and for those without code the ones whose code they are part of."""
    found = (name for op in operations for name in (op, *kernel.operations[op].into))
    return tuple(dict.fromkeys(found))


def _stages_of(kernel: KernelLineage, operations: Iterable[str]) -> tuple[str, ...]:
    """The stages that stand for operations, and those whose instructions compute them."""
    wanted = {*_with_code(kernel, operations)}
    computing = {i.stage for i in kernel.instructions if wanted & {*i.operations}}
    return tuple(s.id for s in kernel.stages.values() if s.id in computing or wanted & {*s.operations})


def _instructions_of(
    kernel: KernelLineage, operations: Iterable[str], stages: Iterable[str]
) -> tuple[Instruction, ...]:
    """The instructions that compute operations, and all those of a stage that stands for one."""
    wanted = {*_with_code(kernel, operations)}
    whole = {kernel.place(name) for name in stages if wanted & {*kernel.stages[name].operations}}
    return tuple(i for i in kernel.instructions if (i.stage and i.stage in whole) or wanted & {*i.operations})


def _trail(
    kernel: KernelLineage, operations: tuple[str, ...], stages: tuple[str, ...], found: tuple[Instruction, ...]
) -> Trail:
    tasks = _tasks_of(kernel, operations, stages)
    names = {task.id for task in tasks}
    outer = {around.id for stage in stages for around in kernel.chain(stage)}
    return Trail(
        kernel=kernel.name,
        lines=_lines(kernel, operations),
        operations=operations,
        worksets=tuple(dict.fromkeys(w for task in tasks for w in task.worksets)),
        tasks=tuple(task.id for task in tasks),
        commands=tuple(name for name, run in kernel.commands.items() if names & {*run}),
        stages=stages,
        instructions=found,
        around=tuple(
            i for i in kernel.instructions if i.stage in outer and i not in found and _serves(kernel, i, found)
        ),
    )


def _tasks_of(kernel: KernelLineage, operations: Iterable[str], stages: Iterable[str]) -> tuple[Task, ...]:
    """The tasks of operations; of those that no task lists, as constants, the ones that their stages carry out."""
    wanted = {*_with_code(kernel, operations)}
    listed = tuple(task for task in kernel.tasks.values() if wanted & {*task.operations})
    carried = {task for name in stages for task in kernel.stages[name].tasks}
    return listed or tuple(task for task in kernel.tasks.values() if task.id in carried)


def _serves(kernel: KernelLineage, outer: Instruction, found: Iterable[Instruction]) -> bool:
    """Whether an instruction of a stage around is there for what stands inside: it holds one of the instructions, is a
    constant, or belongs to a loop that the plan added.
    """
    if outer.opcode == "constant" or not kernel.stages[outer.stage].operations:
        return True
    return any(outer.first <= i.first and i.last <= outer.last and outer is not i for i in found)


def _lines(kernel: KernelLineage, operations: Iterable[str]) -> tuple[Lines, ...]:
    places = {kernel.operations[op].at for op in operations}
    return tuple(sorted(places, key=lambda at: (at.source, at.first, at.last)))


def _reverse(kernel: KernelLineage, line: int, text: str) -> Trail:
    if line in kernel.quotes:
        at = kernel.quotes[line]
        found = _forward(kernel, at.source, at.first)
        return Trail(kernel.name, (at,)) if found is None else _with_lines(found, (at,))
    here = _standing_at(kernel, line)
    operations = _operations_of(kernel, here)
    if operations:
        stages = tuple(dict.fromkeys(i.stage for i in here if i.stage))
        return _trail(kernel, operations, stages, here)
    stages = tuple(dict.fromkeys(i.stage for i in here if i.stage))
    if stages:
        return _between(kernel, stages, here)
    words = {*re.findall(r"[A-Za-z]\w*", text)}
    named = dict.fromkeys(name for i in here if not i.opcode.startswith("function.") for name in i.parameters)
    lines = tuple(at for name, at in kernel.parameters.items() if name in named or name in words)
    return Trail(kernel.name, tuple(dict.fromkeys((kernel.at, *lines))), instructions=here)


def _between(kernel: KernelLineage, stages: tuple[str, ...], here: tuple[Instruction, ...]) -> Trail:
    """A trail of stages that stand for no operation, as barriers do: its line is that of the loop around them."""
    loops = [name for stage in stages for around in kernel.chain(stage) for name in around.operations]
    lines = _lines(kernel, loops[:1]) or (kernel.at,)
    return _with_lines(_trail(kernel, (), stages, here), lines)


def _with_lines(trail: Trail, lines: tuple[Lines, ...]) -> Trail:
    return Trail(
        trail.kernel,
        lines,
        trail.operations,
        trail.worksets,
        trail.tasks,
        trail.commands,
        trail.stages,
        trail.instructions,
    )


def _standing_at(kernel: KernelLineage, line: int) -> tuple[Instruction, ...]:
    """The innermost instruction over a line, and those around it that begin or end there."""
    over = [i for i in kernel.instructions if i.first <= line <= i.last]
    return tuple(i for i in over if i is over[-1] or line in (i.first, i.last))


def _operations_of(kernel: KernelLineage, here: Iterable[Instruction]) -> tuple[str, ...]:
    """What instructions compute, what their stages stand for, and all that has become part of either."""
    found = dict.fromkeys(op for i in here for op in (*i.operations, *_of_stage(kernel, i.stage)))
    fed = (op.id for op in kernel.operations.values() if found.keys() & {*op.into})
    wanted = {*found, *fed}
    return tuple(op for op in kernel.operations if op in wanted)


def _of_stage(kernel: KernelLineage, stage: str) -> tuple[str, ...]:
    """The operations that a stage stands for; of a loop that the plan added, those of the stages in it."""
    if not stage:
        return ()
    own = kernel.stages[stage].operations
    return own or tuple(op for inner in kernel.inside(stage) for op in inner.operations)
