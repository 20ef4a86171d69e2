"""Which elements of memory accesses touch, and how many different ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod
from operator import sub

from intent2cuda.analysis.ranges import factor
from intent2cuda.base.intexpr import IntExpr, Symbol, substitute
from intent2cuda.plan.spaces import (
    Cases,
    Limits,
    Rules,
    Variable,
    Variables,
    indicator,
    limits_of,
    points,
    proofs_of,
)
from intent2cuda.plan.sums import mentions, slope
from intent2cuda.plan.tables import Given, Proofs, elements

MOST_CASES = 3
"""With more cases of one position, elements are not counted: each selection of some of them is a sum of its own."""

MOST_BOXES = 32
"""With more boxes and common parts of some of them, elements are not counted."""

ZERO, ONE = IntExpr.of(0), IntExpr.of(1)


@dataclass(frozen=True)
class Image:
    """The positions that an access touches: one for each axis of the memory, at all points of one of the cases."""

    variables: Variables
    where: Cases
    positions: tuple[IntExpr, ...]


@dataclass(frozen=True)
class Box:
    """Every position from `first` to before `end` on each axis, if the rules hold, which are of the call alone."""

    first: tuple[IntExpr, ...]
    end: tuple[IntExpr, ...]
    rules: Rules


def distinct(images: Sequence[Image], shape: Sequence[IntExpr], given: Given) -> IntExpr | None:
    """How many elements of a memory the images have together; None where no closed form is found."""
    size = prod(shape, start=ONE)
    reduced = [_without_unused(image) for image in images]
    counted = [None if image is None else _counted(image, given) for image in reduced]
    if size in counted:
        return size
    if not images or any(count is None for count in counted):
        return None
    different = _merged(_renamed(image) for image in reduced if image is not None)
    if len(different) == 1:
        return counted[0] if len(different[0].where) == 1 else _counted(different[0], given)
    boxes = [_box(image) for image in different]
    known = [box for box in boxes if box is not None]
    if len(known) < len(boxes) or len({box.rules for box in known}) > 1:
        return None
    return _union(known, proofs_of((), (), given))


def _merged(images: Iterable[Image]) -> list[Image]:
    """The images, those with the same positions as one that has the cases of all of them."""
    found: dict[tuple[Variables, tuple[IntExpr, ...]], Image] = {}
    for image in images:
        key = image.variables, image.positions
        where = (*(found[key].where if key in found else ()), *image.where)
        found[key] = replace(image, where=tuple(dict.fromkeys(where)))
    return list(found.values())


def _without_unused(image: Image) -> Image | None:
    """The image over the variables that its positions mention; what is left of the others are rules."""
    variables, where = list(image.variables), image.where
    for variable in reversed(image.variables):
        if any(mentions(position, variable.symbol) for position in image.positions):
            continue
        variables.remove(variable)
        limits = [limits_of(variable, rules) for rules in where]
        if any(mentions(other.extent, variable.symbol) for other in variables):
            return None
        possible = [_possible(limit) for limit in limits if limit is not None]
        if len(possible) < len(limits):
            return None
        where = tuple(dict.fromkeys(possible))
    return Image(tuple(variables), where, image.positions)


def _possible(limits: Limits) -> Rules:
    """When there is a value between all limits."""
    return (*limits.others, *(end - first - 1 for first in limits.first for end in limits.end))


def _counted(image: Image, given: Given) -> IntExpr | None:
    """The number of positions, where each point of the image has its own."""
    if len(image.where) > MOST_CASES:
        return None
    return points(image.variables, image.where, given) if _is_injective(image, given) else None


def _is_injective(image: Image, given: Given) -> bool:
    """Whether the positions decide the values of all variables, axis by axis."""
    proofs = proofs_of(image.variables, (), given)
    known: set[Symbol] = set()
    pending = list(image.positions)
    while pending:
        for position in pending:
            open_ones = [v for v in image.variables if v.symbol not in known and mentions(position, v.symbol)]
            if not open_ones or _decides(position, open_ones, proofs):
                known |= {variable.symbol for variable in open_ones}
                pending.remove(position)
                break
        else:
            return False
    return True


def _decides(position: IntExpr, variables: Sequence[Variable], proofs: Proofs) -> bool:
    """Whether a position has another value at all values of some variables: as the digits of a number have."""
    if _is_offset(position, variables):
        return True
    shares = [(variable, factor(position, variable.symbol)) for variable in variables]
    rest = reduce(lambda left, pair: left - pair[1] * _of(pair[0]), shares, position)
    if any(mentions(part, v.symbol) for part in (rest, *(s for _, s in shares)) for v in variables):
        return False
    reach, left = ONE, [(v, share if proofs.nonneg(share) else share * -1) for v, share in shares]
    while left:
        least = next((pair for pair in left if proofs.nonneg(pair[1] - reach)), None)
        if least is None:
            return False
        left.remove(least)
        reach = reach + least[1] * (least[0].extent - 1)
    return True


def _is_offset(position: IntExpr, variables: Sequence[Variable]) -> bool:
    """Whether a position is that of a member in a row of rows behind each other: `t[g] + r`, r < t[g + 1] - t[g]."""
    if len(variables) != 2:
        return False
    outer, member = variables
    starts = [e for e in elements(position) if slope(e.rhs, outer.symbol) == 1]
    if len(starts) != 1 or not member.forward or mentions(position - IntExpr((((starts[0],), 1),)), outer.symbol):
        return False
    start = IntExpr((((starts[0],), 1),))
    following = substitute(start, {outer.symbol: _of(outer) + 1})
    return slope(position, member.symbol) == 1 and member.extent == following - start


def _renamed(image: Image) -> Image:
    """The image with its variables named by their order."""
    names = {v.symbol: IntExpr.symbol(f"v{number}") for number, v in enumerate(image.variables)}
    variables = tuple(
        Variable(Symbol(f"v{number}"), substitute(v.extent, names), v.forward)
        for number, v in enumerate(image.variables)
    )
    where = tuple(tuple(sorted((substitute(rule, names) for rule in case), key=str)) for case in image.where)
    return Image(variables, where, tuple(substitute(position, names) for position in image.positions))


def _box(image: Image) -> Box | None:
    """The image as a box, if each axis has a variable of its own, or one position."""
    if len(image.where) != 1:
        return None
    rules = image.where[0]
    first, end = list[IntExpr](), list[IntExpr]()
    used: list[Variable] = []
    for position in image.positions:
        mine = [v for v in image.variables if mentions(position, v.symbol)]
        if not mine:
            first.append(position)
            end.append(position + 1)
            continue
        step = slope(position, mine[0].symbol)
        if len(mine) > 1 or mine[0] in used or step not in (1, -1):
            return None
        used += mine
        limits = limits_of(mine[0], rules)
        if limits is None or len(limits.first) > 1 or len(limits.end) > 1:
            return None
        start = position - _of(mine[0]) * step
        first.append(start if step == 1 else start - mine[0].extent + 1)
        end.append(start + mine[0].extent if step == 1 else start + 1)
    variables = {v.symbol for v in image.variables}
    bounds = (*first, *end, *rules)
    return None if any(mentions(e, s) for e in bounds for s in variables) else Box(tuple(first), tuple(end), rules)


def _union(boxes: Sequence[Box], proofs: Proofs) -> IntExpr | None:
    """The number of positions in at least one of the boxes, which all have the same rules."""
    total, common = ZERO, list[tuple[Box, int]]()
    for box in boxes:
        met = [(both, -sign) for other, sign in common if (both := _meeting(box, other, proofs)) is not None]
        common += [(box, 1), *met]
        if len(common) > MOST_BOXES:
            return None
        total = reduce(lambda sum, part: sum + _size(part[0], proofs) * part[1], [(box, 1), *met], total)
    for rule in boxes[0].rules:
        total = total * (ONE if proofs.nonneg(rule) else indicator(rule, proofs))
    return total


def _meeting(one: Box, other: Box, proofs: Proofs) -> Box | None:
    """The positions that two boxes share; None where it is proved that they have none in common."""
    for first, end in (*zip(one.first, other.end, strict=True), *zip(other.first, one.end, strict=True)):
        if ((first - end).constant or -1) >= 0 or first == end:
            return None
    first = tuple(map(proofs.larger, one.first, other.first))
    end = tuple(map(proofs.smaller, one.end, other.end))
    return None if any(map(proofs.nonneg, map(sub, first, end))) else Box(first, end, one.rules)


def _size(box: Box, proofs: Proofs) -> IntExpr:
    return prod((proofs.larger(end - first, ZERO) for first, end in zip(box.first, box.end, strict=True)), start=ONE)


def _of(variable: Variable) -> IntExpr:
    return IntExpr((((variable.symbol,), 1),))
