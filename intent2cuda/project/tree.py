"""Writing an emitted project into a folder: all of it or nothing, and never over somebody's work."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, cast

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.files import MANIFEST
from intent2cuda.project.errors import ProjectError


@dataclass(frozen=True)
class Written:
    """What a write did, as sorted paths inside the folder."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


def lay_out(directory: Path, files: Mapping[str, str]) -> None:
    """Writes the files into an empty folder.

    Raises:
        InternalError: a path leads out of the folder.
    """
    for path, text in files.items():
        place = directory / _checked(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="\n")


def write_tree(directory: Path, files: Mapping[str, str], *, force: bool = False) -> Written:
    """Makes the folder hold the files. Only files that differ are written, the manifest last.

    Files of an earlier emission that are no longer emitted are removed unless they were edited; all others stay.

    Raises:
        ProjectError: the folder holds another project, or a file that was edited since it was emitted, or was never
            emitted; `force` writes it all the same. Or the folder cannot be written (`project.unwritable`); then
            nothing in it has changed.
    """
    try:
        return _write(directory, files, force)
    except OSError as error:
        raise ProjectError(
            "project.unwritable",
            f"{directory}: the project cannot be written here: {error.strerror or error}",
            "name a folder, or one to be made, that you may write to",
        ) from error


def _write(directory: Path, files: Mapping[str, str], force: bool) -> Written:
    recorded = recorded_digests(directory)
    current = {path: _digest_of(directory / _checked(path)) for path in files}
    wanted = {path: _sha256(text.encode()) for path, text in files.items()}
    stale = sorted(path for path in files if current[path] != wanted[path])
    if not force:
        _refuse_other(directory, files)
        _refuse_edited(directory, [p for p in stale if p != MANIFEST and current[p] not in (None, recorded.get(p))])
    orphans = sorted(p for p in recorded if p not in files and _digest_of(directory / _checked(p)) == recorded[p])
    stale.sort(key=lambda path: path == MANIFEST)
    _replace(directory, {path: files[path] for path in stale})
    for path in orphans:
        (directory / path).unlink()
        with contextlib.suppress(OSError):
            (directory / path).parent.rmdir()
    return Written(tuple(sorted(stale)), tuple(sorted(p for p in files if current[p] == wanted[p])), tuple(orphans))


def recorded_digests(directory: Path) -> dict[str, str]:
    """SHA-256 of each file as the manifest in the folder has it; empty if there is none that can be read."""
    files = _recorded_manifest(directory).get("files")
    if not isinstance(files, dict):
        return {}
    return {path: value for path, value in cast(dict[str, object], files).items() if isinstance(value, str)}


def _recorded_manifest(directory: Path) -> dict[str, Any]:
    try:
        manifest: object = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast(dict[str, Any], manifest) if isinstance(manifest, dict) else {}


def _refuse_other(directory: Path, files: Mapping[str, str]) -> None:
    """Raises ProjectError where the folder holds a project of another name or target."""
    recorded = _recorded_manifest(directory)
    fresh: dict[str, Any] = json.loads(files.get(MANIFEST, "{}"))
    there, here = ((one.get("project"), one.get("target")) for one in (recorded, fresh))
    if None in (*there, *here) or there == here:
        return
    raise ProjectError(
        "project.other",
        f"{directory} holds the project `{there[0]}` for {there[1]}; this is `{here[0]}` for {here[1]}",
        f"write it again with name {there[0]} and target {there[1]}, take another folder, or replace it with --force",
    )


def _replace(directory: Path, files: Mapping[str, str]) -> None:
    """Puts the files in place by renames; if one fails, those before it are put back."""
    if not directory.exists():
        _create(directory, files)
        return
    staged = Path(tempfile.mkdtemp(prefix=".intent2cuda-", dir=directory))
    try:
        lay_out(staged / "new", files)
        done: list[str] = []
        try:
            for path in files:
                _set_aside(directory / path, staged / "old" / path)
                done.append(path)
                (directory / path).parent.mkdir(parents=True, exist_ok=True)
                (staged / "new" / path).replace(directory / path)
        except OSError:
            for path in done:
                _put_back(directory / path, staged / "old" / path)
            raise
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _create(directory: Path, files: Mapping[str, str]) -> None:
    directory.parent.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=".intent2cuda-", dir=directory.parent))
    try:
        lay_out(staged / "new", files)
        (staged / "new").rename(directory)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _set_aside(place: Path, old: Path) -> None:
    if place.exists():
        old.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(place, old)


def _put_back(place: Path, old: Path) -> None:
    if old.exists():
        old.replace(place)
    else:
        place.unlink(missing_ok=True)


def _refuse_edited(directory: Path, paths: list[str]) -> None:
    if paths:
        listed = ", ".join(paths)
        raise ProjectError(
            "project.edited",
            f"{directory}: not as it was emitted: {listed}",
            "move your edits elsewhere, write to another folder, or use --force to overwrite them",
        )


def _checked(path: str) -> str:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise InternalError(f"an emitted path leads out of its folder: {path}")
    return path


def _digest_of(path: Path) -> str | None:
    try:
        return _sha256(path.read_bytes())
    except OSError:
        return None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
