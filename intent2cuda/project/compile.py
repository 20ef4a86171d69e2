"""Compiler calls: emitted texts to one shared library, without CMake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from intent2cuda.project import process, toolchain
from intent2cuda.project.emitted import TargetKind

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


@dataclass(frozen=True)
class Recipe:
    """How to compile: commands with paths relative to the folder of the texts, and whose answers they depend on."""

    commands: tuple[tuple[str, ...], ...]
    library: str
    compiler_words: str
    processor: str = ""


def library_recipe(
    target: TargetKind, name: str, sources: Sequence[str], include: str, architectures: Sequence[str] = ()
) -> Recipe:
    """The recipe for `lib<name>.so` of the target's sources.

    Raises:
        ToolchainError: the compiler is missing.
    """
    library = f"lib{name}.so"
    match target:
        case "cpu":
            compiler = toolchain.cxx_compiler()
            command = (str(compiler.path), *CPU_FLAGS, f"-I{include}", *sources, "-o", library)
            return Recipe((command,), library, compiler.words, toolchain.host_processor())
        case "cuda":
            compiler = toolchain.nvcc()
            codes = tuple(_code(architecture) for architecture in architectures)
            command = (str(compiler.path), *CUDA_FLAGS, *codes, f"-I{include}", *sources, "-o", library)
            return Recipe((command,), library, compiler.words)
        case "cuda-sim":
            return _simulated(library, sources, include)


def compile_in(directory: Path, recipe: Recipe, *, seconds: float, on_line: Callable[[str], None] | None = None) -> str:
    """What the compilers printed. Afterwards the library lies in the directory, which holds the texts.

    Raises:
        ToolchainError: a call failed or took too long.
    """
    words = (process.run(c, directory=directory, seconds=seconds, on_line=on_line) for c in recipe.commands)
    return "".join(words)


def _code(architecture: str) -> str:
    number = architecture.removeprefix("sm_")
    return f"-gencode=arch=compute_{number},code=sm_{number}"


SIMULATOR_FLAGS = ("-std=c++17", "-O2", "-g", "-fPIC", "-Wall", "-Wextra")
"""The simulator itself: never instrumented."""

SIMULATED_FLAGS = ("-std=c++17", "-O1", "-g", "-fPIC", "-fsanitize=thread", "-Wall", "-Wextra", "-Wno-tsan")
"""Simulated kernels: every load and store calls a hook of the simulator, not of the sanitizer's library."""


def _simulated(library: str, sources: Sequence[str], include: str) -> Recipe:
    compiler = toolchain.cxx_compiler()
    path = str(compiler.path)
    commands: list[tuple[str, ...]] = []
    objects: list[str] = []
    for source in sources:
        objects.append(f"{PurePosixPath(source).name}.o")
        commands.append((path, *SIMULATED_FLAGS, f"-I{include}", "-x", "c++", "-c", source, "-o", objects[-1]))
    commands.append((path, "-shared", *objects, SIMULATOR_ARCHIVE, "-o", library))
    return Recipe(tuple(commands), library, compiler.words)


SIMULATOR_ARCHIVE = "simulator.a"
