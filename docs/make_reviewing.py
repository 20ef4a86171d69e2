"""Writes the outputs in docs/reviewing.md: what stands under a command there is what the product prints.

The page itself is the recipe. A block `python NAME` is a file that is written; in a block `console` each line that
begins with `$ ` is a command, and the lines up to the next one are its output. Behind `console` may stand `tile_k=32`:
then the commands see a catalogue that has such tiles.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from intent2cuda.cli.main import main as command
from intent2cuda.plan import planner
from intent2cuda.plan.catalogue import Row
from intent2cuda.plan.choosing import ImplementationPolicy

PAGE = Path(__file__).resolve().parent / "reviewing.md"
WIDTH = 132
_BLOCK = re.compile(r"^```(python|console)( [^\n]*)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page() -> str:
    """The text of the page with fresh outputs."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "norms").mkdir()
        os.chdir(f"{folder}/norms")  # the project of several kernels is named after their folder
        Path("pyproject.toml").touch()
        try:
            return _BLOCK.sub(_block, PAGE.read_text(encoding="utf-8"))
        finally:
            os.chdir(before)


def _block(found: re.Match[str]) -> str:
    kind, words, body = found[1], (found[2] or "").strip(), found[3]
    if kind == "python":
        if words:
            Path(words).parent.mkdir(parents=True, exist_ok=True)
            Path(words).write_text(body, encoding="utf-8")
        return found[0]
    with _catalogue(words):
        rows = [row for line in body.split("\n") if line.startswith("$ ") for row in _run(line)]
    return f"```console{found[2] or ''}\n" + "\n".join(rows) + "\n```"


def _run(line: str) -> Iterator[str]:
    """The command and what it prints; an exit status that is not 0 stands behind it."""
    yield line
    name, *words = shlex.split(line.removeprefix("$ "))
    assert name == "intent2cuda", line
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = command(words)
    for row in printed.getvalue().rstrip("\n").split("\n"):
        yield row if len(row) <= WIDTH else f"{row[: WIDTH - 3].rstrip()}..."
    if status:
        yield f"[exit status {status}]"


@contextlib.contextmanager
def _catalogue(words: str) -> Iterator[None]:
    """The catalogue of the product, or one with other tiles."""
    found = re.fullmatch(r"tile_k=(\d+)", words)
    if found is None:
        yield
        return
    depth = int(found[1])
    row = Row((("tile_m", 64, ""), ("tile_n", 64, ""), ("tile_k", depth, "")), shared_bytes=1280 * depth)
    policy, before = ImplementationPolicy(rows=(("cuda.contract.simt_tile", (row,)),)), planner.ImplementationPolicy
    planner.ImplementationPolicy = lambda: policy
    try:
        yield
    finally:
        planner.ImplementationPolicy = before


def main() -> int:
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
