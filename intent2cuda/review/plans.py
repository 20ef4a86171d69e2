"""The plans of an emitted project as reviews compare them: digests of every layer, and decisions by identifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, cast

from intent2cuda.base.codec import Plain, canonical, digest
from intent2cuda.base.envelope import VERSION
from intent2cuda.base.files import MANIFEST, PLANS
from intent2cuda.base.records import RecordError, parsed
from intent2cuda.review.emitted import Emitted, in_folder, refusal

SCHEMA = "intent2cuda.plans"

Row: TypeAlias = Mapping[str, "str | int"]
"""What is decided about one thing. `does` is for readers: two rows that differ in it only are equal."""

SECTIONS = ("operations", "facts", "tasks", "decisions", "stages", "buffers", "barriers", "launch", "guards")


@dataclass(frozen=True)
class KernelPlan:
    """`sections`: for each kind of thing a row for each identifier; empty where only digests are left."""

    name: str
    target: str
    digests: Mapping[str, str]
    sections: Mapping[str, Mapping[str, Row]]


@dataclass(frozen=True)
class Side:
    """One of two things that are compared. `emitted` is None for a file alone; `detached`: only digests are left.

    `requires`: what the project is built for and needs where it runs, where a manifest says so.
    """

    where: str
    kernels: Mapping[str, KernelPlan]
    emitted: Emitted | None
    detached: bool
    requires: Mapping[str, str] = field(default_factory=dict[str, str])


def side(path: Path) -> Side:
    """The plans of an emitted folder, or of a manifest or plan file by itself.

    Raises: IntentError when it is none of them, or was changed.
    """
    if path.is_dir():
        emitted = in_folder(path)
        plans = emitted.read(PLANS)
        found = _of_plans(plans, str(path)) if plans is not None else _of_manifest(emitted.manifest)
        return Side(str(path), found, emitted, plans is None, _requires(emitted.manifest))
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        record = parsed(text)
    except RecordError as error:
        is_kernel = path.suffix == ".py"
        hint = f"emit it first: intent2cuda emit {path} -o DIR" if is_kernel else "name an emitted folder"
        why = "a file of kernels" if is_kernel else f"no manifest and no plan: {error}"
        raise refusal("plan.syntax", f"{path} is {why}", hint) from error
    schema = record.get("schema") if isinstance(record, Mapping) else None
    if schema == SCHEMA:
        return Side(str(path), _of_plans(text, str(path)), None, False)
    if isinstance(schema, str) and schema.startswith("intent2cuda.manifest/"):
        manifest = cast(Mapping[str, Any], record)
        emitted = in_folder(path.parent) if path.name == MANIFEST else None
        if emitted is not None and (plans := emitted.read(PLANS)) is not None:
            return Side(str(path), _of_plans(plans, str(path)), emitted, False, _requires(manifest))
        return Side(str(path), _of_manifest(manifest), emitted, True, _requires(manifest))
    raise refusal(
        "plan.syntax", f"{path} is no manifest and no plan", "name an emitted folder, its manifest or its plan"
    )


def _of_plans(text: str, where: str) -> dict[str, KernelPlan]:
    try:
        record = cast(dict[str, Any], parsed(text))
        content = {name: part for name, part in record.items() if name not in ("schema", "version", "digest")}
        if record["schema"] != SCHEMA or record["version"] != VERSION:
            raise ValueError(f"{record['schema']} {record['version']} is not {SCHEMA} {VERSION}")
        if record["digest"] != digest(SCHEMA, canonical(cast(Plain, content))):
            raise ValueError("it was changed after it was emitted")
        return {kernel["name"]: _kernel(kernel) for kernel in content["kernels"]}
    except (RecordError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise refusal(
            "plan.syntax", f"the plan in {where} cannot be read: {error}", "emit the project again"
        ) from error


def _kernel(record: Mapping[str, Any]) -> KernelPlan:
    unknown = set(record) - {"name", "target", "digests", *SECTIONS}
    if unknown:
        raise ValueError(f"it has a section of another version: {', '.join(sorted(unknown))}")
    sections = {section: dict(record[section]) for section in SECTIONS}
    return KernelPlan(record["name"], record["target"], dict(record["digests"]), sections)


def _requires(manifest: Mapping[str, Any]) -> dict[str, str]:
    needs = cast(Mapping[str, Any], {"target": manifest.get("target"), **manifest.get("requires", {})})
    return {name.replace("_per_", "_a_").replace("_", " "): _spoken(need) for name, need in needs.items()}


def _spoken(need: Any) -> str:
    """What is needed as people write it; empty where nothing is."""
    match need:
        case list():
            return ", ".join(_spoken(part) for part in cast(list[Any], need))
        case dict():
            return ", ".join(f"{_spoken(part)} for {name}" for name, part in cast(dict[str, Any], need).items())
        case _:
            return "" if need is None else str(need)


def _of_manifest(manifest: Mapping[str, Any]) -> dict[str, KernelPlan]:
    target = str(manifest.get("target"))
    return {k["name"]: KernelPlan(k["name"], target, dict(k["digests"]), {}) for k in manifest["kernels"]}
