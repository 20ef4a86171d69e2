"""An emitted project before it is written anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from intent2cuda.base.codec import Plain
from intent2cuda.project.interface import Interface

TargetKind = Literal["cpu", "cuda", "cuda-sim"]


@dataclass(frozen=True)
class EmittedProject:
    """Every file of a project, and what it takes to compile and call it without its CMakeLists.txt.

    `files` maps paths inside the project to texts, the used runtime headers and MANIFEST.json included; `sources` are
    the translation units with the kernels and their C functions. One interface a kernel, in the order of the kernels.
    """

    name: str
    target: TargetKind
    files: Mapping[str, str]
    manifest: Mapping[str, Plain]
    sources: tuple[str, ...]
    interfaces: tuple[Interface, ...]
    architectures: tuple[str, ...] = ()
    include_directory: str = "include"
