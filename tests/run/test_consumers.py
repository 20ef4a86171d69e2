"""Emitted projects in other people's hands: C++ and C programs, two in one binary, a Python module, other standards."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pybind11
import pytest

from intent2cuda.project import toolchain
from intent2cuda.project.errors import ToolchainError

from .conftest import WARNINGS, Emit, check_sources, compiled

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).parent / "sources"
EXAMPLES = sorted(ROOT.glob("examples/*/emitted/cpu"))

FIRST = """

@intent.kernel
def scale(x: I.In[I.f32, ("N",)], factor: I.f32, y: I.Out[I.f32, ("N",)]):
    y[:] = factor * x[:]


@intent.kernel
def row_sums(x: I.In[I.f32, ("M", "N")], sums: I.Out[I.f32, ("M",)]):
    for row in I.parallel(I.domain(0, x.shape[0])):
        sums[row] = I.reduce.sum(x[row, :], axis=0)
"""

SECOND = """

@intent.kernel
def scale(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    y[:] = -x[:]


@intent.kernel
def second(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    y[:] = -x[:]
"""


def test_two_projects_in_one_program(emit: Emit, tmp_path: Path) -> None:
    """Kernels of one name in two projects, and runtime headers in both, are no two definitions of anything."""
    consumer = tmp_path / "consumer"
    shutil.copytree(SOURCES, consumer)
    emit(FIRST, file="first.py", out="consumer/first")
    emit(SECOND, file="second.py", out="consumer/second")
    compiled(["cmake", "-S", consumer, "-B", tmp_path / "build", "-G", "Ninja"])
    compiled(["cmake", "--build", tmp_path / "build", "-j", "2"])
    for program in ("consumer_cpp", "consumer_c"):
        assert compiled([tmp_path / "build" / program]) == "all is well\n"
    assert not list((tmp_path / "build").rglob("*.cpython*")), "a consumer did not ask for a Python module"


@pytest.fixture
def nvcc() -> Path:
    """The CUDA compiler, which machines without a CUDA toolkit do not have."""
    try:
        return toolchain.nvcc().path
    except ToolchainError:
        pytest.skip("nvcc is not on this machine")


def test_cuda_project_in_a_program_without_cuda(emit: Emit, tmp_path: Path, nvcc: Path) -> None:
    """Only the project itself needs nvcc; its callers are plain C++."""
    consumer = tmp_path / "consumer"
    shutil.copytree(Path(__file__).parent / "cuda", consumer)
    emit(FIRST, "--target", "cuda", file="first.py", out="consumer/first")
    tools = [f"-DCMAKE_CUDA_COMPILER={nvcc}", "-DCMAKE_CUDA_FLAGS=-Werror all-warnings -Xcompiler=-Wall,-Wextra"]
    compiled(["cmake", "-S", consumer, "-B", tmp_path / "build", "-G", "Ninja", *tools])
    compiled(["cmake", "--build", tmp_path / "build"])
    assert compiled([tmp_path / "build" / "consumer"]) == "scale: y must be [N]: it is [5], not [6]\n"


def test_cpu_and_cuda_project_of_one_kernel_in_one_program(emit: Emit, tmp_path: Path, nvcc: Path) -> None:
    """With a name of its own for one of them; the other keeps the usual one."""
    shutil.copytree(Path(__file__).parent / "beside", tmp_path / "beside")
    emit(FIRST, file="first.py", out="beside/first")
    emit(FIRST, "--target", "cuda", "--name", "first_cuda", file="first.py", out="beside/first_cuda")
    tools = [f"-DCMAKE_CUDA_COMPILER={nvcc}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"]
    compiled(["cmake", "-S", tmp_path / "beside", "-B", tmp_path / "build", "-G", "Ninja", *tools])
    compiled(["cmake", "--build", tmp_path / "build"])
    assert compiled([tmp_path / "build" / "beside"]) == "scale: y must be [N]: it is [5], not [6]\n"


def test_installed_packages(emit: Emit, tmp_path: Path) -> None:
    """`find_package` of two projects, one of them without threads, after their sources are gone."""
    prefix = tmp_path / "prefix"
    for name, text, options in (("first", FIRST, []), ("second", SECOND, ["-DSECOND_OPENMP=OFF"])):
        project, build = emit(text, file=f"{name}.py", out=name), tmp_path / f"build_{name}"
        compiled(["cmake", "-S", project, "-B", build, "-G", "Ninja", f"-D{name.upper()}_PYTHON=OFF", *options])
        compiled(["cmake", "--build", build])
        compiled(["cmake", "--install", build, "--prefix", prefix])
        shutil.rmtree(project)
        shutil.rmtree(build)
    consumer, build = Path(__file__).parent / "installed", tmp_path / "build"
    compiled(["cmake", "-S", consumer, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"])
    compiled(["cmake", "--build", build])
    compiled([build / "installed"])
    assert "omp" in (prefix / "lib" / "cmake" / "first" / "firstConfig.cmake").read_text().lower()


def test_a_project_below_another_one_installs_nothing_unasked(emit: Emit, tmp_path: Path) -> None:
    emit(SECOND, file="second.py", out="second")
    lists = "cmake_minimum_required(VERSION 3.21)\nproject(outer LANGUAGES CXX)\nadd_subdirectory(second)\n"
    (tmp_path / "CMakeLists.txt").write_text(lists)
    compiled(["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja"])
    compiled(["cmake", "--build", tmp_path / "build"])
    compiled(["cmake", "--install", tmp_path / "build", "--prefix", tmp_path / "prefix"])
    assert not (tmp_path / "prefix").exists()


def test_a_project_below_one_without_a_build_type_installs_a_whole_package(emit: Emit, tmp_path: Path) -> None:
    emit(SECOND, file="second.py", out="second")
    lists = "cmake_minimum_required(VERSION 3.21)\nproject(outer LANGUAGES CXX)\nset(SECOND_INSTALL ON)\n"
    (tmp_path / "CMakeLists.txt").write_text(f"{lists}add_subdirectory(second)\n")
    compiled(["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja"])
    compiled(["cmake", "--build", tmp_path / "build"])
    compiled(["cmake", "--install", tmp_path / "build", "--prefix", tmp_path / "prefix"])
    assert list((tmp_path / "prefix").rglob("secondTargets-*.cmake")), "a consumer would find no library"


def test_a_python_module_that_was_asked_for_needs_pybind11(emit: Emit, tmp_path: Path) -> None:
    emit(SECOND, file="second.py", out="second")
    lists = "cmake_minimum_required(VERSION 3.21)\nproject(outer LANGUAGES CXX)\n"
    (tmp_path / "CMakeLists.txt").write_text(f"{lists}set(SECOND_PYTHON ON)\nadd_subdirectory(second)\n")
    words = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja"]
    words.append("-DCMAKE_DISABLE_FIND_PACKAGE_pybind11=ON")
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "SECOND_PYTHON is on" in done.stderr


MODULE = """

@intent.kernel
def mixed(x: I.In[I.f16, ("N",)], n: I.i32, wide: I.f64, on: I.bool, y: I.Out[I.f32, ("N",)]):
    y[:] = I.cast(x[:], I.f32) + I.cast(n, I.f32) + I.cast(wide, I.f32) + I.cast(on, I.f32)
"""

SCRIPT = """
import numpy as np, mixed
x, y = np.arange(4, dtype=np.float16), np.empty(4, np.float32)
mixed.mixed(x, 10, wide=0.5, on=True, y=y)
assert y.tolist() == [11.5, 12.5, 13.5, 14.5], y
mixed.mixed(x[::-1], 10, 0.5, False, y)
assert y.tolist() == [13.5, 12.5, 11.5, 10.5], y

def refused(kind, words, *arguments):
    try:
        mixed.mixed(*arguments)
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)

refused(ValueError, "`y` has 2 axes", x, 1, 0.5, True, y[:, None])
refused(ValueError, "y must be [N]", x, 1, 0.5, True, y[:3])
refused(TypeError, "`x` has dtype float32", y, 1, 0.5, True, y)
refused(TypeError, "`x` must be a NumPy array", [1.0], 1, 0.5, True, y)
refused(TypeError, "incompatible", x, "one", 0.5, True, y)
refused(TypeError, "`y` has the byte order of another machine", x, 1, 0.5, True, y.astype(y.dtype.newbyteorder()))
bytes_ = np.zeros(17, np.uint8)
refused(ValueError, "`y` is not aligned", x, 1, 0.5, True, bytes_[1:].view(np.float32))
one = np.lib.stride_tricks.as_strided(y, (4,), (0,))
refused(ValueError, "`y` is written and has a stride of 0 along axis 0: elements may", x, 1, 0.5, True, one)
y.flags.writeable = False
refused(ValueError, "read-only", x, 1, 0.5, True, y)
print("all is well")
"""


@pytest.mark.req("K21")
def test_python_module(emit: Emit, tmp_path: Path) -> None:
    project = emit(MODULE, file="mixed.py")
    options = [f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]
    compiled(["cmake", "-S", project, "-B", tmp_path / "build", "-G", "Ninja", *options])
    compiled(["cmake", "--build", tmp_path / "build"])
    assert compiled([sys.executable, "-c", SCRIPT], cwd=tmp_path / "build") == "all is well\n"
    stub = (project / "python" / "mixed.pyi").read_text()
    assert "def mixed(x: Array, n: int, wide: float, on: bool, y: Array) -> None: ..." in stub


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.parents[1].name)
def test_examples_give_no_warning(example: Path) -> None:
    """Each source and header alone, as C++ 17 or 20 and as C99."""
    check_sources(example, ("-std=c++17", "-std=c++20")[EXAMPLES.index(example) % 2])


@pytest.mark.parametrize(("compiler", "openmp"), [("g++", "-Wno-unknown-pragmas"), ("clang++", "-fopenmp-simd")])
def test_without_openmp(compiler: str, openmp: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not on this machine")
    for project in EXAMPLES:
        include = f"-I{project / 'include'}"
        for source in sorted((project / "src").iterdir()):
            compiled([compiler, "-std=c++17", "-fsyntax-only", *WARNINGS, openmp, include, source])
