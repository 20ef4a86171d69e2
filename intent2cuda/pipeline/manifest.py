"""MANIFEST.json: what a project was made from, what it needs, and what every file must hash to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from intent2cuda.base.codec import Plain
from intent2cuda.emit.names import c_prefix, last_error
from intent2cuda.machine.unit import Direction, InterfaceParameter, KernelUnit
from intent2cuda.pipeline.front import Front
from intent2cuda.project.emitted import TargetKind
from intent2cuda.project.interface import AliasRelation, AliasRule, Interface, Parameter
from intent2cuda.version import VERSION

SCHEMA = "intent2cuda.manifest/0"


def manifest_text(
    name: str,
    target: TargetKind,
    architectures: tuple[str, ...],
    fronts: Sequence[Front],
    units: Sequence[KernelUnit],
    files: Mapping[str, str],
) -> tuple[str, Mapping[str, Plain]]:
    """The text of the manifest and its content; nothing in it depends on time, host, or folder."""
    record: dict[str, Plain] = {
        "schema": SCHEMA,
        "project": name,
        "target": target,
        "requires": _requires(target, architectures),
        "runtime_libraries": ["CUDA runtime >= 12.0"] if target != "cpu" else ["OpenMP >= 4.0 (optional)"],
        "producers": {"intent2cuda": VERSION},
        "kernels": [_kernel(name, f, u) for f, u in zip(fronts, units, strict=True)],
        "sources": {o: _sha256(s.text) for f in fronts for o, s in zip(f.origins, f.sources, strict=True)},
        "files": {path: _sha256(text) for path, text in sorted(files.items())},
    }
    return json.dumps(record, indent=2) + "\n", record


def project_interface(project: str, unit: KernelUnit) -> Interface:
    """How the host calls the compiled kernel of a project."""
    interface = unit.interface
    return Interface(
        name=interface.name,
        parameters=tuple(_parameter(p) for p in interface.parameters),
        alias_rules=tuple(AliasRule(o.written, o.other, _relation(o.rule)) for o in interface.overlaps),
        symbol=f"{c_prefix(project, interface.cpp_name)}_call",
        last_error_symbol=last_error(project),
        workspace_symbol=f"{c_prefix(project, interface.cpp_name)}_workspace_call" if interface.has_workspace else "",
    )


def _relation(rule: str) -> AliasRelation:
    return "disjoint" if rule == "disjoint" else "same_or_disjoint"


def _parameter(p: InterfaceParameter) -> Parameter:
    if p.direction is Direction.SCALAR:
        return Parameter(p.name, "scalar", p.dtype.name)
    return Parameter(p.name, p.direction.value, p.dtype.name, p.dims, p.strides or (), p.alias, p.noalias)


def _requires(target: TargetKind, architectures: tuple[str, ...]) -> Plain:
    if target == "cpu":
        return {"language": "C++17"}
    return {"language": "CUDA C++17", "architectures": list(architectures)}


def _kernel(project: str, front: Front, unit: KernelUnit) -> Plain:
    interface = unit.interface
    return {
        **project_interface(project, unit).record(),
        "cpp_function": f"{project}::{interface.cpp_name}",
        "source": interface.source,
        "line": interface.line,
        "constexprs": dict(front.kernel.constexprs),
        "given": list(front.given),
        "digests": dict(unit.digests),
        **_obligations(front),
    }


def _obligations(front: Front) -> dict[str, Plain]:
    """What could be neither proved nor refuted and the author answers for, if there is any."""
    rows: list[Plain] = [
        {"code": d.code, "line": d.line, "subject": d.subject, "message": d.message} for d in front.obligations
    ]
    return {"obligations": rows} if rows else {}


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
