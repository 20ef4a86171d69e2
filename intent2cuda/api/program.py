"""What one compile call is about: kernels, what they are specialised with, and how they are emitted."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from intent2cuda import pipeline
from intent2cuda.api.kernel import Kernel
from intent2cuda.api.options import CompileOptions
from intent2cuda.api.targets import CpuTarget, CudaTarget
from intent2cuda.base.codec import Plain
from intent2cuda.project.emitted import EmittedProject

Constexprs = Mapping[str, object]


@dataclass(frozen=True)
class Program:
    """Kernels with the constexprs and options of one call; parsed when that is needed, and once."""

    kernels: tuple[Kernel, ...]
    constexprs: Constexprs
    options: CompileOptions

    @cached_property
    def fronts(self) -> tuple[pipeline.Front, ...]:
        """Each kernel parsed and verified."""
        return tuple(
            pipeline.front(
                kernel.path,
                kernel.name,
                self._constexprs_of(kernel),
                strict=self.options.strict,
                checked=self.options.checked,
            )
            for kernel in self.kernels
        )

    def front(self, index: int) -> pipeline.Front:
        """One of them."""
        return self.fronts[index]

    def emitted_for(self, target: CpuTarget | CudaTarget, given_name: str = "") -> EmittedProject:
        """The project of all kernels.

        Raises:
            IntentError: a project cannot have that name.
        """
        if given_name:
            pipeline.check_project_name(given_name)
        name = given_name or pipeline.project_name(self.kernels[0].path, [kernel.name for kernel in self.kernels])
        architectures, is_named = target.architectures, bool(given_name)
        return pipeline.emit_project(self.fronts, target.kind, name, architectures, is_named=is_named)

    def request(self, target: CpuTarget | CudaTarget) -> Plain:
        """All that decides what is emitted, besides the text of the sources and the compiler itself."""
        return {
            "kernels": [[str(kernel.path.resolve()), kernel.name] for kernel in self.kernels],
            "target": target.kind,
            "architectures": target.architectures,
            "constexprs": [[n, type(v).__qualname__, repr(v)] for n, v in sorted(self.constexprs.items())],
            "options": repr(self.options),
        }

    def files_read(self) -> list[Path] | None:
        """Every file that was read for the kernels; None if one of them cannot be told for certain."""
        found: list[Path] = []
        for kernel, front in zip(self.kernels, self.fronts, strict=True):
            for source in front.sources:
                folders = (Path(), kernel.path.parent, *kernel.path.parent.parents)
                place = next((f / source.name for f in folders if _holds(f / source.name, source.text)), None)
                if place is None:
                    return None
                found.append(place)
        return found

    def _constexprs_of(self, kernel: Kernel) -> Constexprs:
        """Of several kernels each gets the constexprs that it has."""
        if len(self.kernels) == 1:
            return self.constexprs
        taken = pipeline.constexpr_names(kernel.path, kernel.name)
        return {name: value for name, value in self.constexprs.items() if name in taken}


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes().removeprefix(codecs.BOM_UTF8) == text.encode()
    except (OSError, ValueError):
        return False
