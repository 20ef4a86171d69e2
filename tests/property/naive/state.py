"""What a naive run holds, and how it walks regions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from intent2cuda.base.intexpr import IntExpr, evaluate, symbols
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import Yield
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import ViewType

from .scalars import Number, fit

Place = tuple[int, ...]


@dataclass
class Table:
    """Elements by their coordinates."""

    shape: Place
    elements: dict[Place, Number]

    @staticmethod
    def of(shape: Place, element: Callable[[Place], Number]) -> Table:
        return Table(shape, {place: element(place) for place in places(shape)})

    @staticmethod
    def scalar(number: Number) -> Table:
        return Table((), {(): number})

    def get(self, place: Place) -> Number:
        return self.elements[place]

    def put(self, place: Place, value: Number) -> None:
        assert place in self.elements, f"{place} of {self.shape}"
        self.elements[place] = value


@dataclass
class View:
    """An external array, element by element."""

    array: Any

    @property
    def shape(self) -> Place:
        return self.array.shape

    def get(self, place: Place) -> Number:
        assert min(place, default=0) >= 0, place
        value = self.array[place]
        return float(value) if self.array.dtype.kind not in "biu" else value.item()

    def put(self, place: Place, value: Number) -> None:
        assert min(place, default=0) >= 0, place
        self.array[place] = value


def places(shape: Sequence[int]) -> Iterator[Place]:
    return itertools.product(*(range(extent) for extent in shape))


class State:
    """One run. What the language leaves open (the order of points, groupings, cuts) is chosen by `shuffle`."""

    evaluate: ClassVar[Mapping[type[Op], Callable[..., None]]]

    def __init__(self, kernel: Kernel, arguments: Mapping[str, Any], shuffle: random.Random) -> None:
        self.kernel = kernel
        self.shuffle = shuffle
        self.dims: dict[str, int] = {}
        self.values: dict[int, Table | View] = {}
        for parameter in kernel.parameters:
            given = arguments[parameter.name]
            if isinstance(parameter.type, ViewType):
                self.values[parameter.serial] = View(given)
                for extent, size in zip(parameter.type.shape, given.shape, strict=True):
                    if (symbol := extent.as_symbol) is not None:
                        self.dims[symbol.name] = size
            else:
                self.values[parameter.serial] = Table.scalar(fit(parameter.tensor.dtype, given))

    def run(self) -> None:
        self.region(self.kernel.body)

    def table(self, value: Value) -> Table | View:
        return self.values[value.serial]

    def scalar(self, value: Value) -> Number:
        return self.table(value).get(())

    def integer(self, expression: IntExpr) -> int:
        known = {
            s: self.dims[s.name] if not s.serial else int(self.values[s.serial].get(())) for s in symbols(expression)
        }
        return evaluate(expression, known)

    def shape(self, value: Value) -> Place:
        return tuple(max(0, self.integer(extent)) for extent in value.type.shape)

    def members(self, domain: Value) -> list[int]:
        begin, extent, step = (self.integer(e) for e in (domain.domain.begin, domain.domain.extent, domain.domain.step))
        return [begin + k * step for k in range(max(0, extent))]

    def define(self, value: Value, shape: Place, element: Callable[[Place], Number]) -> None:
        self.values[value.serial] = Table.of(shape, element)

    def region(self, region: Region, arguments: Sequence[Table | View] = ()) -> tuple[list[Table | View], bool]:
        """Runs a region; gives what it yields and whether it stops the loop around it."""
        for argument, value in zip(region.args, arguments, strict=True):
            self.values[argument.serial] = value
        for op in region.ops:
            if isinstance(op, Yield):
                stop = op.stop is not None and bool(self.scalar(op.stop))
                return [self.table(value) for value in op.values], stop
            self.evaluate[type(op)](self, op)
        return [], False
