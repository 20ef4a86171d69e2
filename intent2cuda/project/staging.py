"""Private folders to build in. Each is locked by its process, so that one that a killed process left is told apart."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS)


@contextlib.contextmanager
def private_folder(parent: Path) -> Generator[Path]:
    """An empty folder below `parent` that `sweep` leaves alone; it is gone afterwards unless it was renamed."""
    staged, lock = _locked_folder(parent)
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        os.close(lock)


def sweep(parent: Path) -> None:
    """Removes the folders below `parent` that no process holds any more.

    Where the file system has no locks nobody can tell, and they stay.
    """
    for folder in parent.iterdir():
        with contextlib.suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _locked_folder(parent: Path) -> tuple[Path, int]:
    """A new folder and the descriptor that holds its lock.

    A sweep may find the folder before it is locked; then it is lost, and another one is made.
    """
    while True:
        folder = Path(tempfile.mkdtemp(dir=parent))
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        if _take(lock) and _is_still(folder, lock):
            return folder, lock
        os.close(lock)


def _take(lock: int) -> bool:
    """Whether the lock is held now, or there are no locks."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return True


def _is_still(folder: Path, lock: int) -> bool:
    """Whether the folder of the descriptor is there under its name."""
    try:
        return os.path.samestat(folder.stat(), os.fstat(lock))
    except FileNotFoundError:
        return False
