"""A concrete plan as a kernel unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from intent2cuda.ir.value import Value
from intent2cuda.lower import inspections
from intent2cuda.lower.definitions import Definitions
from intent2cuda.lower.described import plan_line, tensor_lines
from intent2cuda.lower.extents import Extents
from intent2cuda.lower.grid import launch_statements
from intent2cuda.lower.headers import headers
from intent2cuda.lower.interface import interface, parameter_names, parameters, workspace_name
from intent2cuda.lower.launcher import Launcher
from intent2cuda.lower.promised import promise_of
from intent2cuda.lower.routines import names_of_routines
from intent2cuda.lower.stages import lower_stages
from intent2cuda.lower.workspaces import WORKSPACE, declare_arrays, workspace_buffers, workspace_function
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.exceptions import contained
from intent2cuda.machine.expressions import Call, Name
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.routines import DENSE, dense_template, with_routines
from intent2cuda.machine.statements import Evaluate, Statement
from intent2cuda.machine.tidy import tidy, without_detours
from intent2cuda.machine.types import Named
from intent2cuda.machine.unit import Function, FunctionKind, KernelUnit, Parameter
from intent2cuda.machine.verify import Verified, verified
from intent2cuda.machine.walk import mentioned, nodes
from intent2cuda.plan.concrete import ConcretePlan, UnitAxis
from intent2cuda.plan.identity import Identities


@dataclass(frozen=True)
class LowerOptions:
    """`kernel_digest` is that of the Kernel IR, for the head of the file. `identities` are those of the plan's kernel,
    where they are at hand. `source`: what the head calls the author's file; its path where nothing is given."""

    kernel_digest: str = ""
    source: str = ""
    identities: Identities | None = None


def lower(plan: ConcretePlan, options: LowerOptions = LowerOptions()) -> Verified:
    """The kernel, its launcher and its interface, verified against the plan.

    Raises: InternalError when the plan cannot be spelled out, or the program is not what it says.
    """
    identities = options.identities or Identities(plan.kernel)
    return verified(_unit(plan, options, identities), promise_of(plan, identities))


def _unit(plan: ConcretePlan, options: LowerOptions, identities: Identities) -> KernelUnit:
    names = parameter_names(plan.kernel)
    extents = Extents(names)
    writer = Writer(plan, Definitions(plan.kernel), names, extents, identities)
    declare_arrays(writer)
    lower_stages(writer, plan.stages)
    *routines, kernel = _kernel(plan, writer, names)
    launcher = _launcher(plan, names, Launcher(plan, names, extents, identities, writer.sizes), (*routines, kernel))
    workspace = _workspace(plan, names, Launcher(plan, names, extents, identities, writer.sizes))
    functions = (*routines, kernel, launcher, *workspace)
    used = {name for function in functions for name in _names(function)}
    constants = tuple(constant for constant in writer.constants.values() if constant.name in used)
    needed = headers(plan.target, functions, constants)
    described = interface(plan, names, has_workspace=bool(workspace_buffers(plan)))
    return KernelUnit(
        interface=replace(described, source=options.source or described.source),
        target=plan.target,
        plan_line=plan_line(plan),
        constants=constants,
        assertions=(),
        functions=functions,
        tags=tuple(writer.tags),
        headers=needed.runtime,
        system=needed.system,
        digests=tuple(
            (layer, digest)
            for layer, digest in (
                ("kir", options.kernel_digest),
                ("portable", plan.origin.portable),
                ("concrete", plan.digest),
            )
            if digest
        ),
        abi=next(c.implementation.abi for c in plan.coordination.commands if c.implementation is not None),
    )


def _kernel(plan: ConcretePlan, writer: Writer, names: dict[Value, str]) -> tuple[Function, ...]:
    """The kernel, behind the functions that it calls."""
    name = identifier(plan.kernel.name)
    versions = writer.blocks.versions
    own = parameters(names)
    taken = {parameter.name for parameter in own}
    everything = (*own, *(p for p in (WORKSPACE, inspections.FAULTS) if p.name not in taken))
    body, routines = with_routines(
        tidy(tuple(writer.blocks.open[0].statements), versions),
        everything,
        names_of_routines(plan, writer.tracing.identities),
        lambda routine: derived(name, identifier(routine)),
    )
    called = {routine.name for routine in routines}
    body = without_detours(tidy(body, versions) if routines else body, versions, called)
    routines = tuple(replace(r, body=without_detours(r.body, versions, called)) for r in routines)
    used = mentioned(body)
    kernel = Function(
        kind=FunctionKind.KERNEL,
        result=Named("void"),
        name=derived(name, "kernel"),
        parameters=tuple(p for p in everything if p.name in used),
        body=body,
        template=dense_template(body),
        comment=tensor_lines(plan),
        launch_bounds=writer.launch_bounds() if writer.cuda else (),
    )
    return contained((*routines, kernel))


def _names(function: Function) -> Iterator[str]:
    """What a function names: in its body, in the arguments of templates, and in the bounds of its launch."""
    yield from mentioned(function.body)
    yield from function.launch_bounds
    for node in nodes(function.body):
        if isinstance(node, Call):
            yield from (argument for argument in node.template if isinstance(argument, str))


def _launcher(
    plan: ConcretePlan, names: dict[Value, str], launcher: Launcher, functions: tuple[Function, ...]
) -> Function:
    kernel = functions[-1]
    launcher.checks()
    if workspace_buffers(plan):
        launcher.workspace(workspace_name(plan.kernel))
    arguments = tuple(map(inspections.argument, kernel.parameters))
    shape = tuple(Name(name) for name in launch_statements(launcher, plan)) if plan.target == "cuda" else ()

    def call(instance: str) -> Statement:
        if plan.target == "cuda":
            return Evaluate(Call("intent::launch", (Name(kernel.name + instance), *shape, Name("stream"), *arguments)))
        return Evaluate(Call(kernel.name + instance, arguments))

    for statement in inspections.begin(plan.kernel):
        launcher.append(statement)
    launcher.dispatch(_assumed(plan, names, functions), call)
    for statement in inspections.end(plan.kernel):
        launcher.append(statement)
    launcher.touch_unused("the kernel does not use")
    extras = (Parameter(Named("cudaStream_t"), "stream"),) if plan.target == "cuda" else ()
    if workspace_buffers(plan):
        extras = (*extras, WORKSPACE)
    return Function(
        kind=FunctionKind.LAUNCHER,
        result=Named("void"),
        name=identifier(plan.kernel.name),
        parameters=(*parameters(names), *extras),
        body=tidy(tuple(launcher.blocks.open[0].statements), {}),
    )


def _workspace(plan: ConcretePlan, names: dict[Value, str], launcher: Launcher) -> tuple[Function, ...]:
    return (workspace_function(plan, launcher, parameters(names)),) if workspace_buffers(plan) else ()


def _assumed(plan: ConcretePlan, names: dict[Value, str], functions: tuple[Function, ...]) -> tuple[UnitAxis, ...]:
    """The axes along which the dense instance really takes the stride for 1."""
    bodies = tuple(function.body for function in functions)
    lines = [node for node in nodes(bodies) if isinstance(node, Call) and DENSE in node.template and node.args]
    used = {(line.args[0], line.template[0]) for line in lines}
    return tuple(unit for unit in plan.unit_axes if (Name(names[unit.view]), str(unit.axis)) in used)
