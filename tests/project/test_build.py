"""From texts to a library that can be called, for each target that has a compiler."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from intent2cuda import ToolchainError
from intent2cuda.api.callables import SimulatedCall, device_call, host_call
from intent2cuda.api.errors import DeviceError, SimulationError
from intent2cuda.project.build import build_key, build_library
from intent2cuda.project.cache import Cache
from intent2cuda.project.compile import cpu_recipe
from intent2cuda.project.emitted import EmittedProject

Make = Callable[..., EmittedProject]
Script = Callable[[str, str], Path]


def test_cpu(saxpy: Make, cache: Cache) -> None:
    project = saxpy()
    built = build_library(project, cache=cache)
    again = build_library(project, cache=cache)
    assert not built.from_cache and again.from_cache
    assert built.product == again.product
    x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    host_call(project.interfaces[0], again.product)(x, y, 2.0)
    assert y.tolist() == [1, 3, 5, 7]


def test_cuda_sim(saxpy: Make, simulator_cache: Cache) -> None:
    project = saxpy("cuda-sim")
    call = SimulatedCall(project.interfaces[0], build_library(project, cache=simulator_cache).product)
    x, y = np.arange(100, dtype=np.float32), np.ones(200, np.float32)[::2]
    call(x, y, 2.0)
    np.testing.assert_array_equal(y, 1 + 2 * x)


def test_cuda_sim_reports_what_the_checker_finds(saxpy: Make, simulator_cache: Cache) -> None:
    project = saxpy("cuda-sim")
    text = project.files["src/saxpy.cu"]
    broken = text.replace("if (i < x.extent(0))", "if (i <= x.extent(0))")
    assert broken != text
    project = dataclasses.replace(project, files={**project.files, "src/saxpy.cu": broken})
    call = SimulatedCall(project.interfaces[0], build_library(project, cache=simulator_cache).product)
    memory = np.zeros(64, np.float32)
    with pytest.raises(SimulationError, match=r"(?s)saxpy: .*out of bounds.*saxpy\.cu:8") as caught:
        call(np.ones(8, np.float32), memory[16:24], 1.0)
    assert all(d.code == "call.simulation" for d in caught.value.diagnostics)


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_cuda_without_a_device(saxpy: Make, cache: Cache) -> None:
    project = saxpy("cuda")
    call = device_call(project.interfaces[0], build_library(project, cache=cache).product)
    with pytest.raises(DeviceError, match="`x` is in host memory"):
        call(np.ones(8, np.float32), np.ones(8, np.float32), 1.0)


def test_missing_nvcc(saxpy: Make, cache: Cache, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDACXX", raising=False)
    monkeypatch.setattr("intent2cuda.project.toolchain.NVCC_PLACES", ("nvcc", str(tmp_path / "cuda/bin/nvcc")))
    with pytest.raises(ToolchainError, match="the CUDA compiler nvcc was not found") as caught:
        build_library(saxpy("cuda"), cache=cache)
    assert caught.value.code == "toolchain.missing"
    assert "cuda-sim" in caught.value.diagnostics[0].help


def test_missing_cxx(saxpy: Make, cache: Cache, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(ToolchainError, match=r"a C\+\+ compiler was not found") as caught:
        build_library(saxpy(), cache=cache)
    assert "CXX" in caught.value.diagnostics[0].help


def test_cxx_is_honoured(saxpy: Make, cache: Cache, monkeypatch: pytest.MonkeyPatch, script: Script) -> None:
    monkeypatch.setenv("CXX", str(script("my-cxx", 'echo my words about $# arguments; test "$1" = --version')))
    with pytest.raises(ToolchainError) as caught:
        build_library(saxpy(), cache=cache)
    message = caught.value.diagnostics[0].message
    assert caught.value.code == "toolchain.failed"
    assert "`my-cxx` failed with status 1" in message
    assert "-march=native" in message and "src/saxpy.cpp" in message
    assert "my words about" in message
    assert not cache.entries()


def test_options_in_cxx_are_passed_on(
    saxpy: Make, cache: Cache, monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    compiler = script("my-cxx", 'echo "called with $1 and $2"; test "$2" = --version')
    monkeypatch.setenv("CXX", f"{compiler} -DMINE")
    with pytest.raises(ToolchainError, match="called with -DMINE and -std") as caught:
        build_library(saxpy(), cache=cache)
    assert f"{compiler} -DMINE" in caught.value.diagnostics[0].message


@pytest.mark.parametrize("target", ["cpu", "cuda-sim"])
def test_further_options_come_last(
    saxpy: Make, cache: Cache, monkeypatch: pytest.MonkeyPatch, script: Script, target: str
) -> None:
    compiler = script("my-cxx", 'echo "$@"; case "$*" in *--version|*sim/runtime*) touch simulator.o;; *) false;; esac')
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("INTENT2CUDA_CXXFLAGS", "-O1 '-DMINE=a b'")
    with pytest.raises(ToolchainError, match=r"-Wextra .*-O1 -DMINE=a b -Iinclude"):
        build_library(saxpy(target), cache=cache)
    project = saxpy()
    key = build_key(project.files, cpu_recipe(project))
    monkeypatch.setenv("INTENT2CUDA_CXXFLAGS", "-O2")
    assert build_key(project.files, cpu_recipe(project)) != key
    monkeypatch.setenv("INTENT2CUDA_CXXFLAGS", "'-O1")
    with pytest.raises(ToolchainError, match="INTENT2CUDA_CXXFLAGS holds no options"):
        build_library(project, cache=cache)


def test_a_compiler_may_lie_in_a_folder_with_a_space(
    saxpy: Make, cache: Cache, monkeypatch: pytest.MonkeyPatch, script: Script, tmp_path: Path
) -> None:
    place = tmp_path / "my tools" / "cxx"
    place.parent.mkdir()
    script("my-cxx", 'echo "called with $1"; test "$1" = --version').rename(place)
    monkeypatch.setenv("CXX", str(place))
    with pytest.raises(ToolchainError, match="called with -std"):
        build_library(saxpy(), cache=cache)


@pytest.mark.parametrize(
    ("command", "why"), [("no-such-compiler -O2", "CXX names `no-such-compiler`"), ("g++ '", "CXX")]
)
def test_a_cxx_that_is_none_is_refused(
    saxpy: Make, cache: Cache, monkeypatch: pytest.MonkeyPatch, command: str, why: str
) -> None:
    monkeypatch.setenv("CXX", command)
    with pytest.raises(ToolchainError, match=why) as caught:
        build_library(saxpy(), cache=cache)
    assert caught.value.code == "toolchain.missing" and "unset" in caught.value.diagnostics[0].help


def test_compiler_errors_keep_the_compilers_words(saxpy: Make, cache: Cache) -> None:
    project = saxpy()
    broken = dataclasses.replace(project, files={**project.files, "src/saxpy.cpp": "int f() { return nonsense; }"})
    with pytest.raises(ToolchainError, match=r"saxpy.cpp:1:18: error: .*nonsense"):
        build_library(broken, cache=cache)


def test_timeout(saxpy: Make, cache: Cache, monkeypatch: pytest.MonkeyPatch, script: Script) -> None:
    slow = script("slow-cxx", 'test "$1" = --version || { echo started; sleep 60; }')
    monkeypatch.setenv("CXX", str(slow))
    monkeypatch.setenv("INTENT2CUDA_COMPILE_SECONDS", "1")
    started = time.monotonic()
    with pytest.raises(ToolchainError, match="`slow-cxx` took longer than 1 s") as caught:
        build_library(saxpy(), cache=cache)
    assert time.monotonic() - started < 20
    assert caught.value.code == "toolchain.timeout"
    assert "started" in str(caught.value)
    assert not cache.entries()


def test_a_killed_compiler(saxpy: Make, cache: Cache, monkeypatch: pytest.MonkeyPatch, script: Script) -> None:
    real = shutil.which("g++") or shutil.which("c++")
    pid_file = cache.folder.parent / "pid"
    half = 'for last; do :; done; echo half > "$last"'
    killed = script("cxx", f'test "$1" = --version || {{ {half}; echo $$ > {pid_file}; kill -9 $$; }}')
    monkeypatch.setenv("CXX", str(killed))
    with pytest.raises(ToolchainError, match="`cxx` was stopped by SIGKILL"):
        build_library(saxpy(), cache=cache)
    assert pid_file.exists() and not cache.entries()
    script("cxx", f'exec {real} "$@"')
    assert build_library(saxpy(), cache=cache).product.stat().st_size > 1000


def test_the_key_depends_on_all_that_matters(
    saxpy: Make, monkeypatch: pytest.MonkeyPatch, script: Script, tmp_path: Path
) -> None:
    project = saxpy()
    header = "include/intent/view.hpp"
    keys = {
        "as it is": build_key(project.files, cpu_recipe(project)),
        "source": build_key({**project.files, "src/saxpy.cpp": "// other"}, cpu_recipe(project)),
        "header": build_key({**project.files, header: project.files[header] + "\n"}, cpu_recipe(project)),
        "name": build_key(project.files, cpu_recipe(dataclasses.replace(project, name="other"))),
    }
    monkeypatch.setattr("intent2cuda.project.toolchain.host_processor", lambda: "another processor")
    keys["processor"] = build_key(project.files, cpu_recipe(project))
    for version in ("1.0", "1.0.1"):
        monkeypatch.setenv("CXX", str(script("versioned", f"echo cxx {version}")))
        keys[f"compiler {version}"] = build_key(project.files, cpu_recipe(project))
    assert len(set(keys.values())) == len(keys)
    monkeypatch.undo()
    assert build_key(project.files, cpu_recipe(project)) == keys["as it is"]


CHILD = """
import sys
from pathlib import Path
import numpy as np
from intent2cuda.api.callables import host_call
from intent2cuda.project.build import build
from intent2cuda.project.cache import Cache
from intent2cuda.project.compile import Recipe
from intent2cuda.project.interface import Interface, Parameter

