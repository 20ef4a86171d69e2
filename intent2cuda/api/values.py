"""Arguments written as text, for the command line: numbers, files, and arrays made on the spot."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import numpy as np

from intent2cuda.api.arrays import Array, numpy_dtype
from intent2cuda.api.errors import ArgumentError
from intent2cuda.project.interface import Interface, Parameter

_MADE = re.compile(r"(random|zeros|ones|range)\(([0-9, ]*)\)")

_MAGIC = b"\x93NUMPY"
_FORMS = "write @file.npy, a JSON list, or random, zeros, ones or range with whole numbers, as in ones(4,5)"


def inputs_of(interface: Interface, texts: Mapping[str, str]) -> list[object]:
    """A value for each parameter that is no output, in order.

    A text is a number, `@file.npy`, a JSON list, or `random`, `zeros`, `ones` or `range` with a shape: `ones(4,5)`.

    Raises:
        ArgumentError: a parameter has no text, a text no parameter, or cannot be read.
    """
    wanted = [p for p in interface.parameters if p.kind != "out"]
    unknown = sorted(set(texts) - {p.name for p in wanted})
    if unknown:
        raise ArgumentError(f"{interface.name} has no input `{unknown[0]}`; it has {', '.join(p.name for p in wanted)}")
    missing = [p.name for p in wanted if p.name not in texts]
    if missing:
        raise ArgumentError(
            f"{interface.name}: say a value for `{missing[0]}`, such as {missing[0]}={_example(wanted, missing[0])}"
        )
    return [_value(p, texts[p.name], i) for i, p in enumerate(wanted)]


def describe(array: Array) -> str:
    """dtype, shape, and the range of the elements."""
    head = f"{array.dtype} {list(array.shape)}"
    if array.size == 0:
        return head
    wide = array.astype(np.float64)
    return f"{head}, {wide.min():.6g} to {wide.max():.6g}, mean {wide.mean():.6g}"


def largest_difference(left: Array, right: Array) -> float:
    """The greatest absolute difference; infinite where one is NaN and the other is not."""
    if left.size == 0:
        return 0.0
    a, b = left.astype(np.float64), right.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(a - b))
    return math.inf if np.isnan(gap).any() else float(gap.max())


def save(path: Path, array: Array) -> None:
    np.save(path, array)


def _example(parameters: list[Parameter], name: str) -> str:
    parameter = next(p for p in parameters if p.name == name)
    return "1" if parameter.kind == "scalar" else f"random({','.join('8' for _ in parameter.extents)})"


def _value(parameter: Parameter, text: str, seed: int) -> object:
    if parameter.kind == "scalar":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):  # no JSON, or more digits or brackets than Python reads
            return _float(parameter, text)
    made = _MADE.fullmatch(text)
    try:
        if made:
            return _made(parameter, made[1], tuple(int(n) for n in made[2].split(",") if n.strip()), seed)
        if text.startswith("@"):
            return _loaded(text[1:])
        return np.asarray(json.loads(text), numpy_dtype(parameter.dtype))
    except json.JSONDecodeError as error:
        raise ArgumentError(f"`{parameter.name}`: {text} cannot be read: {_FORMS}") from error
    except (OSError, EOFError, ValueError, TypeError, OverflowError, MemoryError, RecursionError) as error:
        raise ArgumentError(f"`{parameter.name}`: {text} cannot be read: {error}") from error


def _loaded(path: str) -> Array:
    """The array of a file. Raises OSError, EOFError or ValueError."""
    with Path(path).open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("it is no .npy file")
    return cast(Array, np.load(path))


def _float(parameter: Parameter, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ArgumentError(f"`{parameter.name}`: {text} is no number") from error


def _made(parameter: Parameter, kind: str, shape: tuple[int, ...], seed: int) -> Array:
    dtype = numpy_dtype(parameter.dtype)
    if kind == "random":
        rng = np.random.default_rng(seed)
        whole = dtype == np.bool_ or dtype.kind in "iu"
        raw = rng.integers(0, 2 if dtype == np.bool_ else 100, shape) if whole else rng.standard_normal(shape)
        return raw.astype(dtype)
    fill = np.zeros if kind == "zeros" else np.ones
    return np.arange(math.prod(shape)).reshape(shape).astype(dtype) if kind == "range" else fill(shape, dtype)
