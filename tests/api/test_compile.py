"""From a file with kernels to a callable, for each target."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import intent2cuda as intent

HOST_TARGETS = ["reference", "cpu", "cuda-sim"]
F32 = np.float32


def load(kernels: Path, name: str) -> intent.Kernel:
    return intent.load(f"{kernels}:{name}")


def softmax_of(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.mark.req("K2")
@pytest.mark.parametrize("target", HOST_TARGETS)
def test_run_and_call(kernels: Path, target: str) -> None:
    artifact = intent.compile(load(kernels, "softmax"), target=target)
    x = np.random.default_rng(2).standard_normal((5, 33)).astype(F32)
    y = artifact.run(x)
    np.testing.assert_allclose(y, softmax_of(x), rtol=1e-5)
    room = np.zeros((5, 66), F32)[:, ::2]
    assert artifact(x[::-1], room) is None
    np.testing.assert_allclose(room, softmax_of(x)[::-1], rtol=1e-5)
    with pytest.raises(intent.ShapeError, match="softmax: parameter `y` has extent 4 on axis 0; `M` is 5"):
        artifact(x, np.zeros((4, 33), F32))
    with pytest.raises(intent.DTypeError, match="softmax: parameter `x` holds float64; it takes f32"):
        artifact.run(x.astype(np.float64))


@pytest.mark.req("K5")
@pytest.mark.parametrize("target", HOST_TARGETS)
def test_inout_scalars_and_several_outputs(kernels: Path, target: str) -> None:
    axpy, both = intent.compile([load(kernels, "axpy"), load(kernels, "both")], target=target)
    x, y = np.arange(5, dtype=F32), np.ones(5, F32)
    assert axpy.run(x, 2.0, y) is y
    assert y.tolist() == [1, 3, 5, 7, 9]
    low, high = both.run(np.arange(3, dtype=np.int32))
    assert (low.tolist(), high.tolist()) == ([-1, 0, 1], [1, 2, 3])


@pytest.mark.req("L37")
@pytest.mark.parametrize("target", HOST_TARGETS)
def test_extents_that_only_the_kernel_compares(kernels: Path, target: str) -> None:
    biased = intent.compile(load(kernels, "biased"), target=target)
    x = np.arange(3, dtype=F32)
    assert biased.run(x, np.ones(1, F32)).tolist() == biased.run(x, np.ones(3, F32)).tolist() == [1, 2, 3]
    y = np.zeros(3, F32)
    with pytest.raises(intent.ShapeError, match=r"^biased: "):
        biased(x, np.ones(2, F32), y)
    assert y.tolist() == [0, 0, 0]


@pytest.mark.req("K4")
def test_prepared_calls(kernels: Path) -> None:
    both = intent.compile(load(kernels, "both"))
    x, low, high = (np.zeros(3, np.int32) for _ in range(3))
    call = both.prepare(x, outputs=(low, high))
    x[:] = 7
    assert low.tolist() == [0, 0, 0]
    call.launch()
    assert call.result()[0] is low and low.tolist() == [6, 6, 6] and high.tolist() == [8, 8, 8]
    with pytest.raises(intent.ArgumentError, match=r"both takes 1 inputs \(x\); 2 given"):
        both.prepare(x, low)
    with pytest.raises(intent.ArgumentError, match=r"both has 2 outputs \(low, high\); 1 given"):
        both.prepare(x, outputs=(low,))


@pytest.mark.req("K31")
def test_constexprs(kernels: Path) -> None:
    x = np.arange(3, dtype=F32)
    assert intent.compile(load(kernels, "scaled")).run(x).tolist() == [0, 2, 4]
    assert intent.compile(load(kernels, "scaled"), constexprs={"FACTOR": 5}).run(x).tolist() == [0, 5, 10]
    with pytest.raises(intent.IntentError):
        intent.compile(load(kernels, "scaled"), constexprs={"FACTOR": 1.5})
    with pytest.raises(intent.IntentError):
        intent.compile(load(kernels, "scaled"), constexprs={"OTHER": 1})
    _, scaled = intent.compile([load(kernels, "axpy"), load(kernels, "scaled")], constexprs={"FACTOR": 3})
    assert scaled.run(x).tolist() == [0, 3, 6]


def test_what_an_artifact_shows(kernels: Path, cache_folder: Path) -> None:
    artifact = intent.compile(load(kernels, "softmax"))
    assert "softmax" in artifact.source and "softmax" in artifact.kir
    assert "MANIFEST.json" in artifact.files and "include/softmax/softmax.hpp" in artifact.files
    assert artifact.manifest["files"]
    assert artifact.plan is not None
    assert artifact.cache_directory is not None and artifact.cache_directory.is_relative_to(cache_folder)
    for path, text in artifact.files.items():
        assert (artifact.cache_directory / path).read_text() == text
    assert repr(artifact) == "<artifact softmax for cpu>"
    reference = intent.compile(load(kernels, "softmax"), target="reference")
    assert (reference.files, reference.manifest, reference.source, reference.plan) == ({}, {}, "", None)
    assert reference.cache_directory is None and reference.kir == artifact.kir


def test_decorated_kernels_compile_from_their_file(kernels: Path) -> None:
    spec = importlib.util.spec_from_file_location("some_kernels", kernels)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.axpy.verify()
    assert intent.compile(module.both).run(np.zeros(2, np.int32))[1].tolist() == [1, 1]


def test_invalid_programs(kernels: Path) -> None:
    with pytest.raises(intent.IntentError) as caught:
        load(kernels, "mixed").verify()
    (diagnostic,) = caught.value.diagnostics
    line = kernels.read_text().splitlines().index("    y[:] = x[:] + 1.0") + 1
    assert diagnostic.line == line and diagnostic.path.endswith("some_kernels.py")
    with pytest.raises(intent.IntentError):
        load(kernels, "nothing").verify()


def test_what_is_no_kernel(kernels: Path) -> None:
    with pytest.raises(intent.ArgumentError, match="is no kernel; decorate a function"):
        intent.compile([len])
    with pytest.raises(intent.ArgumentError, match="there is no kernel to compile"):
        intent.compile([])
    with pytest.raises(intent.ArgumentError, match="there is no target 'tpu'"):
        intent.compile(load(kernels, "axpy"), target="tpu")


def test_an_edited_source_is_compiled_again(tmp_path: Path, kernels: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(kernels.read_text())
    x = np.zeros(1, np.int32)
    before = intent.compile(intent.load(f"{path}:both"))
    path.write_text(kernels.read_text().replace("x[:] + 1\n", "x[:] + 10\n"))
    after = intent.compile(intent.load(f"{path}:both"))
    assert before.run(x)[1].tolist() == [1] and after.run(x)[1].tolist() == [10]
    assert before.cache_directory != after.cache_directory


def test_emit(kernels: Path, tmp_path: Path) -> None:
    files = intent.emit(load(kernels, "axpy"), target="cuda", out=tmp_path / "generated")
    out = tmp_path / "generated"
    written = {p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file()}
    assert written == set(files)
    assert files == intent.emit(load(kernels, "axpy"), target="cuda")
    (tmp_path / "generated" / "CMakeLists.txt").write_text("mine")
    with pytest.raises(intent.ProjectError, match=r"CMakeLists\.txt"):
        intent.emit(load(kernels, "axpy"), target="cuda", out=tmp_path / "generated")
    intent.emit(load(kernels, "axpy"), target="cuda", out=tmp_path / "generated", force=True)
    assert (tmp_path / "generated" / "CMakeLists.txt").read_text() == files["CMakeLists.txt"]
    with pytest.raises(intent.ArgumentError, match="no files to emit"):
        intent.emit(load(kernels, "axpy"), target="reference")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_cuda_compiles_and_wants_device_arrays(kernels: Path) -> None:
    artifact = intent.compile(load(kernels, "axpy"), target=intent.CudaTarget("sm_80"))
    x = np.zeros(3, F32)
    with pytest.raises(intent.DeviceError, match="axpy: parameter `x` is in host memory"):
        artifact(x, 1.0, x)
    both = intent.compile(load(kernels, "both"), target=intent.CudaTarget("sm_80"))
    with pytest.raises(intent.ArgumentError, match="outputs on a CUDA device are the caller's; pass `low`"):
        both.run(x)


def test_python_is_never_run(tmp_path: Path, kernels: Path) -> None:
    path = tmp_path / "trap.py"
    path.write_text(kernels.read_text() + "\nraise SystemExit('imported')\n")
    assert intent.compile(intent.load(f"{path}:axpy"), target="reference").interface.name == "axpy"
    assert "trap" not in sys.modules


def test_arguments_of_compile_and_emit_that_are_none(
    kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = load(kernels, "axpy")
    with pytest.raises(intent.ArgumentError, match=r"`options` is an intent.CompileOptions; it is 'x'"):
        intent.compile(kernel, "reference", options="x")
    with pytest.raises(intent.ArgumentError, match="`constexprs` maps names to values; it is 'x'"):
        intent.compile(kernel, "reference", constexprs="x")
    with pytest.raises(intent.ArgumentError, match="5 is no kernel"):
        intent.compile(5)
    with pytest.raises(intent.ArgumentError, match="`numerics` is 'source' or 'relaxed_normalization', not 'fast'"):
        intent.CompileOptions(numerics="fast")
    with pytest.raises(intent.ArgumentError, match="`strict` is a bool, not 'yes'"):
        intent.CompileOptions(strict="yes")
    monkeypatch.chdir(tmp_path)
    for out in ("", 5):
        with pytest.raises(intent.ArgumentError, match="`out` is the path of a folder"):
            intent.emit(kernel, out=out)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("mine")
    with pytest.raises(intent.ProjectError, match="the project cannot be written here"):
        intent.emit(kernel, out="file")


@pytest.mark.parametrize("target", HOST_TARGETS)
def test_keywords_of_calls(kernels: Path, target: str) -> None:
    axpy = intent.compile(load(kernels, "axpy"), target=target)
    x, y = np.ones(2, F32), np.ones(2, F32)
    for keyword in ("stream", "workspace"):
        with pytest.raises(intent.ArgumentError, match=f"axpy: `{keyword}` is for the target cuda; .* {target}$"):
            axpy(x, 1.0, y, **{keyword: 1})
    with pytest.raises(intent.ArgumentError, match="axpy takes its arguments by position; `y=` given"):
        axpy(x, 1.0, y=y)
    assert y.tolist() == [1, 1]
    axpy(x, 1.0, y, stream=None, workspace=None)
    assert y.tolist() == [2, 2]


@pytest.mark.parametrize("target", HOST_TARGETS)
def test_two_outputs_in_one_memory(kernels: Path, target: str) -> None:
    both = intent.compile(load(kernels, "both"), target=target)
    x, room = np.arange(3, dtype=np.int32), np.full(3, 9, np.int32)
    if target == "reference":
        both(x, room, room)
        assert room.tolist() == [1, 2, 3]  # in the order of the program
    else:
        with pytest.raises(intent.AliasError, match=r"overlaps the memory of .*\nhelp: pass a copy of one of them"):
            both(x, room, room)
        assert room.tolist() == [9, 9, 9]


def test_the_name_of_an_emitted_project(kernels: Path) -> None:
    kernel = load(kernels, "softmax")
    assert "include/rows/rows.hpp" in intent.emit(kernel, name="rows")
    assert "include/softmax/softmax.hpp" in intent.emit(kernel)
    with pytest.raises(intent.IntentError, match="a project cannot have the name 'half'"):
        intent.emit(kernel, name="half")
