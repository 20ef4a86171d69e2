"""Expressions with a declared algebra: reductions, scans and folds by helpers, contractions, counting, random bits."""

from __future__ import annotations

from hypothesis import strategies as st

from .programs import Draw, Scope, Shape, arithmetic, expression, literal, wider

EXTENTS = {"M": "a.shape[0]", "N": "a.shape[1]"}
UNIT = "(I.cast(1, I.i32), I.cast(0, I.i32))"
NOTHING = "I.record(total=I.cast(0, I.i32), bits=I.cast(0, I.i32), seen=False)"


def flag(draw: Draw) -> str:
    return str(draw(st.booleans()))


def by_helper(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    """A reduction by a helper along the axis that the shape lacks."""
    wide, axis = wider(scope, shape)
    if dtype == "bool" or axis is None:
        return arithmetic_or_truth(draw, scope, dtype, shape, depth)
    source = expression(draw, scope, dtype, wide, depth)
    if dtype == "f32":
        return f"I.reduce({source}, {axis}, -I.inf, greater)"
    match draw(st.sampled_from(("sum", "slices", "record", "captured", "mask", "token"))):
        case "slices" if shape:
            return f"I.reduce({source}, {axis}, I.zeros(({EXTENTS[shape[0]]},), I.i32), plus)"
        case "record":
            other, seen = (expression(draw, scope, kind, wide, depth) for kind in ("i32", "bool"))
            fields = f"I.record(total={source}, bits={other}, seen={seen})"
            identity = "I.record(total=0, bits=0, seen=False)"
            return f"I.reduce({fields}, {axis}, {identity}, tally).{draw(st.sampled_from(('total', 'bits')))}"
        case "captured":
            modulus = f"(({expression(draw, scope, 'i32', (), depth)} & 7) + 1)"
            return f"I.reduce({source} % {modulus}, {axis}, 0, modular, ({modulus},))"
        case "mask":
            mask = expression(draw, scope, "i32", shape, depth)
            aligned = f"({mask})[:, None]" if shape and axis == 1 else mask
            return f"I.reduce({source} & {aligned}, {axis}, 0, within, ({mask},))"
        case "token":
            return f"I.reduce({source}, {axis}, {literal(draw, 'i32')}, I.add)"
        case _:
            return f"I.reduce({source}, {axis}, 0, plus)"


def arithmetic_or_truth(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    if dtype != "bool":
        return arithmetic(draw, scope, dtype, shape, depth)
    wide, axis = wider(scope, shape)
    if axis is None:
        return f"(not {expression(draw, scope, dtype, shape, depth)})"
    return (
        f"I.reduce.{draw(st.sampled_from(('any', 'all')))}({expression(draw, scope, 'bool', wide, depth)}, axis={axis})"
    )


def scanned(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    """A scan along an axis of the shape."""
    if dtype == "bool" or not shape:
        return by_helper(draw, scope, dtype, shape, depth)
    axis = draw(st.integers(0, len(shape) - 1))
    source = expression(draw, scope, dtype, shape, depth)
    way = f"inclusive={flag(draw)}, reverse={flag(draw)}"
    if dtype == "f32":
        return f"I.cummax({source}, axis={axis}, {way})"
    match draw(st.sampled_from(("cumsum", "cummax", "plus", "affine", "affine", "record", "token"))):
        case "cumsum" | "cummax" as name:
            return f"I.{name}({source}, axis={axis}, {way})"
        case "affine":
            other = expression(draw, scope, dtype, shape, depth)
            return f"I.scan(({source}, {other}), {axis}, {UNIT}, affine, {way})[{draw(st.integers(0, 1))}]"
        case "record":
            seen = expression(draw, scope, "bool", shape, depth)
            fields = f"I.record(total={source}, bits={source}, seen={seen})"
            return f"I.scan({fields}, {axis}, {NOTHING}, tally, {way}).bits"
        case "token":
            return f"I.scan({source}, {axis}, 0, I.add, {way})"
        case _:
            return f"I.scan({source}, {axis}, 0, plus, {way})"


def folded(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    """A fold of the axis that the shape lacks."""
    wide, axis = wider(scope, shape)
    if dtype != "i32" or axis is None:
        return by_helper(draw, scope, dtype, shape, depth)
    source = expression(draw, scope, dtype, wide, depth)
    if shape:
        summarize = "sums" if axis == 0 else "row_sums"
        return f"I.region_fold({source}, {axis}, {summarize}, plus, I.zeros(({EXTENTS[shape[0]]},), I.i32))"
    match draw(st.sampled_from(("sum", "place", "polynomial", "polynomial", "record"))):
        case "place":
            places = f"I.indices(I.domain(0, {EXTENTS[wide[0]]}))"
            operands = f"({expression(draw, scope, 'i32', (), depth)}, {flag(draw)})"
            return f"I.region_fold(({source}, {places}), 0, last_place, greater, I.cast(-1, I.i32), {operands})"
        case "polynomial":
            return f"I.region_fold({source}, 0, polynomial, affine, {UNIT})[{draw(st.integers(0, 1))}]"
        case "record":
            return f"I.region_fold({source}, 0, tallied, tally, {NOTHING}).bits"
        case _:
            return f"I.region_fold({source}, 0, sums, plus, I.cast(0, I.i32))"


def contracted(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    wide, axis = wider(scope, shape)
    if dtype != "i32" or axis is None:
        return scanned(draw, scope, dtype, shape, depth)
    source = expression(draw, scope, dtype, wide, depth)
    if not shape:
        other = expression(draw, scope, dtype, wide, depth)
        return f"I.reduce.sum(I.outer({source}, {other}), axis=(0, 1))"
    vector = expression(draw, scope, dtype, (wide[axis],), depth)
    return f"I.matvec({source}, {vector}, acc_dtype=I.i32, transpose={axis == 0})"


def places_of(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    """Positions of greatest members, counts, members picked by position."""
    if shape == ("M", "N") or dtype == "bool":
        return scanned(draw, scope, dtype, shape, depth)
    if dtype == "f32":
        return picked(draw, scope, dtype, shape, depth)
    wide, axis = wider(scope, shape)
    match draw(st.sampled_from(("arg", "histogram", "pick"))):
        case "arg" if axis is not None:
            source = expression(draw, scope, draw(st.sampled_from(("i32", "f32"))), wide, depth)
            return f"I.cast(I.arg_reduce.max({source}, {axis})[1], I.i32)"
        case "histogram" if not shape:
            values, valid = (expression(draw, scope, kind, wide, depth) for kind in ("i32", "bool"))
            counts = f"I.histogram({values} & 3, 4, {valid}, I.{draw(st.sampled_from(('u8', 'i32', 'i64')))})"
            return f"I.cast({counts}[{draw(st.integers(0, 3))}], I.i32)"
        case _:
            return picked(draw, scope, dtype, shape, depth)


def picked(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    """A gather from a vector; lanes outside of it get the fill."""
    source = expression(draw, scope, dtype, ("N",), depth)
    index = f"({expression(draw, scope, 'i32', shape, depth)} & 3)"
    return f"I.gather({source}, {index}, {index} < I.cast({EXTENTS['N']}, I.i32), {literal(draw, dtype)})"


def random(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    if len(shape) > 1 or dtype == "bool":
        return scanned(draw, scope, dtype, shape, depth)
    seed = f"I.cast({expression(draw, scope, 'i32', (), depth)}, I.u64)"
    counter = f"I.cast({expression(draw, scope, 'i32', shape, depth)}, I.{draw(st.sampled_from(('u64', 'index')))})"
    if dtype == "f32":
        return f"I.random.uniform({seed}, {counter}, I.f32)"
    return f"I.bitcast(I.random.bits({seed}, {counter}), I.i32)"


def of_part(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    """A sum over the rest of an axis from a position on that the kernel computes."""
    if dtype != "i32" or shape:
        return scanned(draw, scope, dtype, shape, depth)
    source = expression(draw, scope, dtype, ("N",), depth)
    begin = f"I.minimum(I.cast({expression(draw, scope, 'i32', (), depth)} & 3, I.index), {EXTENTS['N']})"
    return f"I.reduce.sum(({source})[I.domain(0, {EXTENTS['N']})[{begin}:]], axis=0)"


def conditional(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    condition = expression(draw, scope, "bool", draw(st.sampled_from(((), shape))), depth)
    values = [expression(draw, scope, dtype, shape, depth) for _ in range(2)]
    return f"({values[0]} if {condition} else {values[1]})"


def reordered(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    """The same elements through another shape."""
    source = expression(draw, scope, dtype, shape, depth)
    match shape:
        case (_, _):
            return f"I.transpose(I.transpose({source}))"
        case (_,) if draw(st.booleans()):
            other = expression(draw, scope, dtype, shape, depth)
            return f"I.join({source}, {other})[:, {draw(st.integers(0, 1))}]"
        case (extent,):
            return f"I.reshape(I.reshape({source}, ({EXTENTS[extent]}, 1)), (...,))"
        case _:
            return source


def by_early_return(draw: Draw, scope: Scope, dtype: str, shape: Shape, depth: int) -> str:
    if dtype != "i32" or shape:
        return reordered(draw, scope, dtype, shape, depth)
    return f"early({expression(draw, scope, dtype, (), depth)}, {expression(draw, scope, dtype, (), depth)})"


MAKERS = (
    by_helper,
    scanned,
    folded,
    folded,
    contracted,
    places_of,
    places_of,
    random,
    of_part,
    conditional,
    reordered,
    by_early_return,
)
