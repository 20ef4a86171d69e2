"""Kernel units to the files of a project, without the runtime headers they include."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from intent2cuda.emit.comments import comment_text
from intent2cuda.emit.environment import fill
from intent2cuda.emit.functions import assertion, constant, function
from intent2cuda.emit.interface import kernel_view
from intent2cuda.emit.names import c_stem, file_stems, last_error
from intent2cuda.emit.places import Place, places
from intent2cuda.machine.unit import KernelUnit
from intent2cuda.machine.verify import Verified


@dataclass(frozen=True)
class ProjectFiles:
    """`files`: path -> text. `sources`: what is compiled, kernels first. `headers`: the runtime headers included.

    `places`: for the file of each kernel, in the order of the kernels, where the parts of its machine program stand.
    """

    name: str
    target: str
    files: dict[str, str]
    sources: tuple[str, ...]
    headers: tuple[str, ...]
    places: dict[str, tuple[Place, ...]]


def emit_project(name: str, programs: tuple[Verified, ...], architectures: tuple[str, ...]) -> ProjectFiles:
    """The files of a project of one or more kernels for one target, in a stable order."""
    units = tuple(program.unit for program in programs)
    target = units[0].target
    kernels = [kernel_view(name, u) for u in units]
    origins = tuple(dict.fromkeys(comment_text(u.interface.source, 80) for u in units))
    shared = {
        "name": name,
        "kernels": kernels,
        "cuda": target == "cuda",
        "origin": ", ".join(origins),
        "guard": name.upper(),
        "last_error": last_error(name),
        "architectures": [f"{a.removeprefix('sm_')}-real" for a in architectures],
    }
    extension = "cu" if target == "cuda" else "cpp"
    own = [f"src/{stem}.{extension}" for stem in file_stems(name, [k.name for k in kernels])]
    sources = [*own, f"src/{c_stem(name)}.cpp"]
    files = {
        "CMakeLists.txt": fill("CMakeLists.txt.j2", sources=sources, **shared),
        f"cmake/{name}Config.cmake.in": fill("Config.cmake.in.j2", **shared),
        f"include/{name}/{name}.hpp": fill("header.hpp.j2", elements=_element_headers(units), **shared),
        f"include/{name}/{name}.h": fill("header.h.j2", **shared),
    }
    printed = {path: _source(name, u) for path, u in zip(own, units, strict=True)}
    files |= {path: source.text for path, source in printed.items()}
    files[f"src/{c_stem(name)}.cpp"] = fill("c_abi.cpp.j2", **shared)
    files[f"python/{name}_module.cpp"] = fill("module.cpp.j2", **shared)
    files[f"python/{name}.pyi"] = fill("module.pyi.j2", **shared)
    places = {path: source.places for path, source in printed.items()}
    return ProjectFiles(name, target, files, tuple(sources), _included(files), places)


def source_text(project: str, program: Verified) -> str:
    """The file of one kernel: head, includes, constants, kernel, launcher."""
    return _source(project, program.unit).text


@dataclass(frozen=True)
class _Source:
    text: str
    places: tuple[Place, ...]


def _source(project: str, unit: KernelUnit) -> _Source:
    constants = [constant(c) for c in unit.constants]
    assertions = [assertion(a) for a in unit.assertions]
    functions = [function(f, unit.target) for f in unit.functions]
    text = fill(
        "kernel.cpp.j2",
        project=project,
        origin=comment_text(unit.interface.source, 80),
        plan=comment_text(unit.plan_line, 90),
        digests=" ".join(f"{layer} {full[:12]}" for layer, full in unit.digests),
        headers=sorted(unit.headers),
        system=sorted(unit.system),
        constants=[c.text for c in constants],
        assertions=[a.text for a in assertions],
        tags=list(unit.tags),
        functions=[f.text for f in functions],
    )
    return _Source(text, places(text, (*constants, *assertions, *functions)))


def _element_headers(units: tuple[KernelUnit, ...]) -> list[str]:
    """The headers of the element types in the interfaces."""
    names = {p.dtype.name for u in units for p in u.interface.parameters}
    rows = (("intent/float16.hpp", ("f16", "bf16")), ("intent/float8.hpp", ("f8e4m3fn", "f8e5m2")))
    return [header for header, types in rows if names.intersection(types)]


def _included(files: dict[str, str]) -> tuple[str, ...]:
    """The runtime headers that the emitted files include directly."""
    found = {
        line.removeprefix("#include <").split(">")[0]
        for path, text in files.items()
        if PurePosixPath(path).suffix in (".h", ".hpp", ".cpp", ".cu")
        for line in text.splitlines()
        if line.startswith("#include <intent/")
    }
    return tuple(sorted(found))
