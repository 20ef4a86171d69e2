"""Contractions that no matrix product routine serves become reductions of virtual products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, regions, results
from intent2cuda.ir.ops import Broadcast, Cast, Combiner, Contract, Pointwise, Reduce, Transpose
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import free_axes
from intent2cuda.types.value_type import Shape, TensorType


def two_sided(op: Contract) -> bool:
    """Whether both operands have an axis of their own in the result, and one pair of axes is summed over."""
    left, right = free_axes(op)
    return len(left) > len(op.batch) and bool(right) and len(op.reduce) == 1


def with_virtual_products(kernel: Kernel) -> Kernel:
    """The kernel with every contraction that is not two-sided written as a sum of element-wise products."""
    rewriter = _Rewriter(kernel)
    return replace(kernel, body=rewriter.region(kernel.body))


class _Rewriter:
    def __init__(self, kernel: Kernel) -> None:
        serials = [value.serial for value in (*kernel.parameters, *_defined(kernel.body))]
        self.serial = max(serials, default=0)

    def region(self, region: Region) -> Region:
        return Region(region.args, tuple(made for op in region.ops for made in self.op(op)))

    def op(self, op: Op) -> list[Op]:
        if isinstance(op, Contract):
            made = [op] if two_sided(op) else self.products(op)
            return [replace(new, span=op.span, statement=op.statement, origin=op.author) for new in made]
        inner = {f.name: self.region(r) for f in fields(op) if isinstance(r := getattr(op, f.name), Region)}
        return [replace(op, **inner, origin=op.author)] if inner else [op]

    def products(self, op: Contract) -> list[Op]:
        left, right = free_axes(op)
        shape = (*op.result.tensor.shape, *(op.lhs.tensor.shape[pair[0]] for pair in op.reduce))
        rank = len(left) + len(right)
        lhs_axes = [*left, *[None] * len(right), *(pair[0] for pair in op.reduce)]
        batch = {pair[0]: pair[1] for pair in op.batch}
        rhs_axes = [*(batch.get(axis) for axis in left), *right, *(pair[1] for pair in op.reduce)]
        made: list[Op] = []
        lhs = self.spread(op, op.lhs, lhs_axes, shape, made)
        rhs = self.spread(op, op.rhs, rhs_axes, shape, made)
        product = self.fresh(op, shape)
        made.append(Pointwise("mul", (lhs, rhs), product))
        made.append(Reduce(Combiner.ADD, product, tuple(range(rank, len(shape))), op.result))
        return made

    def spread(self, op: Contract, source: Value, axes: list[int | None], shape: Shape, made: list[Op]) -> Value:
        """The operand in the accumulator's dtype, stretched over all axes of the product; axes out of order are moved
        first.
        """
        dtype = op.result.tensor.dtype
        if source.tensor.dtype != dtype:
            cast = self.value(TensorType(dtype, source.tensor.shape))
            made.append(Cast(source, cast))
            source = cast
        order = tuple(axis for axis in axes if axis is not None)
        if order != tuple(range(len(order))):
            moved = self.value(TensorType(dtype, tuple(source.tensor.shape[axis] for axis in order)))
            made.append(Transpose(source, order, moved))
            source = moved
        if len(order) == len(shape):
            return source
        positions = iter(range(len(order)))
        stretched = self.fresh(op, shape)
        spread = tuple(None if axis is None else next(positions) for axis in axes)
        made.append(Broadcast(source, spread, stretched))
        return stretched

    def fresh(self, op: Contract, shape: Shape) -> Value:
        return self.value(TensorType(op.result.tensor.dtype, shape))

    def value(self, kind: TensorType) -> Value:
        self.serial += 1
        return Value(kind, self.serial)


def _defined(region: Region) -> Iterator[Value]:
    yield from region.args
    for op in region.ops:
        yield from results(op)
        for inner in regions(op):
            yield from _defined(inner)
