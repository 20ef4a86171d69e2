"""The command as a process of its own: streams, terminals, pipes."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from intent2cuda.cli.output import Progress
from intent2cuda.version import VERSION

from .conftest import tree

COMMAND = [sys.executable, "-P", "-m", "intent2cuda"]


def run(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    words = [*COMMAND, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300, env=env)


def test_version_and_help() -> None:
    assert run("--version").stdout == f"intent2cuda {VERSION}\n"
    shown = run("--help")
    assert shown.returncode == 0
    assert all(
        verb in shown.stdout for verb in ("emit", "build", "run", "check", "diff", "show", "explain", "laws", "doctor")
    )


def test_results_go_to_stdout_and_complaints_to_stderr(one: Path) -> None:
    good = run("emit", one)
    assert (good.returncode, good.stderr) == (0, "") and good.stdout.startswith("// Code generated")
    bad = run("emit", f"{one}:nothing")
    assert (bad.returncode, bad.stdout) == (2, "") and bad.stderr.startswith("error[src.kernel.missing]")


def test_reader_that_goes_away(one: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "emit", str(one), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_stream_that_the_caller_has_closed(one: Path, tmp_path: Path, closed: str) -> None:
    descriptor = {"stdout": 1, "stderr": 2}[closed]
    words = ["sh", "-c", f'exec "$@" {descriptor}>&-', "sh", *COMMAND]
    shown = subprocess.run([*words, "show", str(one), "--stage", "ir"], capture_output=True, check=False)
    assert (shown.returncode, shown.stderr) == (0, b"")
    emitted = subprocess.run([*words, "emit", str(one), "-o", str(tmp_path / "out")], capture_output=True, check=False)
    assert (emitted.returncode, emitted.stderr) == (0, b"") and (tmp_path / "out" / "MANIFEST.json").exists()
    refused = subprocess.run([*words, "emit", f"{one}:nothing"], capture_output=True, check=False)
    assert refused.returncode == 2


def test_names_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    path = tmp_path / "größe.py"
    path.write_text("def k(:\n")
    done = run("emit", path, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 2 and "gr\\xf6\\xdfe.py" in done.stderr and "Traceback" not in done.stderr


def test_file_name_that_is_no_unicode(one: Path, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/bad\xff.py"
    Path(os.fsdecode(path)).write_bytes(one.read_bytes())
    done = subprocess.run([*map(os.fsencode, COMMAND), b"emit", path, b"--json"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr and b"\xff" not in done.stdout


class TestProgress:
    """A line on the terminal while work takes long; nothing anywhere else."""

    def test_nothing_without_a_terminal(self, capsys: pytest.CaptureFixture[str]) -> None:
        with Progress("building", patience=0.0) as progress:
            progress.step(1, 2, "a.cpp")
            time.sleep(0.05)
        assert capsys.readouterr() == ("", "")

    def test_a_line_that_is_wiped_at_the_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        with Progress("building", patience=0.3) as progress:
            progress.step(1, 2, "a.cpp")
            time.sleep(1.0)
            progress.step(2, 2, "b.cpp")
        assert screen.getvalue() == "\r\x1b[Kbuilding 1/2: a.cpp\r\x1b[Kbuilding 2/2: b.cpp\r\x1b[K"

    def test_nothing_when_the_work_is_short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        with Progress("building", patience=60.0) as progress:
            progress.step(1, 2, "a.cpp")
        assert screen.getvalue() == ""

    def test_a_real_terminal_sees_a_build(self, one: Path, tmp_path: Path) -> None:
        slow = tmp_path / "slow-compiler"
        slow.write_text('#!/bin/sh\nsleep 0.4\nexec g++ "$@"\n')
        slow.chmod(0o755)
        master, slave = pty.openpty()
        words = [*COMMAND, "build", str(one), "-o", str(tmp_path / "out"), "--no-python"]
        with subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=slave, env={**os.environ, "CXX": str(slow)}
        ) as process:
            os.close(slave)
            seen = b""
            while True:
                try:
                    part = os.read(master, 4096)
                except OSError:
                    break
                if not part:
                    break
                seen += part
        os.close(master)
        assert process.returncode == 0
        assert b"building scaled" in seen and seen.endswith(b"\r\x1b[K")
        assert "src/scaled.cpp" in tree(tmp_path / "out")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True
