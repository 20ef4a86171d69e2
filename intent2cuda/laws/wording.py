"""The author's names for an operation's parts, and values as text."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from itertools import takewhile

import numpy as np

from intent2cuda.interpret.captures import captured
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import Region, operands
from intent2cuda.ir.ops import ReduceBy, RegionFold, RegionScan, ScanBy
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import Array
from intent2cuda.laws.equations import IDENTITY, Declared, Law, region_of
from intent2cuda.laws.trial import Product, Trial

CONSTRUCTS: Mapping[type, str] = {
    ReduceBy: "I.reduce",
    ScanBy: "I.scan",
    RegionFold: "I.region_fold",
    RegionScan: "I.region_scan",
}
PARAMETERS: Mapping[type, tuple[str, ...]] = {
    ReduceBy: ("value", "axis", "identity", "combine"),
    ScanBy: ("value", "axis", "identity", "combine"),
    RegionFold: ("source", "axis", "summarize", "combine", "identity"),
    RegionScan: ("source", "axis", "summarize", "combine", "identity", "initial_state", "apply", "emit"),
}
NAMED = ("summarize", "combine", "apply", "emit", IDENTITY)
SHOWN_ELEMENTS = 24


def helper_names(op: Declared) -> dict[str, str]:
    """By role the helpers and the identity as the author's call names them; what is no name there is left out."""
    call = _call(op.span.text if op.span else "")
    if call is None:
        return {}
    given = dict(zip(PARAMETERS[type(op)], call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    named = {role: node for role, node in given.items() if role in NAMED}
    return {role: ast.unparse(node) for role, node in named.items() if isinstance(node, ast.Name | ast.Attribute)}


def _call(text: str) -> ast.Call | None:
    try:
        found = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    return found if isinstance(found, ast.Call) else None


def inputs_text(trial: Trial, law: Law, names: Mapping[str, str]) -> dict[str, str]:
    """By name what a law's equation is about: slices, members, summaries and states, then what helpers capture."""
    op, shown = trial.op, dict[str, str]()
    for name in law.inputs:
        value = _product(trial.given[name], _labels(op, name))
        if name in trial.summarized:
            slices = _listed(trial.summarized[name], _slices(op))
            value = f"{names.get('summarize', 'summarize')}({slices}) = {value}"
        elif name != IDENTITY and trial.given[name] is trial.given[IDENTITY]:
            value = f"{names.get(IDENTITY, IDENTITY)} = {value}"
        shown[names.get(name, name)] = value
    for value in sorted(_captured(op, law), key=lambda value: value.serial):
        shown[value.name] = text(trial.part.value(value))
    return shown


def side_text(op: Declared, law: Law, side: Product) -> str:
    """One side of an equation."""
    of_states = isinstance(op, RegionScan) and "apply" in law.roles and "emit" not in law.roles
    labels = _states(op) if of_states else () if "emit" in law.roles else _parts(op)
    return _product(side, labels)


def _captured(op: Declared, law: Law) -> set[Value]:
    """The named values from around that the helpers of a law use."""
    found: set[Value] = set()
    for role in law.roles:
        region = region_of(op, role)
        outside = captured(region)
        found |= {v for one in walk(region) for v in operands(one) if v.serial in outside and v.name}
    return found


def _labels(op: Declared, name: str) -> tuple[str, ...]:
    match name:
        case "a" | "b":
            return _slices(op)
        case "s":
            return _states(op)
        case _:
            return _parts(op)


def _slices(op: Declared) -> tuple[str, ...]:
    """The names of the slices in summarize."""
    assert isinstance(op, RegionFold | RegionScan)
    return tuple(argument.name for argument in op.summarize.args[1:])


def _states(op: Declared) -> tuple[str, ...]:
    assert isinstance(op, RegionScan)
    names = [argument.name for argument in op.apply.args[len(op.identity) :]]
    return tuple(names) if len(names) > 1 else ()


def _parts(op: Declared) -> tuple[str, ...]:
    """The names of a member's or summary's components: what both arguments of combine have in common."""
    return _components(op.combine, len(op.identity))


def _components(combine: Region, count: int) -> tuple[str, ...]:
    if count == 1:
        return ()
    pairs = zip(combine.args[:count], combine.args[count:], strict=True)
    names = [_common_end(lhs.name, rhs.name).partition("_")[2] for lhs, rhs in pairs]
    return tuple("" if name.isdigit() else name for name in names)


def _common_end(lhs: str, rhs: str) -> str:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(reversed(lhs), reversed(rhs), strict=False))
    return "".join(letter for letter, _ in same)[::-1]


def _product(product: Product, labels: Sequence[str]) -> str:
    """A value as it stands, several in brackets, each after its label."""
    listed = _listed(product, labels)
    return f"({listed})" if len(product) > 1 or any(labels) else listed


def _listed(product: Product, labels: Sequence[str]) -> str:
    known = labels if len(labels) == len(product) else [""] * len(product)
    return ", ".join(f"{label}={text(a)}" if label else text(a) for a, label in zip(product, known, strict=True))


def text(array: Array) -> str:
    """The elements as nested lists; of many only those that are not zero, by their coordinates."""
    if array.size <= SHOWN_ELEMENTS:
        return _nested(array)
    places = [tuple(int(c) for c in place) for place in np.argwhere(array != 0)]
    some = [f"[{', '.join(map(str, place))}]: {_nested(array[place])}" for place in places[:8]]
    more = f", {len(places) - len(some)} more" if len(places) > len(some) else ""
    return f"{'x'.join(map(str, array.shape))} zeros but {', '.join(some)}{more}" if places else f"{array.shape} zeros"


def _nested(array: Array) -> str:
    if array.ndim:
        return f"[{', '.join(_nested(part) for part in array)}]"
    number = array.item() if array.dtype.kind in "biu" else float(array)
    return f"{number:.7g}" if isinstance(number, float) else str(number)
