"""The workspace of a CUDA kernel: callers can ask for the size in C++, C, Python, and are told when it is missing."""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pybind11
import pytest

import intent2cuda as intent
from intent2cuda.cli.main import main
from intent2cuda.project.build import build_library

from .conftest import HEAD, SIMULATED, Emit, check_sources, compiled

ROWS, COLUMNS = 5, 300


def kernel(name: str, x: str = "x", y: str = "y") -> str:
    """Its workspace is a row of float32 for each block, and a block for each row."""
    return f"""

@intent.kernel
def {name}({x}: I.In[I.f32, ("M", "N")], {y}: I.Out[I.f32, ("M", "N")]):
    for m in I.parallel(I.domain(0, {x}.shape[0])):
        row = I.exp({x}[m, :])
        for k in range(3):
            row = row[I.indices(I.domain(0, {x}.shape[1]))] / I.reduce.sum(row, axis=0)
        {y}[m, :] = row
"""


BYTES = ROWS * 1280
"""1200 bytes of a row, in steps of 256."""

REFUSED = (
    "rescaled: workspace must be device memory aligned to 256 bytes, as much as rescaled_workspace says: "
    "it is {}, and " + f"{BYTES} bytes are needed"
)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The kernel compiled for the simulator, as a shared library beside its project."""
    (tmp_path / "rescaled.py").write_text(HEAD + kernel("rescaled"))
    project = intent.compile(intent.load(f"{tmp_path / 'rescaled.py'}:rescaled"), "cuda-sim").project
    assert project is not None
    return build_library(project).product


def test_c(library: Path) -> None:
    """The typed function and that of dynamic callers agree; without memory nothing is launched."""
    loaded = ctypes.CDLL(str(library))
    loaded.rescaled_last_error.restype = ctypes.c_char_p
    extents, strides = (ctypes.c_int64 * 2)(ROWS, COLUMNS), (ctypes.c_int64 * 2)(COLUMNS, 1)
    x, y = np.ones((ROWS, COLUMNS), np.float32), np.zeros((ROWS, COLUMNS), np.float32)
    views = [(ctypes.c_void_p * 3)(a.ctypes.data, ctypes.addressof(extents), ctypes.addressof(strides)) for a in (x, y)]
    size = ctypes.c_size_t()
    assert loaded.rescaled_workspace(*views, ctypes.byref(size)) == 0 and size.value == BYTES
    size.value = 0
    arguments = (ctypes.c_void_p * 2)(*map(ctypes.addressof, views))
    assert loaded.rescaled_workspace_call(arguments, ctypes.byref(size)) == 0 and size.value == BYTES

    memory = np.zeros(BYTES + 256, np.uint8)
    address = memory.ctypes.data + -memory.ctypes.data % 256
    capacity = 4
    for given, found in ((None, "null"), (address + 64, "not aligned")):
        assert loaded.rescaled_run(*views, None, ctypes.c_void_p(given)) == capacity
        assert loaded.rescaled_last_error().decode() == REFUSED.format(found)
        assert not y.any()
    assert loaded.rescaled_run(*views, None, ctypes.c_void_p(address)) == 0
    assert np.allclose(y.sum(axis=1), 1)


SCRIPT = f"""
import numpy as np, rescaled
class Device:
    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, array.__array_interface__
x, y = (Device(np.ones(({ROWS}, {COLUMNS}), np.float32)) for _ in range(2))
size = rescaled.rescaled_workspace(x, y)
assert size == {BYTES}, size
try:
    rescaled.rescaled(x, y)
except RuntimeError as error:
    print(error)
memory = np.zeros(size + 256, np.uint8)
rescaled.rescaled(x, y, workspace=memory.ctypes.data + -memory.ctypes.data % 256)
assert np.allclose(y.array.sum(axis=1), 1)
"""


def test_python_module(library: Path, tmp_path: Path) -> None:
    """The emitted module over the simulated kernel; the arrays of host memory say that they are device arrays."""
    assert main(["emit", str(tmp_path / "rescaled.py"), "--target", "cuda", "-o", str(tmp_path / "project")]) == 0
    folders = (tmp_path / "project" / "include", pybind11.get_include(), sysconfig.get_paths()["include"])
    module = tmp_path / f"rescaled{sysconfig.get_config_var('EXT_SUFFIX')}"
    source = tmp_path / "project" / "python" / "rescaled_module.cpp"
    flags = ["-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden", *(f"-I{f}" for f in folders)]
    compiled(["g++", *flags, source, library, f"-Wl,-rpath,{library.parent}", "-o", module])
    assert compiled([sys.executable, "-c", SCRIPT], cwd=tmp_path) == REFUSED.format("null") + "\n"
    stub = (tmp_path / "project" / "python" / "rescaled.pyi").read_text()
    assert "def rescaled_workspace(x: Array, y: Array) -> int: ..." in stub


def test_python_api(tmp_path: Path) -> None:
    """An artifact says it too; only a kernel for cuda has its caller bring the memory."""
    (tmp_path / "rescaled.py").write_text(HEAD + kernel("rescaled"))
    loaded = intent.load(f"{tmp_path / 'rescaled.py'}:rescaled")
    x, y = np.ones((ROWS, COLUMNS), np.float32), np.zeros((ROWS, COLUMNS), np.float32)
    for target, size in (("reference", 0), ("cpu", 0), ("cuda-sim", BYTES)):
        artifact = intent.compile(loaded, target)
        assert artifact.workspace_bytes(x, y) == size
        with pytest.raises(intent.ShapeError):
            artifact.workspace_bytes(x, y[:, 1:])


def test_names(emit: Emit) -> None:
    """Parameters called like what the emitted functions need."""
    text = kernel("first", x="bytes", y="workspace") + kernel("second", x="second_workspace", y="arguments")
    check_sources(emit(text, "--target", "cuda-sim"), *SIMULATED)


def test_a_kernel_of_the_same_name_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for names in (("first", "first_workspace"), ("first_workspace", "first")):
        (tmp_path / "kernels.py").write_text(HEAD + "".join(map(kernel, names)))
        assert main(["emit", str(tmp_path / "kernels.py"), "--target", "cuda", "-o", str(tmp_path / "project")]) == 2
        assert "error[emit.name.clash]" in capsys.readouterr().err