folder, source, include, compiler, ready = sys.argv[1:]
Path(ready).touch()
while len(list(Path(ready).parent.glob("ready*"))) < 4:
    pass
flags = ("-std=c++17", "-O1", "-shared", "-fPIC", "-I" + include)
recipe = Recipe((((compiler, *flags, "saxpy.cpp", "-o", "libsaxpy.so"),),), "libsaxpy.so", "")
library = build({"saxpy.cpp": Path(source).read_text()}, recipe, Cache(Path(folder), 1 << 30), None).product
x, y = np.ones(3, np.float32), np.ones(3, np.float32)
arrays = (Parameter("x", "in", "f32", ("N",)), Parameter("y", "inout", "f32", ("N",)))
interface = Interface("saxpy", (*arrays, Parameter("a", "scalar", "f32")), (), "saxpy_call", "saxpy_last_error")
host_call(interface, library)(x, y, 2.0)
assert y.tolist() == [3, 3, 3]
print(library)
"""


def test_processes_that_compile_the_same_at_once(cache: Cache, tmp_path: Path) -> None:
    from intent2cuda.project.runtime import runtime_directory

    source = Path(__file__).parent / "sources" / "saxpy.cpp"
    compiler = shutil.which("g++") or shutil.which("c++") or ""
    arguments = [str(cache.folder), str(source), str(runtime_directory() / "include"), compiler]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    children = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", CHILD, *arguments, str(tmp_path / f"ready{i}")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for i in range(4)
    ]
    answers = [child.communicate(timeout=120) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0, 0], answers
    assert len({out for out, _ in answers}) == 1
    assert len(cache.entries()) == 1
    assert list((cache.folder / "staging").iterdir()) == []
