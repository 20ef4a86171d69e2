"""Names of files and of C functions, which all kernels of a project share."""

from __future__ import annotations

from collections.abc import Sequence


def c_prefix(project: str, kernel: str) -> str:
    """What the names of a kernel's C functions begin with: project and kernel, once where they are the same."""
    own, whole = kernel.strip("_"), project.strip("_")
    return whole if own == whole else f"{whole}_{own}"


def last_error(project: str) -> str:
    """The C function with the message of the last failure."""
    return f"{project.strip('_')}_last_error"


def c_stem(project: str) -> str:
    """The file name of the C interface."""
    return f"{project.strip('_')}_c"


def file_stems(project: str, kernels: Sequence[str]) -> tuple[str, ...]:
    """A file name for each kernel, different from all others and the C interface's where case does not count."""
    taken = {c_stem(project).lower()}
    stems: list[str] = []
    for kernel in kernels:
        stem, number = kernel, 2
        while stem.lower() in taken:
            stem, number = f"{kernel}_{number}", number + 1
        taken.add(stem.lower())
        stems.append(stem)
    return tuple(stems)
