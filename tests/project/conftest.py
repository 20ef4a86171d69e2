"""Projects written by hand, in the form in which the emitter leaves them, and a cache of their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from intent2cuda.project.cache import Cache
from intent2cuda.project.emitted import EmittedProject, TargetKind
from intent2cuda.project.interface import AliasRule, Interface, Parameter
from intent2cuda.project.runtime import runtime_headers

SOURCES = Path(__file__).parent / "sources"


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """An empty cache."""
    return Cache(tmp_path / "cache", 1 << 30)


@pytest.fixture(scope="session")
def simulator_cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """A cache for all tests that need the simulator, which takes seconds to compile."""
    return Cache(tmp_path_factory.mktemp("simulator"), 1 << 30)


@pytest.fixture
def saxpy() -> Callable[..., EmittedProject]:
    """Makes the project of y += a * x for a target."""

    def make(target: TargetKind = "cpu") -> EmittedProject:
        source = "src/saxpy.cpp" if target == "cpu" else "src/saxpy.cu"
        files = {source: (SOURCES / Path(source).name).read_text()}
        files |= runtime_headers(files.values(), simulation=target == "cuda-sim")
        digests = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}
        return EmittedProject(
            name="saxpy",
            target=target,
            files=files | {"MANIFEST.json": json.dumps({"files": digests})},
            manifest={"files": digests},
            sources=(source,),
            interfaces=(saxpy_interface(),),
            architectures=() if target == "cpu" else ("sm_80",),
        )

    return make


def saxpy_interface() -> Interface:
    return Interface(
        "saxpy",
        (Parameter("x", "in", "f32", ("N",)), Parameter("y", "inout", "f32", ("N",)), Parameter("a", "scalar", "f32")),
        (AliasRule("y", "x", "same_or_disjoint"),),
        "saxpy_call",
        "saxpy_last_error",
    )


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str, str], Path]:
    """Makes an executable shell script of a name in a folder of its own."""

    def make(name: str, body: str) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        path = folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return make


@pytest.fixture
def tree() -> Callable[[Mapping[str, str]], dict[str, str]]:
    """Adds the manifest to the files of a project."""

    def with_manifest(files: Mapping[str, str]) -> dict[str, str]:
        digests = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}
        return {**files, "MANIFEST.json": json.dumps({"files": digests})}

    return with_manifest
