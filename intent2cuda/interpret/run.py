"""Runs a kernel on NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from intent2cuda.base.intexpr import IntExpr, evaluate, symbols
from intent2cuda.interpret.checks import Checks
from intent2cuda.interpret.faults import DTYPE, SHAPE, fault
from intent2cuda.interpret.machine import Machine
from intent2cuda.interpret.memory import require_equal
from intent2cuda.interpret.state import State
from intent2cuda.ir.conditions import equality, stretch, stretched
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Broadcast, RequireEqual
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import NUMPY
from intent2cuda.types.value_type import TensorType, ViewType

CHECKED_SEED = 0


def run(kernel: Kernel, arguments: Mapping[str, Any], checked: bool = False, seed: int | None = None) -> None:
    """Executes a kernel and writes into its Out and InOut arrays.

    arguments: by parameter name a NumPy array of any strides for each view and a number for each scalar.
    checked: also finds reads of unwritten elements, destinations hit twice, races, and parts outside their domain.
    seed: draws what the language leaves open: the order of the points of parallel loops, also of the atomics among
    them, and the slices of region operations. A checked run without a seed takes 0, another one goes in order.
    Raises IntentError: `call.dtype` for an array of another dtype, `call.shape` for extents that do not agree (where
    the call alone shows it, nothing is written), `run.bounds` for positions outside an array, and in checked runs the
    other codes of `faults`.
    """
    drawn = CHECKED_SEED if checked and seed is None else seed
    state = State(dims_of(kernel, arguments), None if drawn is None else np.random.default_rng(drawn))
    for parameter in kernel.parameters:
        given = arguments[parameter.name]
        if isinstance(parameter.type, TensorType):
            given = np.asarray(given).astype(NUMPY[parameter.type.dtype])
        state.define(parameter, given, None)
    with np.errstate(all="ignore"):
        check_call(kernel, state)
        checks = Checks((p, state.raw(p).array) for p in kernel.parameters) if checked else None
        Machine(state, checks).run(kernel.body, None)


def dims_of(kernel: Kernel, arguments: Mapping[str, Any]) -> dict[str, int]:
    """The extents that the arrays give to the symbols of the signature. Raises IntentError when they disagree."""
    dims: dict[str, int] = {}
    for parameter in kernel.parameters:
        if not isinstance(parameter.type, ViewType):
            continue
        given, dtype = arguments[parameter.name], NUMPY[parameter.type.dtype]
        if given.dtype != dtype:
            fault(DTYPE, f"{parameter.name} holds {given.dtype}; the kernel takes {dtype}", parameter.span)
        if given.ndim != len(parameter.type.shape):
            rank = len(parameter.type.shape)
            fault(SHAPE, f"{parameter.name} has {given.ndim} axes; the kernel takes {rank}", parameter.span)
        for axis, (wanted, extent) in enumerate(zip(parameter.type.shape, given.shape, strict=True)):
            _bind(parameter, axis, wanted, extent, dims)
    return dims


def _bind(parameter: Value, axis: int, wanted: IntExpr, extent: int, dims: dict[str, int]) -> None:
    symbol = wanted.as_symbol
    known = evaluate(wanted, {}) if symbol is None else dims.setdefault(symbol.name, extent)
    if known != extent:
        text = f"axis {axis} of {parameter.name} has {extent}; {wanted} is {known} in this call"
        fault(SHAPE, text, parameter.span)


def check_call(kernel: Kernel, state: State) -> None:
    """Checks the conditions on extents that are made of the call's extents and scalars, before anything runs."""
    known = {0, *(parameter.serial for parameter in kernel.parameters)}

    def is_known(*expressions: IntExpr) -> bool:
        return all(symbol.serial in known for expression in expressions for symbol in symbols(expression))

    for op in walk(kernel.body):
        if isinstance(op, RequireEqual) and is_known(op.lhs, op.rhs):
            require_equal(op, state, None, equality(kernel, op))
        if isinstance(op, Broadcast):
            for axis in op.guarded:
                sides = stretched(op, axis)
                if is_known(*sides):
                    source, target = (state.extent(side, None) for side in sides)
                    if source not in (1, target):
                        fault(SHAPE, f"{stretch(kernel, op, axis)}: {source} and {target}", op)
