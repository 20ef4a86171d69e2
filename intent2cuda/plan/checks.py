"""What the launcher verifies before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.conditions import stretched
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Broadcast, RequireEqual
from intent2cuda.plan.concrete import HostCheck, OneOrEqual
from intent2cuda.plan.roots import named_scalars


def host_checks(kernel: Kernel) -> tuple[HostCheck | OneOrEqual, ...]:
    """Conditions on extents and scalars of the call, in program order, without repeats."""
    return tuple(dict.fromkeys(_checks(kernel)))


def known_at_call(kernel: Kernel, *expressions: IntExpr) -> bool:
    """Whether expressions mention nothing but extents of the signature and scalar parameters."""
    parameters = {parameter.serial for parameter in kernel.parameters}
    return parameters.issuperset(named_scalars(expressions))


def _checks(kernel: Kernel) -> Iterator[HostCheck | OneOrEqual]:
    for op in walk(kernel.body):
        match op:
            case RequireEqual() if known_at_call(kernel, op.lhs, op.rhs):
                yield HostCheck("shape", op.lhs, "==", op.rhs, op.text)
            case Broadcast():
                for axis in op.guarded:
                    extent, to = stretched(op, axis)
                    if known_at_call(kernel, extent, to):
                        yield OneOrEqual(extent, to, f"an axis of extent {extent} must have extent 1 or {to}")
            case _:
                pass
