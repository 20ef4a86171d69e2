"""`intent2cuda trace`: what became of an author's line, and where an emitted line comes from."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from intent2cuda.base.codec import Plain
from intent2cuda.cli.errors import UsageError
from intent2cuda.cli.output import say, say_json
from intent2cuda.cli.request import add_options, request_of
from intent2cuda.review import trails
from intent2cuda.review.emitted import Emitted, folder_of, in_folder, of_files, refusal
from intent2cuda.review.lineage import Instruction, KernelLineage, Lines
from intent2cuda.review.trails import Trail

_SUPPORT = "runtime support"
_DIGITS = 12
"""Digits of a line number that no file reaches."""
_WIDTH = 72
"""Characters of an emitted line that are shown."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("direction", choices=("forward", "reverse"), help="from the author's file, or back to it")
    parser.add_argument("place", metavar="FILE:LINE", help="a line of either; for reverse also an emitted symbol")
    what = "the emitted project (default: emitted now, or where FILE lies)"
    parser.add_argument("-o", "--out", metavar="DIR", help=what)
    parser.add_argument("--dir", dest="out", help=argparse.SUPPRESS)  # as it was called before
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """0 with what was found, 1 when nothing was."""
    answer = _forward(arguments) if arguments.direction == "forward" else _reverse(arguments)
    if arguments.json:
        say_json(answer.record())
    else:
        say("\n".join(answer.text()))
    return 0 if answer.trails or answer.remark.startswith(_SUPPORT) else 1


@dataclass(frozen=True)
class _Answer:
    """`place` and `line` are what was asked for. `through`: other lines by which the trails were found."""

    emitted: Emitted
    place: str
    line: str
    trails: tuple[Trail, ...]
    through: tuple[int, ...] = ()
    remark: str = ""

    def record(self) -> dict[str, Plain]:
        kernels = [_record(self.emitted, trail) for trail in self.trails]
        return {
            "place": self.place,
            "line": self.line,
            "through": list(self.through),
            "remark": self.remark,
            "kernels": kernels,
        }

    def text(self) -> Iterator[str]:
        yield f"{self.place}  {self.line.strip()}".rstrip()
        if self.remark:
            yield f"  {self.remark}"
        if self.through:
            yield f"  takes part through line {', '.join(map(str, self.through))}"
        for trail in self.trails:
            yield from _shown(self.emitted, trail)


def _forward(arguments: argparse.Namespace) -> _Answer:
    path, number = _place(arguments.place)
    text = _text(path)
    line = _line(path, text, number)
    emitted = in_folder(Path(arguments.out)) if arguments.out else _now(arguments, path)
    source = emitted.source(path, text)
    found, through = trails.forward(emitted.lineage, source, number), ()
    if not found:
        through = trails.through(emitted.lineage, source, text, number)
        found = tuple(trail for other in through for trail in trails.forward(emitted.lineage, source, other))
    remark = "" if found else "nothing was emitted for this line"
    return _Answer(emitted, f"{path}:{number}", line, found, through, remark)


def _reverse(arguments: argparse.Namespace) -> _Answer:
    if re.fullmatch(r"[A-Za-z_]\w*(::\w+)*", arguments.place):
        return _symbol(arguments.place, arguments.out)
    path, number = _place(arguments.place)
    folder = Path(arguments.out) if arguments.out else folder_of(Path(path))
    if folder is None:
        raise refusal("trace.unmatched", f"{path} lies in no emitted project", "name a file of one, or say -o DIR")
    emitted = in_folder(folder)
    inside = _inside(folder, Path(path))
    line = _line(path, emitted.text(inside), number)
    found = trails.reverse(emitted.lineage, inside, number, line)
    remark = "" if found else _of_no_kernel(emitted, inside, line)
    return _Answer(emitted, f"{path}:{number}", line, found, remark=remark)


def _of_no_kernel(emitted: Emitted, path: str, line: str) -> str:
    """What a line is that comes from no kernel."""
    if not line.strip():
        return "a blank line"
    if emitted.lineage.files.get(path) == "build":
        return f"{_SUPPORT}: how the project is built"
    return f"{_SUPPORT}: the same in every project that uses it"


