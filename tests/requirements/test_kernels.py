"""A kernel is one computation and one launch, and nothing of it stays behind."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import intent2cuda as intent
from intent2cuda import interpret
from intent2cuda.api import callables

from ..parse.texts import HEAD

ROOT = Path(__file__).resolve().parents[2]
EMITTED = sorted(p.parent for p in ROOT.glob("examples/*/emitted/*/MANIFEST.json"))
SUFFIXES = (".cpp", ".cu", ".hpp", ".h")

SCALED = """
@intent.kernel
def scaled(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)], FACTOR: I.Constexpr[int] = 2):
    y[:] = x[:] * I.cast(FACTOR, I.f32)
"""

ALL_OF_IT = """
@intent.kernel
def counted(x: I.In[I.f32, ("M", "N")], limit: I.f32, y: I.Out[I.f32, ("M",)], hits: I.InOut[I.i32, ("M",)]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        last = I.buffer((1,), I.f32, init=0.0)
        for n in range(x.shape[1]):
            if x[m, n] > limit:
                last[0] = x[m, n]
                hits[m] += 1
        y[m] = last[0] + I.reduce.sum(x[m, :], axis=0)
"""

TWO_OUTPUTS = """
@intent.kernel
def two_outputs(x: I.In[I.f32, ("M", "N")], total: I.Out[I.f32, ()], peaks: I.Out[I.f32, ("N",)]):
    total[()] = I.reduce.sum(x[:, :], axis=(0, 1))
    peaks[:] = I.reduce.max(x[:, :], axis=0)
"""

SPLIT_SUM = """
@intent.kernel
def split_sum(x: I.In[I.f32, ("N",)], parts: I.Out[I.f32, ("P",)]):
    share = (x.shape[0] + parts.shape[0] - 1) // parts.shape[0]
    for p in I.parallel(I.domain(0, parts.shape[0])):
        total = I.cast(0.0, I.f32)
        for k in range(share):
            if p * share + k < x.shape[0]:
                total = total + x[p * share + k]
        parts[p] = total
"""

PREFIXES = """
@intent.kernel
def prefixes(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    total = I.cast(0.0, I.f32)
    for n in range(x.shape[0]):
        total = total + x[n]
        y[n] = total
"""

BRANCHY = """
@intent.kernel
def branchy(x: I.In[I.f32, ("N",)], mode: I.i32, y: I.Out[I.f32, ("N",)]):
    if mode == 0:
        y[:] = x[:] * 2.0
    elif mode == 1:
        for n in range(x.shape[0]):
            y[n] = x[n]
            if x[n] < 0.0:
                break
    else:
        y[:] = I.exp(x[:])
"""

WITH_WORKSPACE = """
@intent.kernel
def rescaled(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        row = I.exp(x[m, :])
        for k in range(3):
            row = row[I.indices(I.domain(0, x.shape[1]))] / I.reduce.sum(row, axis=0)
        y[m, :] = row
"""


def loaded(folder: Path, text: str) -> intent.Kernel:
    """The one kernel of a text."""
    path = folder / "kernels.py"
    path.write_text(HEAD + text)
    (name,) = re.findall(r"^def (\w+)", text, re.M)
    return intent.load(f"{path}:{name}")


def manifest(files: Mapping[str, str]) -> dict[str, Any]:
    return json.loads(files["MANIFEST.json"])


def code(files: Mapping[str, str]) -> str:
    """What a project compiles, without comments."""
    texts = [text for path, text in files.items() if Path(path).suffix in SUFFIXES and "include/intent/" not in path]
    return "\n".join(re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S) for text in texts)


def on_disk(project: Path) -> dict[str, str]:
    return {p.relative_to(project).as_posix(): p.read_text() for p in project.rglob("*") if p.is_file()}


def launched(files: Mapping[str, str]) -> list[str]:
    """The CUDA kernels that the functions of a project launch, one a call: other launches stand in the other branch."""
    found: list[str] = []
    for path, text in files.items():
        if path.startswith("src/") and path.endswith(".cu"):
            before, *launches = text.split("intent::launch(")
            names = [re.match(r"\w+", launch)[0] for launch in launches]
            for name, earlier in zip(names, [before, *launches], strict=False):
                if found[-1:] != [name] or not re.search(r"\}\s*else\s*\{\s*$", earlier):
                    found.append(name)
    return found


@pytest.mark.req("K3")
def test_one_compile_is_one_kernel_and_one_entry(tmp_path: Path) -> None:
    kernel = loaded(tmp_path, SCALED)
    assert isinstance(intent.compile(kernel, "reference"), intent.Artifact)
    for target in ("cpu", "cuda"):
        (record,) = manifest(intent.emit(kernel, target))["kernels"]
        assert (record["name"], record["constexprs"]) == ("scaled", {"FACTOR": "2"})
    digests = [manifest(intent.emit(kernel, "cpu", {"FACTOR": f}))["kernels"][0]["digests"]["kir"] for f in (2, 2, 3)]
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.req("K4")
def test_only_the_host_launches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launches: list[object] = []
    run = interpret.run
    monkeypatch.setattr(interpret, "run", lambda *given: (launches.append(given), run(*given)))
    artifact = intent.compile(loaded(tmp_path, SCALED), "reference")
    x = np.ones(3, np.float32)
    call = artifact.prepare(x)
    assert not launches
    x[:] = 5
    call.launch()
    call.launch()
    assert len(launches) == 2 and call.result().tolist() == [10, 10, 10]


@pytest.mark.req("K7")
def test_a_kernel_holds_control_state_structured_operations_and_effects(tmp_path: Path) -> None:
    artifact = intent.compile(loaded(tmp_path, ALL_OF_IT), "reference")
    x, hits = np.array([[1, 5, 2, 7], [0, 0, 3, 0]], np.float32), np.array([10, 20], np.int32)
    y = np.empty(2, np.float32)
    artifact(x, 1.5, y, hits)
    assert (y.tolist(), hits.tolist()) == ([22, 6], [13, 21])
    assert not re.search(r"cuda|thread|block|warp|sm_|openmp", artifact.kir, re.I)


@pytest.mark.req("K9")
@pytest.mark.parametrize("project", EMITTED, ids=lambda p: f"{p.parents[1].name}-{p.name}")
def test_an_emitted_kernel_is_one_launch_and_allocates_nothing(project: Path) -> None:
    files = on_disk(project)
    names = [f"{kernel['name']}_kernel" for kernel in manifest(files)["kernels"]]
    assert sorted(launched(files)) == (sorted(names) if project.name == "cuda" else [])
    assert not re.search(r"\bcuda(?:Malloc|Launch)\w*|<<<|\bmalloc\(|\bnew\s+\w|\bunique_ptr\b", code(files))


@pytest.mark.req("K10")
@pytest.mark.parametrize("text", [TWO_OUTPUTS, SPLIT_SUM, PREFIXES])
def test_a_kernel_is_never_split(text: str, tmp_path: Path) -> None:
    files = intent.emit(loaded(tmp_path, text), "cuda")
    assert len(manifest(files)["kernels"]) == 1
    assert len(launched(files)) == len(re.findall(r"__global__", code(files))) == 1


@pytest.mark.req("K43")
def test_control_is_no_dispatch(tmp_path: Path) -> None:
    files = intent.emit(loaded(tmp_path, BRANCHY), "cuda")
    assert len(launched(files)) == len(re.findall(r"__global__", code(files))) == 1


@pytest.mark.req("K11")
def test_workspace_is_declared_and_holds_nothing_between_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTENT2CUDA_CACHE_DIR", str(tmp_path / "cache"))
    kernel = loaded(tmp_path, WITH_WORKSPACE)
    artifact = intent.compile(kernel, "cuda-sim")
    (record,) = artifact.manifest["kernels"]
    assert record["workspace_symbol"]
    assert not re.search(r"^\s*(?:static\s+)?(?:__device__|__managed__)\s+[^()]*;", code(artifact.files), re.M)
    x = np.random.default_rng(0).normal(size=(5, 3000)).astype(np.float32)
    results = []
    for pattern in (0x00, 0x7F, 0xFF):
        monkeypatch.setattr(callables.np, "empty", lambda shape, dtype, p=pattern: np.full(shape, p, dtype))
        results.append(np.zeros_like(x))
        artifact(x, results[-1])
    assert results[0].any() and all(np.array_equal(results[0], r) for r in results)
