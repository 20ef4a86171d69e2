"""Compiler calls: emitted texts to one shared library, without CMake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

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
    "-shared",
    "-Wall",
    "-Wextra",
)
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


@dataclass(frozen=True)
class Recipe:
    """Commands that make `product`, with paths relative to the folder of the texts, and what they depend on besides."""

    commands: tuple[tuple[str, ...], ...]
    product: str
    compiler_words: str
    processor: str = ""


def cpu_recipe(project: EmittedProject) -> Recipe:
    """A library for the processor of this machine.

    Raises:
        ToolchainError: there is no C++ compiler.
    """
    compiler = toolchain.cxx_compiler()
    product = _library(project)
    command = (str(compiler.path), *CPU_FLAGS, _include(project), *project.sources, "-o", product)
    return Recipe((command,), product, compiler.words, toolchain.host_processor())


def cuda_recipe(project: EmittedProject) -> Recipe:
    """A library with code for each architecture of the project.

    Raises:
        ToolchainError: nvcc is missing.
    """
    compiler = toolchain.nvcc()
    product = _library(project)
    codes = tuple(_code(architecture) for architecture in project.architectures)
    command = (str(compiler.path), *CUDA_FLAGS, *codes, _include(project), *project.sources, "-o", product)
    return Recipe((command,), product, compiler.words)


def simulator_recipe() -> Recipe:
    """The object of the simulator, over its sources and headers.

    Raises:
        ToolchainError: there is no C++ compiler.
    """
    compiler = toolchain.cxx_compiler()
    product = "simulator.o"
    command = (str(compiler.path), *SIMULATOR_FLAGS, "-Iinclude", "-c", SIMULATOR_SOURCE, "-o", product)
    return Recipe((command,), product, compiler.words)


def simulated_recipe(project: EmittedProject, simulator: Path) -> Recipe:
    """A library that runs the project's CUDA text on the host. `simulator` is the object to link.

    Raises:
        ToolchainError: there is no C++ compiler.
    """
    compiler = toolchain.cxx_compiler()
    path, product = str(compiler.path), _library(project)
    objects = [f"{PurePosixPath(source).name}.o" for source in project.sources]
    commands = [
        (path, *SIMULATED_FLAGS, _include(project), "-x", "c++", "-c", source, "-o", made)
        for source, made in zip(project.sources, objects, strict=True)
    ]
    # No -fsanitize here: it would link the sanitizer's own library.
    link = (path, "-shared", "-Wl,-Bsymbolic", str(simulator), *objects, "-pthread", "-o", product)
    return Recipe((*commands, link), product, compiler.words, toolchain.host_processor())


def compile_in(directory: Path, recipe: Recipe, *, seconds: float, on_line: Callable[[str], None] | None = None) -> str:
    """What the compilers printed. Afterwards the product lies in the directory, which holds the texts.

    Raises:
        ToolchainError: a call failed or took too long.
    """
    words = [process.run(c, directory=directory, seconds=seconds, on_line=on_line) for c in recipe.commands]
    return "".join(words)


def _library(project: EmittedProject) -> str:
    return f"lib{project.name}.so"


def _include(project: EmittedProject) -> str:
    return f"-I{project.include_directory}"


def _code(architecture: str) -> str:
    number = architecture.removeprefix("sm_")
    return f"-gencode=arch=compute_{number},code=sm_{number}"
