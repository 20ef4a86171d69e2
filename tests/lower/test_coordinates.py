"""Maps of coordinates against what NumPy does with the elements."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from intent2cuda.base.intexpr import IntExpr, Symbol, evaluate
from intent2cuda.lower.coordinates import linear_index, of_reshape


def symbols(count: int) -> tuple[Symbol, ...]:
    return tuple(Symbol(f"i{n}", -n - 1) for n in range(count))


def shape(extents: Sequence[int | str]) -> tuple[IntExpr, ...]:
    return tuple(IntExpr.of(e) if isinstance(e, int) else IntExpr.symbol(e) for e in extents)


@pytest.mark.parametrize(
    ("source", "result"),
    [
        (("M", "N"), ("M*N",)),
        (("M*N",), ("M", "N")),
        (("M", "N", "K"), ("M", "N*K")),
        (("M", 1, "N"), ("M", "N", 1)),
        ((6, 4), (4, 6)),
        ((2, 3, 4), (6, 2, 2)),
        ((1,), (1, 1)),
        ((24,), (2, 3, 4)),
    ],
)
def test_reshape(source: Sequence[int | str], result: Sequence[int | str]) -> None:
    sizes = {"M": 2, "N": 3, "K": 4}
    products = {"M*N": shape(("M",))[0] * shape(("N",))[0], "N*K": shape(("N",))[0] * shape(("K",))[0]}
    extents = [tuple(products.get(str(e), shape((e,))[0]) for e in given) for given in (source, result)]
    numbers = {Symbol(name): size for name, size in sizes.items()}
    concrete = [tuple(evaluate(e, numbers) for e in given) for given in extents]
    elements = np.arange(np.prod(concrete[0])).reshape(concrete[0])
    axes = symbols(len(result))
    found = of_reshape(extents[1], extents[0], tuple(IntExpr((((axis,), 1),)) for axis in axes))
    for place in product(*(range(e) for e in concrete[1])):
        values = {**numbers, **dict(zip(axes, place, strict=True))}
        read = tuple(evaluate(coordinate, values) for coordinate in found)
        assert elements[read] == elements.reshape(concrete[1])[place]


def test_what_is_not_reshaped_keeps_its_coordinate() -> None:
    axes = symbols(3)
    at = tuple(IntExpr((((axis,), 1),)) for axis in axes)
    found = of_reshape(shape(("B", 2, "N")), (shape(("B",))[0], shape(("N",))[0] * 2), at)
    assert found == (at[0], at[1] * IntExpr.symbol("N") + at[2])


def test_linear_index_is_row_major() -> None:
    place = linear_index(shape((2, 3, 4)), tuple(IntExpr.of(n) for n in (1, 2, 3)))
    assert place.constant == np.ravel_multi_index((1, 2, 3), (2, 3, 4))
