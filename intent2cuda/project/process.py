"""Running other programs: the only place of the package that does."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from intent2cuda.project.errors import ToolchainError


def run(
    command: Sequence[str], *, directory: Path, seconds: float, on_line: Callable[[str], None] | None = None
) -> str:
    """What the program printed, standard error included. `on_line` sees each line as it comes.

    Raises:
        ToolchainError: it failed, was stopped by a signal, took longer than `seconds`, or cannot be started.
    """
    process = _start(command, directory)
    too_long = threading.Event()

    def stop() -> None:
        too_long.set()
        _kill(process)

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        words = _words(process, on_line)
    finally:
        timer.cancel()
        _kill(process)
    if too_long.is_set():
        message = f"`{Path(command[0]).name}` took longer than {seconds:g} s\n{shlex.join(command)}\n{words}"
        raise ToolchainError("toolchain.timeout", message.rstrip())
    if process.returncode:
        raise ToolchainError("toolchain.failed", _failure(command, process.returncode, words))
    return words


def _start(command: Sequence[str], directory: Path) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise ToolchainError("toolchain.missing", f"`{command[0]}` cannot be started: {error.strerror}") from error


def _words(process: subprocess.Popen[str], on_line: Callable[[str], None] | None) -> str:
    """Everything the program printed until it ended."""
    lines: list[str] = []
    with process:
        for line in process.stdout or ():
            lines.append(line)
            if on_line is not None:
                on_line(line.rstrip("\n"))
    return "".join(lines)


def _kill(process: subprocess.Popen[str]) -> None:
    """Ends the program and all that it started, if it still runs."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _failure(command: Sequence[str], status: int, words: str) -> str:
    name = Path(command[0]).name
    how = f"was stopped by {signal.Signals(-status).name}" if status < 0 else f"failed with status {status}"
    return f"`{name}` {how}\n{shlex.join(command)}\n{words.strip()}".rstrip()
