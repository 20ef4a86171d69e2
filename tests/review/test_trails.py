"""Every line of every example, both ways: what became of an author's line, and where an emitted line comes from."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from intent2cuda import pipeline
from intent2cuda.base.diagnostics import IntentError
from intent2cuda.project.emitted import EmittedProject, TargetKind
from intent2cuda.review import trails
from intent2cuda.review.lineage import KernelLineage, Lineage, read_lineage
from intent2cuda.review.trails import Trail

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SOURCES = sorted(EXAMPLES.glob("*/kernel.py"))
CASES = [(source, target) for source in SOURCES for target in ("cpu", "cuda")]

every_example = pytest.mark.parametrize(
    ("source", "target"), CASES, ids=lambda x: x if isinstance(x, str) else x.parent.name
)


@cache
def emitted(source: Path, target: TargetKind, other: bool = False) -> EmittedProject:
    """The project of an example; with `other` each compile-time choice is the other one than by default."""
    kernels = pipeline.kernel_names(source)
    values = [
        {name: not value for name, value in switches(source, kernel).items()} if other else {} for kernel in kernels
    ]
    fronts = [pipeline.front(source, name, chosen) for name, chosen in zip(kernels, values, strict=True)]
    try:
        return pipeline.emit_project(fronts, target, "example")
    except IntentError as error:
        assert error.code == "target.unsupported", error
        pytest.skip(f"{target} does not cover it")


def switches(source: Path, kernel: str) -> dict[str, bool]:
    """The compile-time parameters that are true or false, with their defaults."""
    tree = ast.parse(source.read_text())
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == kernel)
    defaults = zip(reversed(function.args.args), reversed(function.args.defaults), strict=False)
    constants = {a.arg: d.value for a, d in defaults if isinstance(d, ast.Constant)}
    return {name: value for name, value in constants.items() if isinstance(value, bool)}


def lineage_of(project: EmittedProject) -> Lineage:
    return read_lineage(project.files["diagnostics/lineage.json"])


def trails_of(lineage: Lineage, text: str, line: int) -> tuple[Trail, ...]:
    """The trails of a line of the example itself, its own or those it leads to."""
    own = trails.forward(lineage, 0, line)
    led = trails.through(lineage, 0, text, line) if not own else ()
    return own or tuple(trail for other in led for trail in trails.forward(lineage, 0, other))


def emitted_lines(trail: Trail) -> set[int]:
    return {line for i in (*trail.instructions, *trail.around) for line in range(i.first, i.last + 1)}


def author_lines(trail: Trail) -> set[int]:
    return {line for at in trail.lines for line in range(at.first, at.last + 1)}


def code_lines(tree: ast.Module) -> set[int]:
    """The lines of functions (heads, docstrings and statements), and of what they use of the file."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    found: set[int] = set()
    for function in functions:
        found.update(range(function.decorator_list[0].lineno, function.body[0].lineno))
        found.update(line for part in function.body for line in statement_lines(part))
    read = {node.id for function in functions for node in ast.walk(function) if isinstance(node, ast.Name)}
    for constant in (node for node in tree.body if isinstance(node, ast.Assign)):
        names = {node.id for target in constant.targets for node in ast.walk(target) if isinstance(node, ast.Name)}
        found.update(range(constant.lineno, (constant.end_lineno or 0) + 1) if names & read else ())
    return found


def statement_lines(statement: ast.stmt) -> set[int]:
    """The lines of a statement; of one with statements inside its head and theirs."""
    inside = [part for name in ("body", "orelse") for part in getattr(statement, name, [])]
    if not inside:
        return {*range(statement.lineno, (statement.end_lineno or 0) + 1)}
    head = {*range(statement.lineno, inside[0].lineno)}
    return head.union(*(statement_lines(part) for part in inside))


def kernel(lineage: Lineage, name: str) -> KernelLineage:
    return next(k for k in lineage.kernels if k.name == name)


