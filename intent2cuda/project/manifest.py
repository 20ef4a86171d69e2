"""Reading the manifest of an emitted project: nothing in it is believed before it was checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, cast

from intent2cuda.base.codec import Plain, canonical, digest
from intent2cuda.base.records import RecordError, parsed
from intent2cuda.project.errors import ArtifactError

SCHEMA = "intent2cuda.manifest/1"
ABI: Mapping[str, Plain] = {
    "revision": 1,
    "status": ["ok", "shape", "stride", "alias", "capacity", "device", "internal"],
    "view": ["data void*", "extents const int64_t*", "strides const int64_t*"],
    "scalars": "bool 1 byte, index int64_t, 8- and 16-bit floats as their bits",
}
"""The C functions of a project: what they return and how they take arrays (`intent/status.h`)."""

_CODES = {
    "schema": "artifact.schema",
    "project": "artifact.syntax",
    "target": "artifact.syntax",
    "requires": "artifact.requires",
    "abi": "artifact.abi",
    "runtime_libraries": "artifact.libraries",
    "producers": "artifact.producers",
    "kernels": "artifact.syntax",
    "symbols": "artifact.syntax",
    "sources": "artifact.syntax",
    "translation_units": "artifact.syntax",
    "lineage": "artifact.lineage",
    "files": "artifact.digest",
    "digest": "artifact.digest",
}
"""The fields that a manifest has, each with the code of the refusal when it lacks."""

LAYERS = ("kir", "facts", "worksets", "planset", "portable", "concrete", "machine")
"""The layers of a kernel whose digests stand in a manifest."""


def sealed(record: Mapping[str, Plain]) -> dict[str, Plain]:
    """The record with the digest of all that is in it."""
    return {**record, "digest": digest(SCHEMA, canonical(dict(record)))}


def read_manifest(text: str) -> Mapping[str, Any]:
    """The content of a manifest.

    Raises:
        ArtifactError: it is none, of another version, lacks something, or was changed since it was emitted.
    """
    try:
        record = parsed(text)
    except (RecordError, RecursionError) as error:
        raise ArtifactError("artifact.syntax", f"this is no manifest: {error}") from error
    if not isinstance(record, Mapping):
        raise ArtifactError("artifact.syntax", "this is no manifest: it holds no record")
    if record.get("schema") != SCHEMA:
        raise ArtifactError("artifact.schema", f"the manifest is {record.get('schema')!r}; this version reads {SCHEMA}")
    for name, code in _CODES.items():
        if name not in record:
            raise ArtifactError(code, f"the manifest does not say `{name}`")
    unsealed = {name: part for name, part in record.items() if name != "digest"}
    if sealed(unsealed)["digest"] != record["digest"]:
        raise ArtifactError("artifact.digest", "the manifest was changed after it was emitted")
    found = cast(Mapping[str, Any], record)
    _check_kernels(found)
    _check_paths(found)
    return found


def _check_kernels(record: Mapping[str, Any]) -> None:
    for kernel in record["kernels"]:
        lacking = [layer for layer in LAYERS if layer not in kernel.get("digests", {})]
        if lacking:
            message = f"the manifest has no digest of the {lacking[0]} layer of {kernel.get('name')}"
            raise ArtifactError("artifact.digest", message)


def _check_paths(record: Mapping[str, Any]) -> None:
    for path in (*record["files"], *record["translation_units"], record["lineage"]["path"]):
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts:
            raise ArtifactError("artifact.syntax", f"the manifest names a file outside of its folder: {path}")
