"""Compiler calls: emitted texts to one shared library, without CMake."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from intent2cuda.project import process, toolchain
from intent2cuda.project.emitted import EmittedProject

CPU_FLAGS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-fopenmp",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-fPIC",
    "-Wall",
    "-Wextra",
)
"""The processor of this machine; also what lets loops over floats become vectors without changing results."""

X86_FLAGS = ("-mprefer-vector-width=512",)
"""Vectors as wide as registers are: by default GCC uses half of those of AVX-512."""

CUDA_FLAGS = ("-std=c++17", "-O3", "-shared", "-Xcompiler=-fPIC,-Wall,-Wextra")

SIMULATED_FLAGS = (
    "-std=c++20",
    "-O1",
    "-g",
    "-march=native",
    "-ffp-contract=off",
    "-fPIC",
    "-fno-gnu-unique",
    "-fsanitize=thread",
    "-Wall",
    "-Wextra",
    "-Wno-unknown-pragmas",
)
"""CUDA text for the host: every load and store calls a hook of the simulator, not of the sanitizer's library."""

SIMULATOR_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra")
SIMULATOR_SOURCE = "sim/runtime.cpp"

_OBJECTS = "objects"

Command: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Recipe:
    """How `product` is made, with paths relative to the folder of the texts, and what that depends on besides.

    The commands of one step do not need each other; each step needs those before it.
    """

    steps: tuple[tuple[Command, ...], ...]
    product: str
    compiler_words: str
    processor: str = ""


def cpu_recipe(project: EmittedProject) -> Recipe:
    """A library for the processor of this machine.

    Raises:
        ToolchainError: there is no C++ compiler, or its further options cannot be read.
    """
    compiler = toolchain.cxx_compiler()
    product = _library(project)
    objects = _objects(project)
    wide = X86_FLAGS if platform.machine() in ("x86_64", "AMD64") else ()
    flags = (*CPU_FLAGS, *wide, *toolchain.cxx_flags(), _include(project))
    compiled = tuple((*compiler.command, *flags, "-c", s, "-o", o) for s, o in objects.items())
    link = (*compiler.command, "-shared", "-fopenmp", *objects.values(), "-o", product)
    return Recipe((compiled, (link,)), product, compiler.words, toolchain.host_processor())


def cuda_recipe(project: EmittedProject) -> Recipe:
    """A library with code for each architecture of the project.

    Raises:
        ToolchainError: nvcc is missing.
    """
    compiler = toolchain.nvcc()
    product = _library(project)
    codes = tuple(_code(architecture) for architecture in project.architectures)
    command = (*compiler.command, *CUDA_FLAGS, *codes, _include(project), *project.sources, "-o", product)
    return Recipe(((command,),), product, compiler.words)


def simulator_recipe() -> Recipe:
    """The object of the simulator, over its sources and headers.

    Raises:
        ToolchainError: there is no C++ compiler.
    """
    compiler = toolchain.cxx_compiler()
    product = "simulator.o"
    command = (*compiler.command, *SIMULATOR_FLAGS, "-Iinclude", "-c", SIMULATOR_SOURCE, "-o", product)
    return Recipe(((command,),), product, compiler.words)


def simulated_recipe(project: EmittedProject, simulator: Path) -> Recipe:
    """A library that runs the project's CUDA text on the host. `simulator` is the object to link.

    Raises:
        ToolchainError: there is no C++ compiler.
    """
    compiler = toolchain.cxx_compiler()
    product = _library(project)
    objects = _objects(project)
    flags = (*SIMULATED_FLAGS, *toolchain.cxx_flags(), _include(project), "-x", "c++", "-c")
    compiled = tuple((*compiler.command, *flags, source, "-o", made) for source, made in objects.items())
    # No -fsanitize here: it would link the sanitizer's own library.
    link = (
        *compiler.command,
        "-shared",
        "-Wl,-Bsymbolic",
        str(simulator),
        *objects.values(),
        "-pthread",
        "-o",
        product,
    )
    return Recipe((compiled, (link,)), product, compiler.words, toolchain.host_processor())


def compile_in(directory: Path, recipe: Recipe, *, seconds: float, on_line: Callable[[str], None] | None = None) -> str:
    """What the compilers printed. Afterwards the product lies in the directory, which holds the texts.

    Raises:
        ToolchainError: a call failed or took too long.
    """
    (directory / _OBJECTS).mkdir()

    def run(command: Command) -> str:
        return process.run(command, directory=directory, seconds=seconds, on_line=on_line)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        words = [word for step in recipe.steps for word in list(pool.map(run, step))]
    shutil.rmtree(directory / _OBJECTS)
    return "".join(words)


def _library(project: EmittedProject) -> str:
    return f"lib{project.name}.so"


def _objects(project: EmittedProject) -> dict[str, str]:
    """Source -> object file."""
    return {source: f"{_OBJECTS}/{PurePosixPath(source).name}.o" for source in project.sources}


def _include(project: EmittedProject) -> str:
    return f"-I{project.include_directory}"


def _code(architecture: str) -> str:
    number = architecture.removeprefix("sm_")
    return f"-gencode=arch=compute_{number},code=sm_{number}"
