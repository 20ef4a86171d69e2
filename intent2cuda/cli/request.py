"""What every verb is asked: a file and its kernels, a target, compile-time values."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from intent2cuda import pipeline
from intent2cuda.api.errors import ArgumentError
from intent2cuda.api.targets import CudaTarget, ReferenceTarget, Target, target_of
from intent2cuda.cli.errors import UsageError
from intent2cuda.project.emitted import EmittedProject, TargetKind

TARGETS = ("cpu", "cuda", "cuda-sim", "reference")


@dataclass(frozen=True)
class Request:
    """`FILE.py[:kernel]` and the options about what it becomes. `constexprs`: one mapping for each kernel.

    `given_name`: what the project shall be called. `kept_name`: what a project that has its folder's name was called.
    """

    path: Path
    kernels: tuple[str, ...]
    target: Target
    constexprs: tuple[Mapping[str, object], ...]
    strict: bool
    checked: bool = False
    given_name: str = ""
    kept_name: str = ""

    @property
    def name(self) -> str:
        """The name of the project of these kernels."""
        return self.given_name or self.kept_name or pipeline.project_name(self.path, self.kernels)

    def fronts(self) -> list[pipeline.Front]:
        """The kernels, parsed and verified."""
        return [
            pipeline.front(self.path, kernel, values, strict=self.strict, checked=self.checked)
            for kernel, values in zip(self.kernels, self.constexprs, strict=True)
        ]

    @property
    def compiled_target(self) -> TargetKind:
        """The target, when it is one that code is emitted for.

        Raises:
            UsageError: the reference target has neither plan nor files.
        """
        if isinstance(self.target, ReferenceTarget):
            raise UsageError(
                "the reference target interprets Kernel IR: it has no plan and no files", "use --target cpu or cuda"
            )
        return self.target.kind

    def project(self, fronts: Sequence[pipeline.Front] | None = None) -> EmittedProject:
        """The emitted project; `fronts` spares parsing again."""
        target = self.compiled_target
        architectures, is_named = self.target.architectures, bool(self.given_name)
        return pipeline.emit_project(fronts or self.fronts(), target, self.name, architectures, is_named=is_named)


def add_source(parser: argparse.ArgumentParser) -> None:
    """The arguments that a `Request` is made of."""
    add_kernel(parser)
    _add_target(parser)


def add_name(parser: argparse.ArgumentParser) -> None:
    """The argument about what a project is called."""
    what = "of the project: its namespace, CMake target, headers and Python module (default: from kernel or file)"
    parser.add_argument("--name", help=what)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The same without the kernel, for those who ask for it in another way."""
    _add_values(parser)
    _add_target(parser)


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", choices=TARGETS, default="cpu", help="what to make (default: cpu)")
    parser.add_argument("--arch", default="", help="CUDA architectures, separated by commas: sm_80,sm_90a")


def add_kernel(parser: argparse.ArgumentParser) -> None:
    """The arguments of a `Request` that do not depend on a target."""
    parser.add_argument("source", metavar="FILE.py[:kernel]", help="a kernel, or every kernel of the file")
    _add_values(parser)


def _add_values(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--constexpr", action="append", default=[], metavar="NAME=JSON", help="a compile-time value; may be repeated"
    )
    parser.add_argument("--strict", action="store_true", help="what cannot be proved is an error")
    parser.add_argument("--checked", action="store_true", help="what cannot be proved is checked while the kernel runs")


def request_of(arguments: argparse.Namespace) -> Request:
    """The request that the arguments state.

    Raises:
        IntentError: the file, the target or a value is not what it should be.
    """
    path, kernels = place_of(arguments.source)
    values = _constexprs(arguments.constexpr)
    target, shared = target_for(arguments.target, arguments.arch), _shared(path, kernels, values)
    name: str | None = getattr(arguments, "name", None)
    if name is not None:
        pipeline.check_project_name(name)
    return Request(path, kernels, target, shared, arguments.strict, arguments.checked, name or "")


def place_of(source: str) -> tuple[Path, tuple[str, ...]]:
    """The file and the kernels that `FILE.py[:kernel]` names.

    Raises:
        IntentError: there is no such file, it cannot be read, or it holds no kernel.
    """
    head, _, kernel = source.rpartition(":")
    if kernel.isidentifier() and not Path(source).is_file() and Path(head).is_file():
        return Path(head), (kernel,)
    return Path(source), pipeline.kernel_names(source)


def target_for(name: str, architectures: str) -> Target:
    """The target; `architectures` replace the usual ones of CUDA.

    Raises:
        IntentError: a name is not known, or architectures are given for another target.
    """
    target = target_of(name)
    if not architectures:
        return target
    if not isinstance(target, CudaTarget):
        raise UsageError(f"--arch is for CUDA; the target is {name}", "add --target cuda, or leave --arch out")
    try:
        return CudaTarget(architectures, simulated=target.simulated)
    except ArgumentError as error:
        raise UsageError(str(error), "for example --arch sm_80,sm_90a") from None


def output_folder(path: str) -> Path:
    """The folder to write a project into, which need not be there yet.

    Raises:
        UsageError: something else is there, or nothing is named.
    """
    if not path:
        raise UsageError("an empty path names no folder", "name a folder of the project's own")
    if Path(path).exists() and not Path(path).is_dir():
        raise UsageError(f"{path} is not a folder", "name a folder of the project's own")
    return Path(path)


def _shared(path: Path, kernels: tuple[str, ...], values: Mapping[str, object]) -> tuple[dict[str, object], ...]:
    """Of several kernels each gets the values that it has parameters for.

    Raises:
        UsageError: no kernel has one of them.
    """
    if len(kernels) == 1 or not values:
        return tuple(dict(values) for _ in kernels)
    names = [pipeline.constexpr_names(path, kernel) for kernel in kernels]
    unknown = [name for name in values if not any(name in own for own in names)]
    if unknown:
        listed = ", ".join(dict.fromkeys(name for own in names for name in own)) or "none"
        raise UsageError(f"no kernel of {path} has the Constexpr `{unknown[0]}`", f"the kernels have: {listed}")
    return tuple({name: value for name, value in values.items() if name in own} for own in names)


def _constexprs(texts: Sequence[str]) -> dict[str, object]:
    """Raises UsageError when one is not NAME=JSON, or a name is given twice."""
    found: dict[str, object] = {}
    for text in texts:
        name, value = _constexpr(text)
        if name in found:
            raise UsageError(f"--constexpr gives `{name}` twice", "leave one of them out")
        found[name] = value
    return found


def _constexpr(text: str) -> tuple[str, object]:
    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise UsageError(f"--constexpr is written NAME=JSON, not {text!r}", "for example --constexpr FACTOR=3")
    return name, json_or_text(value)


def json_or_text(text: str) -> object:
    """The value of a JSON text, else the text itself: the name of an enum member needs no quotes."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
