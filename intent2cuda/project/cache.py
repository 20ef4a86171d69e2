"""The build cache: folders named by the digest of all that went into them, verified whenever they are used.

An entry appears by one rename of a finished folder, so nobody sees half of one. Its `entry.json` holds the SHA-256 of
every file; an entry that does not match, because it was truncated, edited or put there by someone else, counts as
absent and is replaced. Nothing that is read from the cache is executed before it was verified.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from intent2cuda.project import settings
from intent2cuda.project.errors import ProjectError
from intent2cuda.project.staging import private_folder, sweep

FORMAT = "v1"
"""Name of the folder of entries. Another format is another folder, so that versions do not disturb each other."""

_MANIFEST = "entry.json"
_STAGING = "staging"


@dataclass(frozen=True)
class Cache:
    """A folder of entries whose files together take at most `limit` bytes; the ones unused for longest go first."""

    folder: Path
    limit: int

    def lookup(self, key: str) -> Path | None:
        """The folder of a complete entry, marked as used now; None if there is none."""
        entry = self._entry(key)
        if not _is_intact(entry, key):
            return None
        with contextlib.suppress(OSError):
            os.utime(entry)
        return entry

    @contextlib.contextmanager
    def staging(self) -> Generator[Path]:
        """An empty private folder to build in; it is gone afterwards unless it was published."""
        parent = self.folder / _STAGING
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with private_folder(parent) as staged:
            yield staged

    def publish(self, staged: Path, key: str) -> Path:
        """The entry made from the staged folder, or the equal one that another process published first."""
        record = {"key": key, "files": {name: _sha256(staged / name) for name in _files(staged)}}
        (staged / _MANIFEST).write_text(json.dumps(record, indent=1, sort_keys=True), encoding="utf-8")
        entry = self._entry(key)
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            try:
                staged.rename(entry)
            except OSError:
                if _is_intact(entry, key):
                    return entry
                self._remove(entry)
            else:
                self._evict(keep=entry)
                return entry

    def discard(self, key: str) -> None:
        """Takes the entry away, if there is one."""
        self._remove(self._entry(key))

    def _entry(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _remove(self, entry: Path) -> None:
        """Takes an entry away by a rename first, so that it is never half there under its name."""
        with self.staging() as aside, contextlib.suppress(FileNotFoundError):
            entry.rename(aside / "old")

    def _evict(self, keep: Path) -> None:
        sweep(self.folder / _STAGING)
        entries = sorted((_used(entry), _size(entry), entry) for entry in self.entries())
        excess = sum(size for _, size, _ in entries) - self.limit
        for _, size, entry in entries:
            if excess <= 0:
                return
            if entry != keep:
                self._remove(entry)
                excess -= size

    def entries(self) -> tuple[Path, ...]:
        """The folders of all entries, intact or not, in no order of use."""
        return tuple(sorted(p for p in self.folder.glob("??/*") if p.is_dir()))


def open_cache() -> Cache:
    """The cache of this user, or one that lasts as long as this process if caching is switched off.

    Raises:
        ProjectError: others may write to the folder (`cache.unsafe`), or it cannot be made (`cache.unusable`).
    """
    root = settings.cache_directory()
    folder = _temporary() if root is None else root / FORMAT
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as error:
        message = f"the cache folder {folder} cannot be used: {error.strerror}"
        raise ProjectError("cache.unusable", message, _HELP) from error
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise ProjectError("cache.unsafe", f"others may write to the cache folder {folder}", _HELP)
    return Cache(folder, settings.cache_bytes())


_HELP = f"set {settings.CACHE_DIRECTORY} to a folder of your own, or to `off`"


@functools.cache
def _temporary() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="intent2cuda-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _is_intact(entry: Path, key: str) -> bool:
    """Whether the entry holds exactly the files that its manifest lists, unchanged."""
    try:
        record: object = json.loads((entry / _MANIFEST).read_text(encoding="utf-8"))
        if not isinstance(record, dict):
            return False
        fields = cast(dict[str, Any], record)
        digests = {name: _sha256(entry / name) for name in _files(entry)}
        return fields.get("key") == key and fields.get("files") == digests
    except (OSError, ValueError):
        return False


def _files(folder: Path) -> list[str]:
    """The paths of all files below, the manifest left out."""
    found = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return sorted(path.relative_to(folder).as_posix() for path in found if path != folder / _MANIFEST)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _used(entry: Path) -> float:
    try:
        return entry.stat().st_mtime
    except OSError:
        return 0.0


def _size(entry: Path) -> int:
    with contextlib.suppress(OSError):
        return sum((entry / name).stat().st_size for name in _files(entry))
    return 0
