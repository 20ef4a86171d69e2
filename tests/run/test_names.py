"""Names of authors that mean something to C, C++, CUDA, CMake, pybind11 or to the emitted code itself."""

from __future__ import annotations

import re

import pytest

from .conftest import SIMULATED, Emit, check_module, check_sources


def kernel(name: str, source: str = "x", result: str = "y", scale: str = "a") -> str:
    views = f'{source}: I.In[I.f32, ("N",)], {scale}: I.f32, {result}: I.Out[I.f32, ("N",)]'
    return f"\n\n@intent.kernel\ndef {name}({views}):\n    {result}[:] = {scale} * {source}[:]\n"


PARAMETERS = (
    ("arguments", "bytes", "status"),
    ("object", "module", "release"),
    ("stream", "workspace", "kThreads"),
    ("std", "intent", "pybind11"),
    ("x_view", "x", "unlocked"),
    ("int8_t", "size_t", "INTENT_OK"),
    ("threadIdx", "blockDim", "warpSize"),
    ("grid", "block", "shared_bytes"),
    ("float", "double", "restrict"),
    ("NULL", "EOF", "errno"),
    ("N_extent", "index_t", "kDense"),
    ("x_line", "y_line", "n"),
    ("große", "größe", "µ"),
)


TEXT = "".join(kernel(f"kernel_{chr(97 + i)}", *names) for i, names in enumerate(PARAMETERS))


def test_parameters(emit: Emit) -> None:
    project = emit(TEXT)
    check_sources(project, "-std=c++17")
    check_module(project)
    code = "".join(p.read_text() for folder in ("src", "python") for p in (project / folder).iterdir())
    assert code.isascii()


def test_parameters_of_cuda_kernels(emit: Emit) -> None:
    check_sources(emit(TEXT, "--target", "cuda-sim"), *SIMULATED)


KERNELS = (
    "half", "float", "template", "namespace", "std", "printf", "exp", "index", "clean", "install", "norm",
    "main", "dim3", "threadIdx", "kernels", "kernels_c", "last", "View", "module",
)  # fmt: skip


def test_kernels_together(emit: Emit) -> None:
    """Also names that are one when case does not count, and a parameter with the name of its kernel."""
    text = "".join(kernel(name) for name in KERNELS)
    text += kernel("Half") + kernel("HALF") + kernel("same", source="same") + kernel("twice", result="twice")
    project = emit(text)
    check_sources(project, "-std=c++17")
    check_module(project)
    stems = [p.name.lower() for p in (project / "src").iterdir()]
    assert len(stems) == len(set(stems))


@pytest.mark.parametrize("name", ["exp", "index", "clean", "std", "half", "norm"])
def test_project_of_one(emit: Emit, name: str) -> None:
    """A project gets the kernel's name, with an underscore where C, CUDA or CMake have taken it."""
    project = emit(kernel(name), file=f"{name}.py")
    check_sources(project, "-std=c++17")
    cmake = (project / "CMakeLists.txt").read_text()
    assert re.search(rf"^project\({name}_ ", cmake, re.M)
    assert f"{name}_run(" in (project / "include" / f"{name}_" / f"{name}_.h").read_text()
