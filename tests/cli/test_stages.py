"""`show`, `explain` and `doctor`: what people and programs read about a kernel and a machine. Nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from intent2cuda.cli import doctor
from intent2cuda.cli.show import STAGES
from intent2cuda.project.machine import Device, first_device

from .conftest import Cli, tree


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("stage", STAGES)
def test_show(cli: Cli, two: Path, tmp_path: Path, stage: str, target: str) -> None:
    said = cli("show", two, "--stage", stage, "--target", target)
    assert said.status == 0 and said.err == ""
    record = cli("show", two, "--stage", stage, "--target", target, "--json").json
    assert record["stage"] == stage
    if stage == "files":
        assert [line.split()[1] for line in said.out.splitlines()] == list(record["files"])
        assert record["files"]["MANIFEST.json"].startswith("{")
    else:
        assert list(record["kernels"]) == ["scaled", "total"]
        assert all(text.rstrip() in said.out for text in record["kernels"].values())
        assert all(name in said.out for name in ("scaled", "total"))
    assert tree(tmp_path) == {"pair.py": two.read_bytes()}


def test_stages_differ_by_target_where_they_should(cli: Cli, one: Path) -> None:
    for stage in ("ir", "worksets", "portable"):
        assert cli("show", one, "--stage", stage).out == cli("show", one, "--stage", stage, "--target", "cuda").out
    for stage in ("concrete", "machine"):
        assert cli("show", one, "--stage", stage).out != cli("show", one, "--stage", stage, "--target", "cuda").out


def test_machine_stage_is_the_emitted_kernel(cli: Cli, one: Path) -> None:
    assert cli("show", one, "--stage", "machine").out == cli("emit", one).out


def test_ir_is_shown_for_the_reference_target_and_plans_are_not(cli: Cli, one: Path) -> None:
    assert cli("show", one, "--target", "reference").status == 0
    sealed = cli("show", one, "--target", "reference", "--sealed")
    assert sealed.status == 0 and sealed.out == cli("show", one, "--sealed").out
    refused = cli("show", one, "--target", "reference", "--stage", "concrete", "--sealed")
    assert refused.status == 2 and "error[cli.usage]" in refused.err
    refused = cli("show", one, "--target", "reference", "--stage", "concrete")
    assert refused.status == 2 and "error[cli.usage]" in refused.err


def test_unknown_stage(cli: Cli, one: Path) -> None:
    assert cli("show", one, "--stage", "assembly").status == 2


def test_explain_names_what_was_chosen_and_what_was_not(cli: Cli, two: Path, tmp_path: Path) -> None:
    said = cli("explain", f"{two}:total")
    assert said.status == 0 and said.err == ""
    assert "cpu.reduce.lanes" in said.out and "not cpu.reduce." in said.out
    record = cli("explain", two, "--json").json
    assert list(record["kernels"]) == ["scaled", "total"]
    assert record["kernels"]["total"].rstrip() == said.out.rstrip()
    assert "cuda." in cli("explain", two, "--target", "cuda").out
    assert tree(tmp_path) == {"pair.py": two.read_bytes()}


def test_notes_are_told(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "scatter.py"
    path.write_text(
        "import intent2cuda as intent\nimport intent2cuda.language as I\n\n\n@intent.kernel\n"
        'def scatter(place: I.In[I.i32, ("N",)], x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("M",)]):\n'
        "    for i in I.parallel(I.domain(0, x.shape[0])):\n        y[place[i]] = x[i]\n"
    )
    told = "note[kir.parallel.unproved]"
    assert told in cli("explain", path).out and told in cli("emit", path).err
    record = json.loads(cli("emit", path, "--json").json["files"]["MANIFEST.json"])
    (obligation,) = record["kernels"][0]["obligations"]
    assert (obligation["code"], obligation["line"], obligation["subject"]) == ("kir.parallel.unproved", 8, "y")
    for verb in ("explain", "emit"):
        assert [note["code"] for note in cli(verb, path, "--json").json["notes"]] == ["kir.parallel.unproved"]
        strict = cli(verb, path, "--strict")
        assert strict.status == 2 and told in strict.err


class TestDoctor:
    def test_lists_the_tools(self, cli: Cli) -> None:
        said = cli("doctor")
        assert said.status == 0
        assert "C++ compiler" in said.out and "nvcc" in said.out and "build cache" in said.out
        assert ("sm_" in said.out) == (first_device() is not None)
        record = cli("doctor", "--json").json
        assert [tool["name"] for tool in record["tools"]] == ["C++ compiler", "nvcc", "cmake", "ninja"]
        assert all(tool["version"] and tool["path"] for tool in record["tools"] if tool["found"])

    def test_says_what_is_missing(self, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        for name in ("CXX", "CUDACXX", "CUDA_HOME"):
            monkeypatch.delenv(name, raising=False)
        said = cli("doctor")
        assert said.status == 1 and "missing: install g++" in said.out
        assert not cli("doctor", "--json").json["tools"][0]["found"]

    def test_says_what_it_knows_of_the_gpu(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        device = Device((9, 0), (12, 4), 1024, 232448, 139 << 30, "NVIDIA H200")
        monkeypatch.setattr(doctor, "first_device", lambda: device)
        assert "sm_90  NVIDIA H200, 139 GiB, driver for CUDA 12.4" in cli("doctor").out
        assert cli("doctor", "--json").json["gpu"] == {
            "name": "NVIDIA H200",
            "architecture": "sm_90",
            "driver": "12.4",
            "memory_bytes": 139 << 30,
        }
        monkeypatch.setattr(doctor, "first_device", lambda: None)
        assert "GPU           none" in cli("doctor").out
        assert cli("doctor", "--json").json["gpu"] is None

    def test_cache_that_is_off(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("INTENT2CUDA_CACHE_DIR", "off")
        assert "switched off" in cli("doctor").out
        assert cli("doctor", "--json").json["cache"] is None
