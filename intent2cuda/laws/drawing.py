"""Random trials: extents, the values that an operation depends on, then what a law speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.base.intexpr import Symbol, evaluate
from intent2cuda.interpret.part import Part
from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import NUMPY, Array
from intent2cuda.laws.equations import Law, region_of
from intent2cuda.laws.portions import Draw, Portions
from intent2cuda.laws.setting import Entry, Setting, Step
from intent2cuda.laws.trial import Trial
from intent2cuda.types.dtype import INDEX, DType

COORDINATES = st.integers(0, 4)  # index scalars bound loops and parts
COUNTS = st.integers(1, 4)  # other integer scalars may also be divisors
NUMBERS = st.integers(-8, 8).map(float) | st.integers(-32, 32).map(lambda n: n / 4)
SPECIAL = st.sampled_from([float("nan"), float("inf"), -float("inf")])
ELEMENTS = 1 << 16  # more in one value is not tried
EACH_DRAWN = 48  # elements of a value up to which each is drawn by itself


def trials(setting: Setting, law: Law, longest: int, special: bool) -> st.SearchStrategy[Trial]:
    """Trials of one law with extents up to `longest`. With `special`, NaN and infinities are among the floats."""

    @st.composite
    def drawn(draw: Draw) -> Trial:
        part = Part(_extents(draw, setting, law.parts, longest))
        trial = Trial(setting.op, part)
        try:
            for step in setting.steps:
                _take(draw, step, part, law.parts, special)
            Portions(draw, trial).give(law)
        except IntentError:
            assume(False)
        return trial

    return drawn()


def _take(draw: Draw, step: Step, part: Part, parts: int, special: bool) -> None:
    """Makes one step. Slices of operations around are at least as long as there are parts to take from them."""
    match step:
        case Value():
            part.define(step, _value(draw, step, part, special))
        case Entry(op, role):
            arguments = Portions(draw, Trial(op, part)).arguments(role, parts)
            for argument, array in zip(region_of(op, role).args, arguments, strict=True):
                part.define(argument, array)
        case Op():
            part.perform(step)


def _extents(draw: Draw, setting: Setting, parts: int, longest: int) -> Mapping[str, int]:
    """Extents for the symbols that meet the conditions between them; equal ones are drawn once.

    What the operation works along has room for `parts` parts.
    """
    drawn: dict[str, int] = {}
    names = {name: name for name in setting.dims}
    for op in setting.required:
        left, right = op.lhs.as_symbol, op.rhs.as_symbol
        if left is not None and right is not None:
            old, new = names[right.name], names[left.name]
            names |= {name: new for name, shared in names.items() if shared == old}
    cut = {names[name] for name in setting.cut}
    for name in dict.fromkeys(names.values()):
        drawn[name] = draw(st.integers(parts if name in cut else 1, longest))
    drawn |= {name: drawn[shared] for name, shared in names.items()}
    known = {Symbol(name): extent for name, extent in drawn.items()}
    assume(all(evaluate(op.lhs, known) == evaluate(op.rhs, known) for op in setting.required))
    return drawn


def _value(draw: Draw, value: Value, part: Part, special: bool) -> Array:
    dtype, shape = value.tensor.dtype, part.extents(value.tensor.shape)
    assume(prod(shape) <= ELEMENTS)
    if not shape:
        return np.asarray(draw(_elements(dtype, special, scalar=True))).astype(NUMPY[dtype])
    wide = np.dtype(np.float64) if dtype.is_float else NUMPY[dtype]
    elements = _elements(dtype, special, scalar=False)
    fill = st.nothing() if prod(shape) <= EACH_DRAWN else elements
    return draw(arrays(wide, shape, elements=elements, fill=fill)).astype(NUMPY[dtype])


def _elements(dtype: DType, special: bool, scalar: bool) -> st.SearchStrategy[Any]:
    if dtype.is_bool:
        return st.booleans()
    if dtype.is_float:
        return NUMBERS | SPECIAL if special else NUMBERS
    if scalar:
        return COORDINATES if dtype == INDEX else COUNTS
    low, high = dtype.integer_range
    return st.integers(max(low, -4), 4) | st.integers(low, high)
