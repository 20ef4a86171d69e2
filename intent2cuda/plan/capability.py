"""What a kernel needs of an architecture, matched to what the profile says: a proof for each need, or a refusal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import AtomicLoad, AtomicStore, AtomicUpdate, Combiner, CompareExchange, ScatterReduce
from intent2cuda.plan.choosing import ImplementationPolicy
from intent2cuda.plan.effects import ATOMICS, Atomic
from intent2cuda.plan.policies import TargetRequirements
from intent2cuda.plan.portable import Capability, PlanTask
from intent2cuda.plan.report import Proof
from intent2cuda.target.deployment import Deployment
from intent2cuda.target.profile import CudaProfile, Profile, kind_of
from intent2cuda.types.value_type import ViewType

INDEX_BITS = 64
"""Coordinates, extents and strides are passed in so many bits."""


@dataclass(frozen=True)
class Verdict:
    """`rule` says how a need is met; `why` says that it is not."""

    rule: str = ""
    why: str = ""


def check_requirements(required: TargetRequirements, target: Profile, deployment: Deployment) -> None:
    """Raises IntentError with each requirement that target or machine do not meet."""
    have = deployment.fact("devices") or 1
    memory = deployment.fact("memory.bytes")
    found: list[str] = []
    if required.devices > have:
        found.append(f"{required.devices} devices are asked for, {deployment.name} has {have}")
    if memory is not None and required.memory_bytes > memory:
        found.append(f"{required.memory_bytes} B of memory are asked for, {deployment.name} has {memory} B")
    known = {*target.arithmetic.native, *target.arithmetic.converted}
    for dtype in required.dtypes:
        if dtype not in known:
            found.append(f"arithmetic in {dtype} is asked for, {target.name} only stores it")
    for name in required.collectives:
        found.append(f"{name} is asked for, {target.name} is one device and has none")
    if found:
        raise IntentError(Diagnostic("gate.requirements.unmet", each) for each in found)


def prove_abi(target: Profile, deployment: Deployment) -> tuple[Proof, ...]:
    """That compiled kernels and their callers agree.

    Raises: IntentError when code for the target cannot run there or be called.
    """
    abi, capability = target.abi, deployment.fact("capability")
    wrong: list[str] = []
    if deployment.target != kind_of(target):
        wrong.append(f"{deployment.name} runs {deployment.target}, {target.name} is {kind_of(target)}")
    if abi.index_bits != INDEX_BITS or abi.pointer_bits != INDEX_BITS:
        wrong.append(f"{abi.name} passes {abi.index_bits}-bit coordinates, kernels take {INDEX_BITS} bits")
    if capability is not None and capability < abi.capability:
        wrong.append(f"{target.name} needs compute capability {abi.capability}, {deployment.name} has {capability}")
    if wrong:
        raise IntentError(Diagnostic("gate.abi.incompatible", each) for each in wrong)
    return (
        Proof("coordinates, extents and strides", f"{INDEX_BITS} bits in {abi.name}"),
        Proof("language", abi.language),
        Proof("runtime", f"{abi.runtime} {abi.runtime_minimum} or later"),
        *((Proof("compute capability", f"{abi.capability} or higher"),) if abi.capability else ()),
    )


def prove_capabilities(
    kernel: Kernel, tasks: Sequence[PlanTask], target: Profile, policy: ImplementationPolicy
) -> tuple[Proof, ...]:
    """A proof for each need of each task.

    Raises: IntentError with each need that the target or the policy does not meet.
    """
    proofs: list[Proof] = []
    refused: list[Diagnostic] = []
    for subject, capability, op in [*_of_tasks(tasks), *_of_atomics(kernel)]:
        tried = [(other, _verdict(capability.need, other, target)) for other in capability.alternatives]
        met = [(other, v) for other, v in tried if v.rule and other not in policy.declined]
        if met:
            proofs.append(Proof(f"{subject}: {capability.need}", f"{met[0][0]}: {met[0][1].rule}"))
            continue
        considered = tuple(f"{other}: {v.why or 'the policy declines it'}" for other, v in tried)
        message = f"{target.name} has no {capability.need} for {subject}"
        span = op.span if op else kernel.span
        refused.append(Diagnostic("gate.capability.unsupported", message, span, subject=subject, considered=considered))
    if refused:
        raise IntentError(refused)
    return tuple(dict.fromkeys(proofs))


def _of_tasks(tasks: Sequence[PlanTask]) -> Iterator[tuple[str, Capability, Op | None]]:
    for task in tasks:
        yield from ((task.id, capability, None) for capability in task.capabilities)


def _of_atomics(kernel: Kernel) -> Iterator[tuple[str, Capability, Op | None]]:
    """What each atomic access asks of the memory."""
    for op in walk(kernel.body):
        if isinstance(op, ATOMICS) and isinstance(op.resource.type, ViewType):
            need = f"atomic {_update(op)} {op.resource.type.dtype} {_order(op)}"
            yield f"the access of {op.resource.name}", Capability(need, ("indivisible access",)), op


def _update(op: Atomic) -> str:
    match op:
        case AtomicUpdate():
            return op.update.value
        case ScatterReduce():
            return {Combiner.MAXIMUM: "max", Combiner.MINIMUM: "min"}.get(op.combiner, "add")
        case AtomicLoad() | AtomicStore() | CompareExchange():
            return "exchange"


def _order(op: Atomic) -> str:
    return "relaxed" if isinstance(op, ScatterReduce) else op.order.value


def _verdict(need: str, alternative: str, target: Profile) -> Verdict:
    """Whether one way of meeting a need is there."""
    kind, *words = need.split(" ")
    match kind, alternative:
        case "arithmetic", "native":
            native = words[0] in target.arithmetic.native
            return Verdict(rule="arithmetic of the architecture") if native else Verdict(why=f"{target.name} has none")
        case "arithmetic", _:
            stored = "converted where it is computed with" if words[0] in target.arithmetic.stored else ""
            converted = "converted to f32 and rounded back" if words[0] in target.arithmetic.converted else ""
            found = stored or converted
            return Verdict(rule=found) if found else Verdict(why="it is native")
        case "contract", "matrix product":
            return _matrix(words[0], target)
        case "contract", _:
            fma = "fma" in target.instructions
            return (
                Verdict(rule="fused multiply-add") if fma else Verdict(why=f"{target.name} has no fused multiply-add")
            )
        case "atomic", _:
            return _atomic(words, target)
        case (("segments" | "scan"), _):
            return Verdict(rule="members keep their order, on every target")
        case (("reduce" | "greatest" | "histogram" | "scatter"), _):
            return Verdict(rule="any order of members, on every target")
        case _:
            return Verdict(rule="plain arithmetic, on every target")


def _matrix(kinds: str, target: Profile) -> Verdict:
    units = target.matrix if isinstance(target, CudaProfile) else ()
    for unit in units:
        if kinds == f"{unit.inputs}*{unit.inputs}->{unit.accumulator}":
            return Verdict(rule=f"instruction {unit.name}")
    return Verdict(why=f"{target.name} has no matrix instruction for {kinds}")


def _atomic(words: Sequence[str], target: Profile) -> Verdict:
    update, dtype, order = words
    have = target.atomics
    for word, known in ((dtype, have.dtypes), (order, have.orders), (update, have.updates)):
        if word not in known:
            return Verdict(why=f"{target.name} has no atomic access of {word}")
    scope = "device" if "device" in have.scopes else have.scopes[-1]
    return Verdict(rule=f"{update} of {dtype}, order {order}, scope {scope}")
