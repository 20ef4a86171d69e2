"""MANIFEST.json: what a project was made from, what it needs, and what every file must hash to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from intent2cuda.base.codec import Plain
from intent2cuda.base.files import LINEAGE
from intent2cuda.base.rows import in_rows
from intent2cuda.emit.names import c_prefix, last_error
from intent2cuda.ir.digest import kernel_digest
from intent2cuda.ir.inspections import sentences
from intent2cuda.machine.digest import machine_digest
from intent2cuda.machine.unit import Direction, InterfaceParameter, KernelUnit
from intent2cuda.pipeline.front import Front
from intent2cuda.pipeline.lineage import Compiled
from intent2cuda.plan.portable import facts_digest
from intent2cuda.plan.schedules import CudaKernelSchedule
from intent2cuda.project.emitted import TargetKind
from intent2cuda.project.interface import AliasRelation, AliasRule, Interface, Parameter
from intent2cuda.project.manifest import ABI, SCHEMA, sealed
from intent2cuda.project.requirements import Requirements
from intent2cuda.target.profile import CpuProfile, profile
from intent2cuda.version import VERSION

_DEPTH = 4
_PYBIND11 = "2.13"


def manifest_text(
    name: str,
    target: TargetKind,
    architectures: tuple[str, ...],
    compiled: Sequence[Compiled],
    digests: Sequence[Mapping[str, str]],
    sources: Sequence[str],
    files: Mapping[str, str],
    *,
    is_named: bool,
) -> tuple[str, Mapping[str, Plain]]:
    """The text of the manifest and its content; nothing in it depends on time, host, or folder.

    `digests`: for each kernel those of its layers. `sources`: the files that are compiled, kernels first.
    `is_named`: the name is a caller's, not made from the kernels.
    """
    record: dict[str, Plain] = {
        "schema": SCHEMA,
        "project": name,
        **({"named": True} if is_named else {}),
        "target": target,
        "requires": _requires(target, architectures, compiled).record(),
        "abi": {**asdict(profile(target).abi), "c": dict(ABI)},
        "runtime_libraries": _libraries(target),
        "producers": dict.fromkeys(("analysis", "planner", f"target {target}", "emitter"), VERSION),
        "kernels": [_kernel(name, *pair) for pair in zip(compiled, digests, strict=True)],
        "symbols": {symbol: row for kernel in compiled for symbol, row in _symbols(name, kernel).items()},
        "sources": {
            o: _sha256(s.text) for k in compiled for o, s in zip(k.front.origins, k.front.sources, strict=True)
        },
        "translation_units": list(sources),
        "lineage": {"path": LINEAGE, "sha256": _sha256(files[LINEAGE]), "detachable": True},
        "files": {path: _sha256(text) for path, text in sorted(files.items())},
    }
    whole = sealed(record)
    return in_rows(whole, _DEPTH), whole


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


def _requires(target: TargetKind, architectures: tuple[str, ...], compiled: Sequence[Compiled]) -> Requirements:
    """The least machine: what the code is compiled for, and the largest block that it launches."""
    found = profile(target)
    if isinstance(found, CpuProfile):
        return Requirements("C++17", {"x86_64": found.isa})
    schedules = [kernel.planned.concrete.schedule for kernel in compiled]
    blocks = [schedule for schedule in schedules if isinstance(schedule, CudaKernelSchedule)]
    return Requirements(
        language="CUDA C++17",
        architectures=architectures,
        driver=found.abi.runtime_minimum,
        threads_per_block=max((block.launch.threads for block in blocks), default=0),
        shared_bytes_per_block=max((block.shared_bytes for block in blocks), default=0),
    )


def _libraries(target: TargetKind) -> list[Plain]:
    """What CMake links: to the library, then to the Python module."""
    abi = profile(target).abi
    own: Plain = {"name": abi.runtime, "minimum": abi.runtime_minimum, "optional": target == "cpu"}
    return [own, {"name": "pybind11", "minimum": _PYBIND11, "optional": True}]


def _kernel(project: str, compiled: Compiled, digests: Mapping[str, str]) -> Plain:
    front, unit = compiled.front, compiled.unit
    return {
        **project_interface(project, unit).record(),
        "cpp_function": f"{project}::{unit.interface.cpp_name}",
        "source": unit.interface.source,
        "line": unit.interface.line,
        "constexprs": dict(front.kernel.constexprs),
        "given": list(front.given),
        "guards": list(compiled.guards),
        **_obligations(front),
        **_inspections(front),
        "digests": dict(digests),
    }


def layer_digests(compiled: Compiled) -> dict[str, str]:
    """The digest of each layer of a kernel, and of what its tasks compute and move."""
    planned = compiled.planned
    return {
        "kir": kernel_digest(compiled.front.kernel),
        "facts": facts_digest(planned.portable.facts),
        "worksets": planned.worksets.digest,
        "planset": planned.planset.digest,
        "portable": planned.portable.digest,
        "concrete": planned.concrete.digest,
        "machine": machine_digest(compiled.unit),
    }


def _obligations(front: Front) -> dict[str, Plain]:
    """What could be neither proved nor refuted and the author answers for, if there is any."""
    rows: list[Plain] = [
        {"code": d.code, "line": d.line, "subject": d.subject, "message": d.message} for d in front.obligations
    ]
    return {"obligations": rows} if rows else {}


def _inspections(front: Front) -> dict[str, Plain]:
    """What a checked kernel looks at while it runs; `{}` stand for the numbers of a call."""
    rows: list[Plain] = [
        {"code": f"run.{each.rule.value}", "line": each.line, "message": each.text} for each in sentences(front.kernel)
    ]
    return {"checked": rows} if front.checked else {}


def _symbols(project: str, compiled: Compiled) -> dict[str, Plain]:
    """The functions by which a kernel is called or seen by a profiler, and the launch that each is."""
    unit = compiled.unit
    row = {
        "kernel": unit.interface.name,
        "command": compiled.command,
        "concrete": compiled.planned.concrete.digest,
    }
    c_name = c_prefix(project, unit.interface.cpp_name)
    functions = [f"{project}::{function.name}" for function in unit.functions]
    return dict.fromkeys((f"{c_name}_run", f"{c_name}_call", *functions), row)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
