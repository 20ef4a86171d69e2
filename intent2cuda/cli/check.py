"""`intent2cuda check` and `diff`: whether a folder holds what would be emitted now. Nothing is written.

Without a source, `check DIR` says whether a folder is as it was emitted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from intent2cuda import pipeline
from intent2cuda.base.codec import Plain
from intent2cuda.base.files import DIAGNOSTICS, MANIFEST
from intent2cuda.cli.errors import UsageError
from intent2cuda.cli.output import say, say_json
from intent2cuda.cli.request import Request, add_name, add_source, request_of
from intent2cuda.project.manifest import read_manifest
from intent2cuda.project.tree import recorded_digests
from intent2cuda.review.freshness import Difference, State, differences, reading_order, strays, unified
from intent2cuda.review.recorded import read_recorded
from intent2cuda.review.staleness import stale_because

_FOLDERS = ("cmake", "diagnostics", "include", "python", "src")
_SOURCES = (".c", ".cc", ".cmake", ".cpp", ".cu", ".cuh", ".h", ".hpp")


def configure(parser: argparse.ArgumentParser) -> None:
    add_source(parser)
    add_name(parser)
    parser.set_defaults(target="", arch="")
    what = "the emitted project (without it, check DIR says whether DIR is as it was emitted)"
    parser.add_argument("-o", "--out", metavar="DIR", help=what)


def run(arguments: argparse.Namespace) -> int:
    """0 up to date, 1 anything missing, stale, edited by hand, left over or added."""
    alone = arguments.out is None and Path(arguments.source).is_dir()
    out = Path(arguments.source if alone else arguments.out or "")
    compared = _Compared(tuple(_as_emitted(out)), {}, {}) if alone else _compare(arguments)
    rows = sorted(compared.rows, key=lambda row: row.path)
    if arguments.json:
        found: list[Plain] = [{"path": r.path, "state": r.state.value} for r in rows]
        say_json({"up_to_date": not rows, "differences": found, "because": list(compared.because)})
    elif rows:
        because = [f"because of {reason}" for reason in compared.because]
        say("\n".join([*(f"{row.state.value:8} {out / row.path}" for row in rows), *because]))
    else:
        say(f"{out} is {'as it was emitted' if alone else 'up to date'}")
    return 1 if rows else 0


def _as_emitted(out: Path) -> Iterator[Difference]:
    """The files that are not as the manifest of their folder says, or that it does not list; what lies under
    `diagnostics/` may be missing.

    Raises:
        ArtifactError: the manifest cannot be read, or was changed.
    """
    manifest = read_manifest((out / MANIFEST).read_text(encoding="utf-8", errors="replace"))
    yield from (Difference(path, State.ADDED) for path in _owned(out) if path not in manifest["files"])
    for path, wanted in manifest["files"].items():
        if (out / path).is_file():
            if hashlib.sha256((out / path).read_bytes()).hexdigest() != wanted:
                yield Difference(path, State.EDITED)
        elif not path.startswith(DIAGNOSTICS):
            yield Difference(path, State.MISSING)


def run_diff(arguments: argparse.Namespace) -> int:
    """The same as a unified diff from the folder to what would be emitted: kernels first, derived files last."""
    compared = _compare(arguments)
    paths = sorted((row.path for row in compared.rows if row.path != MANIFEST), key=reading_order)
    text = "".join(unified(path, compared.found.get(path), compared.fresh.get(path)) for path in paths)
    if arguments.json:
        say_json({"up_to_date": not compared.rows, "diff": text})
    elif compared.rows:
        say(text or f"only {MANIFEST} differs")
    return 1 if compared.rows else 0


@dataclass(frozen=True)
class _Compared:
    """The differences, what would be emitted and what the folder holds."""

    rows: tuple[Difference, ...]
    fresh: Mapping[str, str]
    found: Mapping[str, bytes]

    @property
    def because(self) -> tuple[str, ...]:
        """Why the project is stale, as far as its manifest says what it was made from."""
        try:
            return stale_because(json.loads(self.found[MANIFEST]), json.loads(self.fresh[MANIFEST]))
        except (KeyError, TypeError, ValueError, AttributeError):
            return ()


def _compare(arguments: argparse.Namespace) -> _Compared:
    if arguments.out is None:
        place = Path(arguments.source)
        what = "a folder, and no source" if place.is_dir() else "no folder" if place.exists() else "not there"
        raise UsageError(f"{arguments.source} is {what}", "name the emitted project with -o DIR")
    out = Path(arguments.out)
    fresh = _request(arguments, out).project().files
    recorded = {path: digest for path, digest in recorded_digests(out).items() if _is_inside(path)}
    paths = sorted({*fresh, *recorded, *_owned(out)})
    found = {path: (out / path).read_bytes() for path in paths if (out / path).is_file()}
    rows = (*differences(fresh, found, recorded), *strays(fresh, found, recorded))
    return _Compared(rows, fresh, found)


def _is_inside(path: str) -> bool:
    """Whether a path of a manifest, which anybody may have written, stays in the folder."""
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts


def _owned(out: Path) -> list[str]:
    """The files in the folders that a project owns whole, and sources beside its list of files: one that was never
    emitted could still be included. Builds, and what people keep beside a project, are not among them.
    """
    beside = [path for path in out.glob("*") if path.suffix in _SOURCES]
    inside = [path for folder in _FOLDERS for path in (out / folder).rglob("*") if "__pycache__" not in path.parts]
    return [path.relative_to(out).as_posix() for path in (*beside, *inside) if path.is_file()]


def _request(arguments: argparse.Namespace, out: Path) -> Request:
    """The request, where name, target, architectures and compile-time values are those that the folder has.

    Raises:
        UsageError: the folder does not say its target, and neither does the command.
    """
    recorded = read_recorded(out / MANIFEST)
    if recorded is None:
        if not arguments.target:
            raise UsageError(f"{out} holds no {MANIFEST} that can be read", "emit into it, or say --target")
        return request_of(arguments)
    arguments.target = arguments.target or recorded.target
    if arguments.target == recorded.target:
        arguments.arch = arguments.arch or ",".join(recorded.architectures)
    arguments.checked = arguments.checked or recorded.checked
    arguments.name = (recorded.name or None) if arguments.name is None else arguments.name
    request = request_of(arguments)
    if pipeline.named_after_folder(request.path, request.kernels):
        request = replace(request, kept_name=recorded.project)
    if arguments.constexpr:
        return request
    return replace(request, constexprs=tuple(recorded.constexprs.get(kernel, {}) for kernel in request.kernels))
