"""The two calls that lead from kernels to something: a callable, or files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast, overload

from intent2cuda import pipeline
from intent2cuda.api.artifact import Artifact
from intent2cuda.api.callables import Call, ReferenceCall, SimulatedCall, device_call, host_call
from intent2cuda.api.errors import ArgumentError
from intent2cuda.api.kernel import Kernel
from intent2cuda.api.options import DEFAULT_OPTIONS, CompileOptions
from intent2cuda.api.targets import CpuTarget, CudaTarget, ReferenceTarget, Target, target_of
from intent2cuda.project.build import build_library
from intent2cuda.project.emitted import EmittedProject
from intent2cuda.project.interface import Interface, kernel_interface
from intent2cuda.project.tree import write_tree

Constexprs = Mapping[str, object]


@overload
def compile(
    kernel: Kernel,
    target: Target | str = "cpu",
    constexprs: Constexprs | None = None,
    options: CompileOptions = DEFAULT_OPTIONS,
) -> Artifact: ...
@overload
def compile(
    kernel: Sequence[Kernel],
    target: Target | str = "cpu",
    constexprs: Constexprs | None = None,
    options: CompileOptions = DEFAULT_OPTIONS,
) -> list[Artifact]: ...
def compile(
    kernel: Kernel | Sequence[Kernel],
    target: Target | str = "cpu",
    constexprs: Constexprs | None = None,
    options: CompileOptions = DEFAULT_OPTIONS,
) -> Artifact | list[Artifact]:
    """The kernel as a callable for the target; nothing is launched. Several kernels become one translation unit.

    target: a target object, or "reference", "cpu", "cuda" or "cuda-sim".
    constexprs: the compile-time parameters by name; those with a default may be left out.

    Raises:
        IntentError: the program is not valid; ToolchainError: a compiler is missing or failed.
    """
    chosen = target_of(target)
    kernels = _kernels(kernel)
    fronts = _fronts(kernels, constexprs or {}, options)
    artifacts = _reference(chosen, fronts) if isinstance(chosen, ReferenceTarget) else _built(chosen, kernels, fronts)
    return artifacts[0] if isinstance(kernel, Kernel) else artifacts


def emit(
    kernel: Kernel | Sequence[Kernel],
    target: Target | str = "cpu",
    constexprs: Constexprs | None = None,
    options: CompileOptions = DEFAULT_OPTIONS,
    *,
    out: str | Path | None = None,
    force: bool = False,
) -> dict[str, str]:
    """The files of the emitted project: path -> text. With `out` they are written into that folder too.

    force: overwrite files in `out` that were edited by hand.

    Raises:
        IntentError: the program is not valid, or (ProjectError) edited files stand in the way.
    """
    chosen = target_of(target)
    if isinstance(chosen, ReferenceTarget):
        raise ArgumentError("the reference target interprets Kernel IR; there are no files to emit")
    kernels = _kernels(kernel)
    project = _project(chosen, kernels, _fronts(kernels, constexprs or {}, options))
    if out is not None:
        write_tree(Path(out), project.files, force=force)
    return dict(project.files)


def _kernels(kernel: Kernel | Sequence[Kernel]) -> list[Kernel]:
    kernels = [kernel] if isinstance(kernel, Kernel) else list(kernel)
    for given in cast(list[object], kernels):
        if not isinstance(given, Kernel):
            raise ArgumentError(f"{given!r} is no kernel; decorate a function with @intent.kernel, or use intent.load")
    if not kernels:
        raise ArgumentError("there is no kernel to compile")
    return kernels


def _fronts(kernels: Sequence[Kernel], constexprs: Constexprs, options: CompileOptions) -> list[pipeline.Front]:
    """Each kernel parsed and verified. Of several kernels each gets the constexprs that it has."""
    fronts: list[pipeline.Front] = []
    for kernel in kernels:
        bound = constexprs
        if len(kernels) > 1:
            taken = pipeline.constexpr_names(kernel.path, kernel.name)
            bound = {name: value for name, value in constexprs.items() if name in taken}
        fronts.append(pipeline.front(kernel.path, kernel.name, bound, strict=options.strict))
    return fronts


def _project(
    target: CpuTarget | CudaTarget, kernels: Sequence[Kernel], fronts: Sequence[pipeline.Front]
) -> EmittedProject:
    name = pipeline.project_name(kernels[0].path, [k.name for k in kernels])
    return pipeline.emit_project(fronts, target.kind, name, target.architectures)


def _reference(target: ReferenceTarget, fronts: Sequence[pipeline.Front]) -> list[Artifact]:
    interfaces = [kernel_interface(front.kernel) for front in fronts]
    return [
        Artifact(interface, target, front, ReferenceCall(interface, front.kernel))
        for interface, front in zip(interfaces, fronts, strict=True)
    ]


def _built(
    target: CpuTarget | CudaTarget, kernels: Sequence[Kernel], fronts: Sequence[pipeline.Front]
) -> list[Artifact]:
    project = _project(target, kernels, fronts)
    built = build_library(project)
    return [
        Artifact(interface, target, front, _call(target, interface, built.product), project, built.directory)
        for interface, front in zip(project.interfaces, fronts, strict=True)
    ]


def _call(target: CpuTarget | CudaTarget, interface: Interface, library: Path) -> Call:
    match target:
        case CpuTarget():
            return host_call(interface, library)
        case CudaTarget(simulated=True):
            return SimulatedCall(interface, library)
        case CudaTarget():
            return device_call(interface, library)
