"""The two calls that lead from kernels to something: a callable, or files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast, overload

from intent2cuda.api.artifact import Artifact
from intent2cuda.api.callables import Call, ReferenceCall, SimulatedCall, device_call, host_call
from intent2cuda.api.errors import ArgumentError
from intent2cuda.api.folders import folder_of
from intent2cuda.api.kernel import Kernel
from intent2cuda.api.options import DEFAULT_OPTIONS, CompileOptions
from intent2cuda.api.program import Constexprs, Program
from intent2cuda.api.targets import CpuTarget, CudaTarget, ReferenceTarget, Target, target_of
from intent2cuda.project.build import build_library
from intent2cuda.project.cache import open_cache
from intent2cuda.project.interface import Interface, kernel_interface
from intent2cuda.project.machine import this_machine
from intent2cuda.project.recall import recall, remember
from intent2cuda.project.requirements import check_requirements
from intent2cuda.project.tree import write_tree


@overload
def compile(
    kernel: Kernel,
    target: Target | str = "cpu",
    constexprs: Constexprs | None = None,
    options: CompileOptions = DEFAULT_OPTIONS,
    *,
    checked: bool = False,
) -> Artifact: ...
@overload
def compile(
    kernel: Sequence[Kernel],
    target: Target | str = "cpu",
    constexprs: Constexprs | None = None,
    options: CompileOptions = DEFAULT_OPTIONS,
    *,
    checked: bool = False,
) -> list[Artifact]: ...
def compile(
    kernel: Kernel | Sequence[Kernel],
    target: Target | str = "cpu",
    constexprs: Constexprs | None = None,
    options: CompileOptions = DEFAULT_OPTIONS,
    *,
    checked: bool = False,
) -> Artifact | list[Artifact]:
    """The kernel as a callable for the target; nothing is launched. Several kernels become one translation unit.

    target: a target object, or "reference", "cpu", "cuda" or "cuda-sim".
    constexprs: the compile-time parameters by name; those with a default may be left out.
    checked: as in the options; the call raises a CheckError for what breaks a rule of the language.

    Raises:
        IntentError: the program is not valid; ToolchainError: a compiler is missing or failed; ArtifactError: the
            device of this machine cannot run code for the target.
    """
    chosen = target_of(target)
    kernels = _kernels(kernel)
    program = _program(kernels, constexprs, options, checked)
    artifacts = _interpreted(program, chosen) if isinstance(chosen, ReferenceTarget) else _built(program, chosen)
    return artifacts[0] if isinstance(kernel, Kernel) else artifacts


def emit(
    kernel: Kernel | Sequence[Kernel],
    target: Target | str = "cpu",
    constexprs: Constexprs | None = None,
    options: CompileOptions = DEFAULT_OPTIONS,
    *,
    checked: bool = False,
    name: str = "",
    out: str | Path | None = None,
    force: bool = False,
) -> dict[str, str]:
    """The files of the emitted project: path -> text. With `out` they are written into that folder too.

    checked: as for `compile`.
    name: of the project: its namespace, CMake target, headers and Python module; made from the kernel or its file if
        none is given. With two names the projects of one kernel for two targets go into one program.
    force: replace another project in `out`, and files edited by hand.

    Raises:
        IntentError: the program is not valid, or (ProjectError) `out` cannot be written, holds edited files, or another
            project.
    """
    chosen = target_of(target)
    if isinstance(chosen, ReferenceTarget):
        raise ArgumentError("the reference target interprets Kernel IR; there are no files to emit")
    if not isinstance(cast(object, name), str):
        raise ArgumentError(f"`name` is a text; it is {name!r}")
    folder = None if out is None else folder_of(out, "`out`")
    project = _program(_kernels(kernel), constexprs, options, checked).emitted_for(chosen, name)
    if folder is not None:
        write_tree(folder, project.files, force=force)
    return dict(project.files)


def _kernels(kernel: Kernel | Sequence[Kernel]) -> list[Kernel]:
    several = cast(object, kernel)
    kernels = list(cast(Iterable[object], several)) if isinstance(several, Iterable) else [several]
    if not kernels:
        raise ArgumentError("there is no kernel to compile")
    return [_kernel(given) for given in kernels]


def _kernel(given: object) -> Kernel:
    if not isinstance(given, Kernel):
        raise ArgumentError(f"{given!r} is no kernel; decorate a function with @intent.kernel, or use intent.load")
    return given


def _program(
    kernels: Sequence[Kernel], constexprs: Constexprs | None, options: CompileOptions, checked: bool
) -> Program:
    """The program of a call, whose arguments are what they should be. Raises ArgumentError."""
    if not isinstance(cast(object, constexprs or {}), Mapping):
        raise ArgumentError(f"`constexprs` maps names to values; it is {constexprs!r}")
    if not isinstance(cast(object, options), CompileOptions):
        raise ArgumentError(f"`options` is an intent.CompileOptions; it is {options!r}")
    return Program(tuple(kernels), constexprs or {}, replace(options, checked=checked) if checked else options)


def _interpreted(program: Program, target: ReferenceTarget) -> list[Artifact]:
    """The interpreter checks by itself: its kernels have no inspections."""
    plain = replace(program, options=replace(program.options, checked=False))
    checked = program.options.checked
    interfaces = [kernel_interface(front.kernel) for front in plain.fronts]
    return [
        Artifact(interface, target, partial(plain.front, index), ReferenceCall(interface, front.kernel, checked))
        for index, (interface, front) in enumerate(zip(interfaces, plain.fronts, strict=True))
    ]


def _built(program: Program, target: CpuTarget | CudaTarget) -> list[Artifact]:
    cache = open_cache()
    request = program.request(target)
    project = recall(cache, request)
    if project is None:
        project = program.emitted_for(target)
        read = program.files_read()
        if read is not None:
            remember(cache, request, read, project)
    if target.kind == "cuda" and this_machine().device is not None:
        check_requirements(project.manifest, this_machine())
    built = build_library(project, cache=cache)
    return [
        Artifact(
            interface,
            target,
            partial(program.front, index),
            call_of(target, interface, built.product),
            project,
            built.directory,
        )
        for index, interface in enumerate(project.interfaces)
    ]


def call_of(target: CpuTarget | CudaTarget, interface: Interface, library: Path) -> Call:
    """How a kernel of a compiled library is called."""
    match target:
        case CpuTarget():
            return host_call(interface, library)
        case CudaTarget(simulated=True):
            return SimulatedCall(interface, library)
        case CudaTarget():
            return device_call(interface, library)
