"""The runtime headers and sources that come with the package."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from intent2cuda.base.diagnostics import InternalError

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


@functools.cache
def runtime_directory() -> Path:
    """`runtime_cpp`: inside the installed package, or beside it in the repository."""
    package = Path(__file__).parent.parent
    for candidate in (package / "runtime_cpp", package.parent / "runtime_cpp"):
        if (candidate / "include" / "intent").is_dir():
            return candidate
    raise InternalError("the package was installed without its runtime headers")


def runtime_headers(texts: Iterable[str], *, simulation: bool = False) -> dict[str, str]:
    """Every runtime header that the texts include, directly or not: path under `include` -> text, sorted.

    The headers of the simulator are left out, being read only by the host compiler, unless `simulation` asks for them.
    """
    include = runtime_directory() / "include"
    found: dict[str, str] = {}
    waiting = [name for text in texts for name in _included(text, "")]
    while waiting:
        name = waiting.pop()
        if name in found or (name.startswith("intent/sim/") and not simulation):
            continue
        path = include / name
        if not path.is_file():
            raise InternalError(f"there is no runtime header {name}")
        found[name] = path.read_text(encoding="utf-8")
        waiting += _included(found[name], posixpath.dirname(name))
    return {f"include/{name}": found[name] for name in sorted(found)}


def simulator_sources() -> dict[str, str]:
    """The simulator that a `cuda-sim` library is linked with: path -> text, sorted; its own headers included."""
    root = runtime_directory()
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((root / "sim").glob("*"))
        if path.suffix in (".cpp", ".hpp", ".h")
    }


def _included(text: str, directory: str) -> Iterator[str]:
    """The runtime headers that a text names; a quoted name is relative to the folder of the text."""
    for match in _INCLUDE.finditer(text):
        bracket, name = match.groups()
        if bracket == '"' and directory and not name.startswith("intent/"):
            name = posixpath.normpath(posixpath.join(directory, name))
        if name.startswith("intent/"):
            yield name