@pytest.mark.req("P121")
@every_example
def test_forward_from_every_line(source: Path, target: TargetKind) -> None:
    project, text = emitted(source, target), source.read_text()
    lineage, lines = lineage_of(project), code_lines(ast.parse(text))
    for number in range(1, text.count("\n") + 1):
        found = trails_of(lineage, text, number)
        if not found and number in lines:
            found = trails_of(lineage_of(emitted(source, target, other=True)), text, number)
        assert bool(found) == (number in lines), f"{source.parent.name}:{number}"
        for trail in found:
            assert trail.instructions, f"{source.parent.name}:{number} leads to no code"
            if trail.operations:
                assert trail.tasks and trail.commands and trail.stages, (number, trail)
                tasks = [kernel(lineage, trail.kernel).tasks[task] for task in trail.tasks]
                assert trail.worksets or not any(task.worksets for task in tasks)  # scalars are in none


@pytest.mark.req("P121")
@every_example
def test_chains_of_effects_are_whole(source: Path, target: TargetKind) -> None:
    """For every store and atomic access there is something at each level."""
    lineage = lineage_of(emitted(source, target))
    for each in lineage.kernels:
        effects = [
            op for op in each.operations.values() if op.kind.startswith(("store", "atomic", "scatter", "compare"))
        ]
        assert effects, each.name
        for op in effects:
            (trail,) = (t for t in trails.forward(lineage, op.at.source, op.at.first) if t.kernel == each.name)
            assert op.id in trail.operations
            assert trail.worksets and trail.tasks and trail.commands and trail.stages and trail.instructions


@pytest.mark.req("P122")
@every_example
def test_reverse_from_every_line_and_forward_again(source: Path, target: TargetKind) -> None:
    project, text = emitted(source, target), source.read_text()
    lineage, lines = lineage_of(project), code_lines(ast.parse(text))
    for each in lineage.kernels:
        for number, row in enumerate(project.files[each.file].split("\n"), 1):
            found = trails.reverse(lineage, each.file, number, row)
            if not row.strip() or row.startswith(("#include <", "using intent::")):
                assert found == ()
                continue
            (trail,) = found
            assert trail.kernel == each.name and trail.lines, f"{each.file}:{number}"
            assert {line for at in trail.lines if at.source == 0 for line in range(at.first, at.last + 1)} <= lines
            staged = any(instruction.stage for instruction in trail.instructions)
            assert not staged or (trail.stages and trail.tasks and trail.commands), f"{each.file}:{number}"
            for op in trail.operations:
                at = each.operations[op].at
                back = [t for t in trails.forward(lineage, at.source, at.first) if t.kernel == each.name]
                assert any(number in emitted_lines(t) for t in back) or number in each.quotes, (each.file, number, op)


@pytest.mark.req("P122")
@every_example
def test_quotes_are_the_lines_they_name(source: Path, target: TargetKind) -> None:
    """A comment `// kernel.py:12  ...` is the author's line 12, and the code under it comes from there."""
    project = emitted(source, target)
    lineage = lineage_of(project)
    for each in lineage.kernels:
        rows = project.files[each.file].split("\n")
        for number, at in each.quotes.items():
            assert rows[number - 1].strip().startswith(f"// {Path(lineage.sources[at.source]).name}:{at.first} ")
            (trail,) = trails.reverse(lineage, each.file, number, rows[number - 1])
            assert trail.lines == (at,)


@pytest.mark.req("P122")
@every_example
def test_every_other_file_belongs_to_kernels_or_to_the_runtime(source: Path, target: TargetKind) -> None:
    project = emitted(source, target)
    lineage = lineage_of(project)
    own = {each.file for each in lineage.kernels}
    for path, text in project.files.items():
        for number, row in enumerate(text.split("\n"), 1):
            found = trails.reverse(lineage, path, number, row)
            if path in own or not row.strip() or row.startswith("#include <"):
                continue
            expected = path.startswith((f"include/{project.name}/", "python/")) or path.endswith("_c.cpp")
            assert bool(found) == expected, f"{path}:{number}"
            assert all(trail.lines for trail in found)
