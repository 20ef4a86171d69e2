"""From the folder of an emitted project to callables, without its author's file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, cast

from intent2cuda.api.artifact import Artifact
from intent2cuda.api.compile import call_of
from intent2cuda.api.folders import folder_of
from intent2cuda.api.targets import CpuTarget, CudaTarget
from intent2cuda.base.files import DIAGNOSTICS, MANIFEST
from intent2cuda.project.build import build_library
from intent2cuda.project.emitted import EmittedProject
from intent2cuda.project.errors import ArtifactError
from intent2cuda.project.interface import interface_of
from intent2cuda.project.machine import Machine, this_machine
from intent2cuda.project.manifest import ABI, read_manifest
from intent2cuda.project.requirements import check_requirements


def load_project(folder: str | Path, *, machine: Machine | None = None) -> dict[str, Artifact]:
    """The kernels of an emitted project by name, compiled now unless the cache has them.

    What lies under `diagnostics/` is not looked at: it may have been taken away. `machine`: other than this one.

    Raises:
        ArgumentError: `folder` is no path.
        ArtifactError: the project is incomplete or was changed, or this machine lacks what it requires.
        ToolchainError: a compiler is missing or failed.
    """
    place = folder_of(folder, "`folder`")
    manifest = read_manifest(_text(place, MANIFEST))
    _check_abi(manifest)
    files = _files(place, manifest)
    check_requirements(manifest, machine or this_machine())
    project = EmittedProject(
        name=manifest["project"],
        target=manifest["target"],
        files=files,
        manifest=manifest,
        sources=tuple(manifest["translation_units"]),
        interfaces=tuple(interface_of(kernel) for kernel in manifest["kernels"]),
        architectures=tuple(manifest["requires"].get("architectures", ())),
    )
    built = build_library(project)
    target = _target(project)
    return {
        interface.name: Artifact(
            interface, target, _no_front, call_of(target, interface, built.product), project, built.directory
        )
        for interface in project.interfaces
    }


def _check_abi(manifest: Mapping[str, Any]) -> None:
    """Raises ArtifactError when the C functions of a project are not those that this version calls."""
    found: object = manifest["abi"]
    if not isinstance(found, dict) or cast(dict[str, Any], found).get("c") != ABI:
        raise ArtifactError("artifact.abi", "the C functions of the project are not those that this version calls")


def _files(place: Path, manifest: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a project, each as its manifest says. Raises ArtifactError."""
    found: dict[str, str] = {}
    for path, wanted in manifest["files"].items():
        if path.startswith(DIAGNOSTICS):
            continue
        text = _text(place, path)
        if hashlib.sha256(text.encode()).hexdigest() != wanted:
            raise ArtifactError("artifact.digest", f"{path} is not as it was emitted")
        found[path] = text
    return found


def _text(place: Path, path: str) -> str:
    try:
        return (place / path).read_bytes().decode()
    except FileNotFoundError as error:
        raise ArtifactError("artifact.digest", f"{place} has no {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ArtifactError("artifact.digest", f"{path} cannot be read") from error


def _target(project: EmittedProject) -> CpuTarget | CudaTarget:
    if project.target == "cpu":
        return CpuTarget()
    return CudaTarget(*project.architectures, simulated=project.target == "cuda-sim")


def _no_front() -> NoReturn:
    raise ArtifactError(
        "artifact.source", "the artifact was loaded from an emitted project, which holds no Kernel IR and no plan",
        "compile the kernel from its source",
    )  # fmt: skip
