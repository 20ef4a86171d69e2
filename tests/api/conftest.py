"""A file of kernels, and a cache that the tests of this folder share."""

from __future__ import annotations

from pathlib import Path

import pytest

KERNELS = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def softmax(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        row = x[m, :]
        weight = I.exp(row - I.reduce.max(row, axis=0))
        y[m, :] = weight / I.reduce.sum(weight, axis=0)


@intent.kernel
def axpy(x: I.In[I.f32, ("N",)], a: I.f32, y: I.InOut[I.f32, ("N",)]):
    y[:] = y[:] + a * x[:]


@intent.kernel
def scaled(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)], FACTOR: I.Constexpr[int] = 2):
    y[:] = x[:] * I.cast(FACTOR, I.f32)


@intent.kernel
def both(x: I.In[I.i32, ("N",)], low: I.Out[I.i32, ("N",)], high: I.Out[I.i32, ("N",)]):
    low[:] = x[:] - 1
    high[:] = x[:] + 1


@intent.kernel
def biased(x: I.In[I.f32, ("N",)], bias: I.In[I.f32, ("B",)], y: I.Out[I.f32, ("N",)]):
    y[:] = x[:] + bias[:]


@intent.kernel
def mixed(x: I.In[I.f32, ("N",)], y: I.Out[I.f16, ("N",)]):
    y[:] = x[:] + 1.0
"""


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file."""
    path = tmp_path_factory.mktemp("kernels") / "some_kernels.py"
    path.write_text(KERNELS)
    return path


@pytest.fixture(scope="session")
def _cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def cache_folder(_cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that compile calls use."""
    monkeypatch.setenv("INTENT2CUDA_CACHE_DIR", str(_cache_folder))
    return _cache_folder
