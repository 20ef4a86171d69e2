"""From Kernel IR to the files of a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from intent2cuda import lower, plan
from intent2cuda.base.diagnostics import Diagnostic, Findings, IntentError
from intent2cuda.base.files import LINEAGE, MANIFEST, PLANS
from intent2cuda.base.report import Assurance, Report, report, step
from intent2cuda.emit import ProjectFiles, source_text
from intent2cuda.emit import emit_project as emit_files
from intent2cuda.emit.names import c_prefix
from intent2cuda.ir.digest import kernel_digest
from intent2cuda.machine.unit import KernelUnit
from intent2cuda.machine.verify import Verified
from intent2cuda.parse.limits import with_deep_stack
from intent2cuda.pipeline import lineage, plan_record
from intent2cuda.pipeline.front import Front
from intent2cuda.pipeline.lineage import Compiled
from intent2cuda.pipeline.manifest import layer_digests, manifest_text, project_interface
from intent2cuda.project.emitted import EmittedProject, TargetKind
from intent2cuda.project.runtime import runtime_headers

GENERIC_ARCHITECTURES = ("sm_80", "sm_90a")
"""What a cuda project is built for unless the caller says otherwise."""


def plan_kernel(front: Front, target: TargetKind) -> plan.Planned:
    """All planning layers of one kernel; `cuda-sim` runs what `cuda` runs.

    Raises: IntentError when the target does not cover a construct or cannot run the kernel.
    """
    if front.checked and target != "cpu":
        _refuse_checked(front, target)
    plan.refuse_uncovered(front.kernel, target)
    return with_deep_stack(lambda: plan.plan(front.kernel, "cpu" if target == "cpu" else "cuda"))


def _refuse_checked(front: Front, target: TargetKind) -> NoReturn:
    message = f"there are no checked builds for {target}"
    instead = "cuda-sim checks every access by itself" if target == "cuda-sim" else "check on cpu, or run on cuda-sim"
    raise IntentError([Diagnostic("check.target", message, front.kernel.span, instead)])


def emit_project(
    fronts: Sequence[Front],
    target: TargetKind,
    name: str,
    architectures: Sequence[str] = GENERIC_ARCHITECTURES,
    *,
    is_named: bool = False,
) -> EmittedProject:
    """The complete project of one or more kernels: sources, bindings, build file, used runtime headers, manifest.

    is_named: the caller chose the name; the manifest says so, for those who emit the project again.
    """
    return with_deep_stack(lambda: _project(fronts, target, name, architectures, is_named))


def _project(
    fronts: Sequence[Front], target: TargetKind, name: str, architectures: Sequence[str], is_named: bool
) -> EmittedProject:
    planned = [plan_kernel(front, target) for front in fronts]
    programs = tuple(program_of(front, made) for front, made in zip(fronts, planned, strict=True))
    units = tuple(program.unit for program in programs)
    _refuse_clashes(name, fronts, units)
    project = emit_files(name, programs, tuple(architectures) if target != "cpu" else ())
    compiled = [
        Compiled(front, made, unit, path, places)
        for front, made, unit, (path, places) in zip(fronts, planned, units, project.places.items(), strict=True)
    ]
    runtime = runtime_headers(project.files.values(), simulation=target == "cuda-sim")
    digests = [layer_digests(each) for each in compiled]
    diagnostics = {
        LINEAGE: lineage.text(compiled, _roles(project)),
        PLANS: plan_record.text(compiled, digests),
    }
    files = dict(sorted((project.files | runtime | diagnostics).items()))
    interfaces = tuple(project_interface(name, u) for u in units)
    text, record = manifest_text(
        name, target, tuple(architectures), compiled, digests, project.sources, files, is_named=is_named
    )
    return EmittedProject(
        name=name,
        target=target,
        files=dict(sorted((files | {MANIFEST: text}).items())),
        manifest=record,
        sources=project.sources,
        interfaces=interfaces,
        architectures=tuple(architectures) if target != "cpu" else (),
    )


def program_of(front: Front, planned: plan.Planned) -> Verified:
    """The program of a plan that nobody changed, verified, and made from that plan and no other."""
    options = lower.LowerOptions(kernel_digest(front.kernel), front.origin, planned.bound.identities)
    return step(
        planned,
        lambda found: lower.lower(found.concrete, options),
        before=lambda found: plan.sealed_report(found.concrete, found.bound.identities, found.portable),
        after=lambda program: program.report,
        between=_one_plan,
    )


def _one_plan(planned: plan.Planned, program: Verified) -> Report:
    """There is one plan: the program is made from it."""
    made_from, concrete = dict(program.unit.digests).get("concrete", ""), planned.concrete.digest
    wrong = Diagnostic(
        "trace.second_schedule", f"made from {made_from[:12]}, the plan is {concrete[:12]}", subject=planned.kernel.name
    )
    return report(Assurance.CONSERVATION, () if made_from == concrete else (wrong,))


def _roles(project: ProjectFiles) -> dict[str, str]:
    """What the files are that hold neither a kernel nor a part of the runtime."""
    others = (path for path in project.files if path not in project.places)
    return {path: "build" if path.startswith(("CMakeLists.txt", "cmake/")) else "interface" for path in others}


def _refuse_clashes(project: str, fronts: Sequence[Front], units: Sequence[KernelUnit]) -> None:
    """Raises IntentError for kernels whose functions would have one name."""
    findings = Findings()
    seen: dict[str, str] = {}
    for front, unit in zip(fronts, units, strict=True):
        kernel = front.kernel
        name = c_prefix(project, unit.interface.cpp_name)
        names = (name, f"{name}_workspace") if unit.interface.has_workspace else (name,)
        others = {seen.setdefault(each, kernel.name) for each in names} - {kernel.name}
        for other in sorted(others):
            message = f"the kernels `{other}` and `{kernel.name}` would have the same name in C++"
            findings.error("emit.name.clash", message, kernel.span, "rename one of them, or emit them one by one")
    findings.stop_on_errors()


def machine_text(front: Front, target: TargetKind) -> str:
    """The machine program of a kernel as it will be printed."""
    return with_deep_stack(lambda: source_text(front.kernel.name, program_of(front, plan_kernel(front, target))))
