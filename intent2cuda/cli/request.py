"""What every verb is asked: a file and its kernels, a target, compile-time values."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

from intent2cuda import pipeline
from intent2cuda.api.errors import ArgumentError
from intent2cuda.api.targets import CudaTarget, ReferenceTarget, Target, target_of
from intent2cuda.project.emitted import EmittedProject, TargetKind


@dataclass(frozen=True)
class Request:
    """`FILE.py[:kernel]` and the options about what it becomes."""

    path: Path
    kernels: tuple[str, ...]
    target: Target
    constexprs: dict[str, object]
    strict: bool

    @property
    def name(self) -> str:
        """The name of the project of these kernels."""
        return pipeline.project_name(self.path, self.kernels)

    def fronts(self) -> list[pipeline.Front]:
        """The kernels, parsed and verified. Constexprs go to the kernels that have them."""
        return [pipeline.front(self.path, k, self._constexprs_of(k), strict=self.strict) for k in self.kernels]

    @property
    def compiled_target(self) -> TargetKind:
        """The target, when it is one that code is emitted for.

        Raises:
            ArgumentError: the reference target has neither plan nor files.
        """
        if isinstance(self.target, ReferenceTarget):
            raise ArgumentError("the reference target interprets Kernel IR: it has no plan and no files")
        return self.target.kind

    def project(self) -> EmittedProject:
        """The emitted project."""
        return pipeline.emit_project(self.fronts(), self.compiled_target, self.name, self.target.architectures)

    def _constexprs_of(self, kernel: str) -> dict[str, object]:
        if len(self.kernels) == 1:
            return self.constexprs
        taken = pipeline.constexpr_names(self.path, kernel)
        return {name: value for name, value in self.constexprs.items() if name in taken}


def add_source(parser: argparse.ArgumentParser) -> None:
    """The arguments that a `Request` is made of."""
    parser.add_argument("source", metavar="FILE.py[:kernel]", help="a kernel, or every kernel of the file")
    parser.add_argument("--target", default="cpu", help="cpu (default), cuda, cuda-sim or reference")
    parser.add_argument("--arch", default="", help="CUDA architectures, separated by commas: sm_80,sm_90a")
    parser.add_argument(
        "--constexpr", action="append", default=[], metavar="NAME=JSON", help="a compile-time value; may be repeated"
    )
    parser.add_argument("--strict", action="store_true", help="what cannot be proved is an error")


def request_of(arguments: argparse.Namespace) -> Request:
    """The request that the arguments state.

    Raises:
        ArgumentError: the file, the target or a value is not what it should be.
    """
    path, kernel = _place(arguments.source)
    names = (kernel,) if kernel else pipeline.kernel_names(path)
    target = _target(arguments.target, arguments.arch)
    return Request(path, names, target, dict(_constexpr(text) for text in arguments.constexpr), arguments.strict)


def _place(source: str) -> tuple[Path, str]:
    head, separator, tail = source.rpartition(":")
    path, kernel = (head, tail) if separator and tail.isidentifier() and head.endswith(".py") else (source, "")
    if not Path(path).is_file():
        raise ArgumentError(f"there is no file {path}")
    return Path(path), kernel


def _target(name: str, architectures: str) -> Target:
    target = target_of(name)
    if not architectures:
        return target
    if not isinstance(target, CudaTarget):
        raise ArgumentError(f"--arch is for CUDA; the target is {name}")
    return CudaTarget(architectures, simulated=target.simulated)


def _constexpr(text: str) -> tuple[str, object]:
    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise ArgumentError(f"--constexpr is written NAME=JSON, not {text!r}")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value
