"""Emitted projects as artifacts: loaded without the author's file, refused when changed or on a lesser machine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import intent2cuda as intent
from intent2cuda import pipeline
from intent2cuda.project.machine import Device, Machine
from intent2cuda.project.manifest import SCHEMA, sealed
from intent2cuda.project.requirements import LEVELS

H200 = Machine("x86_64", frozenset(LEVELS["x86-64-v3"]), 64, Device((9, 0), (12, 4), 1024, 232448, 141 << 30))


@pytest.fixture
def project(kernels: Path, tmp_path: Path) -> Path:
    """Two kernels of one project for cpu."""
    out = tmp_path / "project"
    intent.emit([intent.load(f"{kernels}:{name}") for name in ("softmax", "scaled")], out=out)
    return out


@pytest.fixture
def cuda_project(kernels: Path, tmp_path: Path) -> Path:
    out = tmp_path / "cuda_project"
    intent.emit(intent.load(f"{kernels}:softmax"), target="cuda", out=out)
    return out


def manifest_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "MANIFEST.json").read_text())


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object], seal: bool = True) -> None:
    """The manifest after a change, with a digest that fits again."""
    record = manifest_of(folder)
    change(record)
    record.pop("digest", None)
    (folder / "MANIFEST.json").write_text(json.dumps(sealed(record) if seal else record))


def refusal(folder: Path, machine: Machine | None = None) -> intent.ArtifactError:
    with pytest.raises(intent.ArtifactError) as caught:
        intent.load_project(folder, machine=machine)
    return caught.value


def test_kernels_of_a_folder_can_be_called(project: Path) -> None:
    loaded = intent.load_project(project)
    assert sorted(loaded) == ["scaled", "softmax"]
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_allclose(loaded["softmax"].run(x).sum(axis=1), 1.0, rtol=1e-6)
    assert loaded["scaled"].run(x[0]).tolist() == [0, 2, 4]
    assert loaded["scaled"].manifest["project"] == loaded["softmax"].manifest["project"]
    with pytest.raises(intent.ArtifactError, match="no Kernel IR"):
        _ = loaded["softmax"].kir


@pytest.mark.req("P117", "P118")
def test_diagnostics_may_be_taken_away(project: Path) -> None:
    shutil.rmtree(project / "diagnostics")
    assert intent.load_project(project)["scaled"].run(np.ones(2, np.float32)).tolist() == [2, 2]


@pytest.mark.req("P118")
def test_nothing_under_diagnostics_is_opened(project: Path) -> None:
    """A process that loads and calls the project opens none of those files."""
    program = (
        "import sys\nopened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
        "import numpy as np, intent2cuda as intent\n"
        f"out = intent.load_project({str(project)!r})['scaled'].run(np.ones(2, np.float32))\n"
        "assert out.tolist() == [2, 2]\n"
        "assert any('MANIFEST.json' in path for path in opened)\n"
        f"print([path for path in opened if {str(project / 'diagnostics')!r} in path])\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.req("P114")
@pytest.mark.parametrize("path", ["src/softmax.cpp", "include/intent/view.hpp", "CMakeLists.txt"])
def test_a_byte_that_was_changed_is_found(project: Path, path: str) -> None:
    text = (project / path).read_text()
    (project / path).write_text(text.replace("e", "f", 1))
    error = refusal(project)
    assert error.code == "artifact.digest" and f"{path} is not as it was emitted" in str(error)
    (project / path).unlink()
    assert refusal(project).code == "artifact.digest"


@pytest.mark.req("P114", "S2")
def test_a_manifest_that_was_changed_is_found(project: Path) -> None:
    before = (project / "MANIFEST.json").read_bytes()
    places = [m.start() for m in re.finditer(rb"[0-9a-f]", before)]
    for place in places[:: max(len(places) // 60, 1)]:
        changed = bytearray(before)
        changed[place] = ord("0") if changed[place] != ord("0") else ord("1")
        (project / "MANIFEST.json").write_bytes(changed)
        assert refusal(project).code.startswith("artifact."), before[place - 20 : place + 20]


@pytest.mark.req("P111", "S1")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "artifact.syntax"),
        ("[]", "artifact.syntax"),
        ('{"schema": 1, "schema": 2}', "artifact.syntax"),
        ('{"schema": NaN}', "artifact.syntax"),
        ('{"schema": 1e999}', "artifact.syntax"),
        ('{"schema": "intent2cuda.manifest/0"}', "artifact.schema"),
        ('{"schema": "intent2cuda.lineage"}', "artifact.schema"),
    ],
)
def test_what_is_no_manifest(project: Path, text: str, code: str) -> None:
    (project / "MANIFEST.json").write_text(text)
    assert refusal(project).code == code


FIELDS = [
    pytest.param("requires", "artifact.requires", marks=pytest.mark.req("P112")),
    pytest.param("abi", "artifact.abi", marks=pytest.mark.req("P113")),
    pytest.param("producers", "artifact.producers", marks=pytest.mark.req("P115")),
    pytest.param("runtime_libraries", "artifact.libraries", marks=pytest.mark.req("P116")),
    pytest.param("lineage", "artifact.lineage", marks=pytest.mark.req("P117")),
    pytest.param("files", "artifact.digest", marks=pytest.mark.req("P114")),
    ("kernels", "artifact.syntax"),
]


@pytest.mark.parametrize(("name", "code"), FIELDS)
def test_a_field_that_lacks(project: Path, name: str, code: str) -> None:
    rewrite(project, lambda record: record.pop(name))
    error = refusal(project)
    assert error.code == code and f"`{name}`" in str(error)


@pytest.mark.req("P114")
@pytest.mark.parametrize("layer", ["kir", "facts", "worksets", "planset", "portable", "concrete", "machine"])
def test_a_layer_without_a_digest(project: Path, layer: str) -> None:
    rewrite(project, lambda record: record["kernels"][0]["digests"].pop(layer))
    assert refusal(project).code == "artifact.digest"


@pytest.mark.req("P113")
def test_functions_that_are_called_in_another_way(project: Path) -> None:
    rewrite(project, lambda record: record["abi"]["c"].update(revision=2))
    assert refusal(project).code == "artifact.abi"


@pytest.mark.req("P111")
def test_another_schema(project: Path) -> None:
    rewrite(project, lambda record: record.update(schema=SCHEMA.replace("/", "/9")))
    assert refusal(project).code == "artifact.schema"


def test_files_outside_of_the_folder(project: Path) -> None:
    rewrite(project, lambda record: record["files"].update({"../secret": "0" * 64}))
    assert refusal(project).code == "artifact.syntax"


@pytest.mark.req("P112")
def test_a_lesser_processor_is_refused_by_name(project: Path) -> None:
    old = Machine("x86_64", frozenset(LEVELS["x86-64-v2"]), 64, None)
    error = refusal(project, old)
    assert (error.code, error.requirement) == ("artifact.requires", "processor")
    assert "requires processor x86-64-v3; here is a processor without abm, avx, avx2" in str(error)


@pytest.mark.req("P112")
@pytest.mark.parametrize(
    ("device", "requirement", "found"),
    [
        (None, "architectures", "no CUDA device"),
        (Device((7, 5), (12, 4), 1024, 65536, 1 << 30), "architectures", "sm_75"),
        (Device((9, 0), (11, 4), 1024, 232448, 1 << 30), "driver", "a driver for CUDA 11.4"),
    ],
)
def test_a_lesser_device_is_refused_by_name(
    cuda_project: Path, device: Device | None, requirement: str, found: str
) -> None:
    error = refusal(cuda_project, Machine("x86_64", None, 64, device))
    assert (error.code, error.requirement) == ("artifact.requires", requirement)
    assert f"requires {requirement}" in str(error) and f"here is {found}" in str(error)


@pytest.mark.req("P112")
def test_what_is_required_is_refused_before_anything_is_compiled(
    cuda_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal(cuda_project, Machine("x86_64", None, 64, None)).code == "artifact.requires"
    with pytest.raises((intent.ToolchainError, intent.ArtifactError)):
        intent.load_project(cuda_project, machine=H200)


def linked(folder: Path) -> Iterator[str]:
    """The libraries that the CMakeLists of a project links, by the names of the manifest."""
    text = (folder / "CMakeLists.txt").read_text()
    names = {"OpenMP::OpenMP_CXX": "OpenMP", "CUDA::cudart_static": "CUDA runtime"}
    for call in re.findall(r"target_link_libraries\((.*?)\)", text, re.DOTALL):
        yield from (names[word] for word in call.split() if "::" in word)
    yield from ("pybind11" for _ in re.findall(r"pybind11_add_module", text))


@pytest.mark.req("P116")
def test_libraries_are_those_that_cmake_links(project: Path, cuda_project: Path) -> None:
    for folder in (project, cuda_project):
        recorded = manifest_of(folder)["runtime_libraries"]
        assert [library["name"] for library in recorded] == list(linked(folder))
        assert all(re.fullmatch(r"\d+\.\d+", library["minimum"]) for library in recorded)


@pytest.mark.req("P113")
def test_abi_is_that_of_the_header(project: Path) -> None:
    """The recorded layout and statuses are those that a C compiler sees in `intent/status.h`."""
    abi = manifest_of(project)["abi"]
    assert abi["pointer_bits"] == abi["index_bits"] == 64
    rows = [
        f'_Static_assert(INTENT_{name.upper()}{"" if name == "ok" else "_ERROR"} == {value}, "{name}");'
        for value, name in enumerate(abi["c"]["status"])
    ]
    for number, view in enumerate(abi["c"]["view"]):
        member, _, kind = view.partition(" ")
        rows.append(f'_Static_assert(offsetof(intent_view, {member}) == {8 * number}, "{member}");')
        rows.append(f"{kind} {member}_of(const intent_view* view) {{ return view->{member}; }}")
    source = project / "abi.c"
    source.write_text("#include <intent/status.h>\n#include <stddef.h>\n" + "\n".join(rows) + "\n")
    command = ["cc", "-std=c11", "-Wall", "-Werror", "-Iinclude", "-c", "abi.c", "-o", "abi.o"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.req("P115")
def test_producers_are_named_with_their_versions(project: Path) -> None:
    producers = manifest_of(project)["producers"]
    assert {"analysis", "planner", "target cpu", "emitter"} <= set(producers)
    assert set(producers.values()) == {intent.__version__}


@pytest.mark.parametrize("folder", ["", 5, None])
def test_what_is_no_folder(folder: object) -> None:
    with pytest.raises(intent.ArgumentError, match="`folder` is the path of a folder"):
        intent.load_project(folder)


@pytest.mark.req("P114")
def test_digests_are_those_of_the_layers(kernels: Path, project: Path) -> None:
    """Made again from the source, every layer has the digest that the manifest holds."""
    for kernel in manifest_of(project)["kernels"]:
        planned = pipeline.plan_kernel(pipeline.front(kernels, kernel["name"]), "cpu")
        found = kernel["digests"]
        assert (found["portable"], found["concrete"]) == (planned.portable.digest, planned.concrete.digest)
        assert (found["planset"], found["worksets"]) == (planned.planset.digest, planned.worksets.digest)
        head = (project / "src" / f"{kernel['name']}.cpp").read_text().split("\n")[2]
        assert (
            head == f"// Digests: {' '.join(f'{name} {found[name][:12]}' for name in ('kir', 'portable', 'concrete'))}"
        )


@pytest.mark.req("P118")
def test_no_file_of_a_project_knows_its_diagnostics(project: Path, cuda_project: Path) -> None:
    for folder in (project, cuda_project):
        files = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "diagnostics"]
        knowing = [path.name for path in files if "diagnostics/" in path.read_text()]
        assert knowing == ["MANIFEST.json"]
