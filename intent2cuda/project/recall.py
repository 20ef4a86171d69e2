"""Emitted projects that are remembered, so that compiling unchanged kernels again needs no parsing and no planning.

A project is recalled when the request, the package itself and every source file that was read are as they were.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from intent2cuda.base.codec import Plain, canonical, digest
from intent2cuda.base.files import MANIFEST
from intent2cuda.project.cache import Cache
from intent2cuda.project.emitted import EmittedProject
from intent2cuda.project.interface import interface_of
from intent2cuda.project.runtime import runtime_directory
from intent2cuda.project.tree import lay_out

_RECORD = "project.json"
_FILES = "files"


def recall(cache: Cache, request: Plain) -> EmittedProject | None:
    """The project that the request led to, if nothing that it depends on has changed since."""
    entry = cache.lookup(_key(request))
    if entry is None:
        return None
    record = cast(dict[str, Any], json.loads((entry / _RECORD).read_text(encoding="utf-8")))
    sources = cast(dict[str, str], record["read"])
    if any(_sha256(Path(path)) != wanted for path, wanted in sources.items()):
        return None
    files = {path: (entry / _FILES / path).read_text(encoding="utf-8") for path in record["files"]}
    return EmittedProject(
        name=record["name"],
        target=record["target"],
        files=files,
        manifest=json.loads(files[MANIFEST]),
        sources=tuple(record["sources"]),
        interfaces=tuple(interface_of(interface) for interface in record["interfaces"]),
        architectures=tuple(record["architectures"]),
        include_directory=record["include_directory"],
    )


def remember(cache: Cache, request: Plain, read: Iterable[Path], project: EmittedProject) -> None:
    """Keeps the project for the next equal request. `read`: every source file that it was made from."""
    record: Mapping[str, Plain] = {
        "read": {str(path.resolve()): _sha256(path) for path in read},
        "name": project.name,
        "target": project.target,
        "files": sorted(project.files),
        "sources": project.sources,
        "interfaces": [interface.record() for interface in project.interfaces],
        "architectures": project.architectures,
        "include_directory": project.include_directory,
    }
    key = _key(request)
    with cache.staging() as staged:
        lay_out(staged / _FILES, project.files)
        (staged / _RECORD).write_text(json.dumps(record), encoding="utf-8")
        cache.discard(key)
        cache.publish(staged, key)


def _key(request: Plain) -> str:
    package = [*_stamps(Path(__file__).parent.parent), *_stamps(runtime_directory())]
    return digest("intent2cuda.request", canonical({"request": request, "package": package}))


def _stamps(folder: Path | os.DirEntry[str]) -> Iterator[Plain]:
    """Path, size and time of every file below: the package's code, templates and headers decide what is emitted."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            if not entry.is_dir():
                status = entry.stat()
                yield [entry.path, status.st_size, status.st_mtime_ns]
            elif entry.name != "__pycache__":
                yield from _stamps(entry)


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