def _symbol(name: str, folder: str | None) -> _Answer:
    """What was observed under the name of a symbol; without the project the name says nothing."""
    if folder is None:
        message = f"`{name}` alone names nothing: every project may have one"
        raise refusal("trace.name_as_identity", message, "say which project with -o DIR")
    emitted = in_folder(Path(folder))
    symbol = emitted.manifest.get("symbols", {}).get(name)
    trail = trails.of_command(emitted.lineage, symbol["command"]) if symbol else None
    if trail is None:
        raise refusal("trace.unmatched", f"{folder} has no symbol {name}", "name one of those in its manifest")
    return _Answer(emitted, name, f"{symbol['kernel']}, concrete plan {symbol['concrete'][:12]}", (trail,))


def _now(arguments: argparse.Namespace, path: str) -> Emitted:
    """The project that the file would be emitted as now."""
    arguments.source = path
    project = request_of(arguments).project()
    return of_files(project.name, project.files)


def _place(text: str) -> tuple[str, int]:
    path, _, number = text.rpartition(":")
    if not path or not (number.isascii() and number.isdecimal() and len(number) < _DIGITS):
        raise UsageError(f"a place is written FILE:LINE, not '{text[:200]}'", "for example kernel.py:12")
    return path, int(number)


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text in UTF-8", "name a line of a kernel file") from error


def _line(path: str, text: str, number: int) -> str:
    lines = text.removesuffix("\n").split("\n") if text else []
    if not 0 < number <= len(lines):
        many = {0: "no lines", 1: "one line"}.get(len(lines), f"{len(lines)} lines")
        raise UsageError(f"{path} has {many}, and no line {number}", "name one of its lines, as in kernel.py:12")
    return lines[number - 1]


def _inside(folder: Path, path: Path) -> str:
    """The path below the folder of the project."""
    try:
        return path.absolute().relative_to(folder.absolute()).as_posix()
    except ValueError:
        return path.as_posix()


def _kernel(emitted: Emitted, trail: Trail) -> KernelLineage:
    return next(kernel for kernel in emitted.lineage.kernels if kernel.name == trail.kernel)


def _at(emitted: Emitted, lines: Lines) -> str:
    last = f"-{lines.last}" if lines.last > lines.first else ""
    return f"{emitted.lineage.sources[lines.source]}:{lines.first}{last}"


def _where(kernel: KernelLineage, instruction: Instruction) -> str:
    last = f"-{instruction.last}" if instruction.last > instruction.first else ""
    return f"{kernel.file}:{instruction.first}{last}"


def _rows(emitted: Emitted, trail: Trail) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each level with identifiers and what they stand for."""
    kernel = _kernel(emitted, trail)
    texts = emitted.text(kernel.file).split("\n")
    yield "author", [("", _at(emitted, lines)) for lines in trail.lines]
    operations = [kernel.operations[name] for name in trail.operations]
    yield "operations", [(op.id, f"{op.kind}  {_at(emitted, op.at)}") for op in operations]
    yield "worksets", [(name, "") for name in trail.worksets]
    yield "tasks", [(name, kernel.tasks[name].operation) for name in trail.tasks]
    yield "commands", [(name, "launch") for name in trail.commands]
    yield "stages", [(name, kernel.stages[name].does) for name in trail.stages]
    for level, found in (("instructions", trail.instructions), ("around", trail.around)):
        yield level, [(i.id, f"{_where(kernel, i)}  {_cut(texts[i.first - 1].strip())}") for i in found]


def _cut(text: str) -> str:
    """The text, or its beginning where it is long."""
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 4].rstrip()} ..."


def _shown(emitted: Emitted, trail: Trail) -> Iterator[str]:
    yield f"kernel {trail.kernel}"
    for level, rows in _rows(emitted, trail):
        for number, (identity, words) in enumerate(rows):
            yield f"  {level if number == 0 else '':12}  {identity:12}  {words}".rstrip()


def _record(emitted: Emitted, trail: Trail) -> dict[str, Plain]:
    found: dict[str, Plain] = {"kernel": trail.kernel}
    for level, rows in _rows(emitted, trail):
        found[level] = [{"id": identity, "is": words} if identity else words for identity, words in rows]
    return found
