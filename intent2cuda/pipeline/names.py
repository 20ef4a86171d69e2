"""Names that appear in emitted text: they depend on the project, not on where somebody stands or keeps it."""

from __future__ import annotations

import codecs
import keyword
import re
from collections.abc import Sequence
from pathlib import Path

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.span import SourceFile
from intent2cuda.machine.names import RESERVED, identifier
from intent2cuda.pipeline.reserved import CMAKE_TARGETS, GLOBAL_NAMES

_ROOT_MARKS = ("pyproject.toml", "setup.py", ".git")


def origin(path: str | Path) -> str:
    """The path of a source below the root of its project, else its name.

    The root is the nearest folder with a pyproject.toml, a setup.py or a .git.
    """
    place = Path(path).resolve()
    for folder in place.parents:
        if any((folder / mark).exists() for mark in _ROOT_MARKS):
            return place.relative_to(folder).as_posix()
    return place.name


def source_origin(source: SourceFile, kernel: str | Path) -> str:
    """The same for a file that was read for a kernel. Its name depends on where one stands, so it is looked for."""
    place = Path(kernel).resolve()
    candidates = (place, *(folder / source.name for folder in (*place.parents, Path.cwd())))
    found = next((c for c in candidates if c.name == Path(source.name).name and _holds(c, source.text)), None)
    return source.name if found is None else origin(found)


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes().removeprefix(codecs.BOM_UTF8) == text.encode()
    except (OSError, ValueError):
        return False


def project_name(path: str | Path, kernels: Sequence[str]) -> str:
    """The kernel's name for one kernel, else one from the file (from its folder for a `kernel.py`).

    It is an identifier of C++ that can name a namespace, a target of CMake and a module of Python: a name that one of
    them keeps for itself gets a trailing underscore.
    """
    place = Path(path).resolve()
    words = kernels[0] if len(kernels) == 1 else place.parent.name if named_after_folder(path, kernels) else place.stem
    letters = re.sub(r"[^A-Za-z0-9]+", "_", words).strip("_")
    name = identifier(re.sub(r"^[0-9_]+", "", letters) or "kernels")
    return f"{name}_" if _is_taken(name) else name


def named_after_folder(path: str | Path, kernels: Sequence[str]) -> bool:
    """Whether a project has the name of the folder of its kernels, which is another one in another checkout."""
    return len(kernels) > 1 and Path(path).stem in ("kernel", "kernels")


def check_project_name(name: str) -> None:
    """Refuses a name of the caller's that a project cannot have.

    Raises:
        IntentError: it is no identifier, or C++, CUDA, CMake or Python keep it for themselves.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or identifier(name) != name:
        why = _fault(name)
    elif _is_taken(name):
        why = "C, CMake or Python keep it for themselves"
    else:
        return
    message = f"a project cannot have the name {name!r}: {why}"
    raise IntentError([Diagnostic("emit.name", message, help="for example softmax_cuda")])


def _fault(name: str) -> str:
    """Why C++ does not take a name."""
    if name in RESERVED:
        return "C++ or CUDA keep it for themselves"
    if re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) and "__" in name:
        return "C++ keeps names with two underscores in a row for itself"
    return "it is no plain identifier: letters, digits and underscores of ASCII, with a letter first"


def _is_taken(name: str) -> bool:
    return name in GLOBAL_NAMES or name in CMAKE_TARGETS or keyword.iskeyword(name)
