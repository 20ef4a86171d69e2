"""Products of compressed operands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir import infer
from intent2cuda.ir.ops import SparseContract, SparseFormat
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.intrinsics.contract import Pairs, axis_pairs, check_pair, factors
from intent2cuda.parse.literals import tensor
from intent2cuda.parse.shaping import require_equal
from intent2cuda.parse.static import extent_of, static_axis, static_integer
from intent2cuda.parse.values import Literal, Record, Sparsity, Tuple, Val
from intent2cuda.types.dtype import INDEX, DType
from intent2cuda.types.value_type import Shape, TensorType

Arguments = Mapping[str, Val]

FORMATS: Mapping[str, SparseFormat] = {
    "sparse.one_of_two": SparseFormat.ONE_OF_TWO,
    "sparse.two_of_four": SparseFormat.TWO_OF_FOUR,
}

_GROUPS: Mapping[SparseFormat, int] = {SparseFormat.ONE_OF_TWO: 2, SparseFormat.TWO_OF_FOUR: 4}
"""How many positions a group of the expanded axis has; half of them are present."""

_POSITIONS = ("first", "second")

_MATMUL: tuple[Pairs, Pairs] = (((1, 0),), ())


def sparsity(cx: Context, path: str, given: Arguments) -> Val:
    """`sparse.one_of_two` and `sparse.two_of_four`: descriptions of a compressed axis."""
    format = FORMATS[path]
    axis = static_integer(cx, given["compression_axis"], "`compression_axis`", "kir.sparse.axis")
    found = Sparsity(format, axis, extent_of(cx, given["logical_extent"], "kir.sparse.format"))
    _check_divisible(cx, found)
    return found


def sparse_contract(cx: Context, path: str, given: Arguments) -> Val:
    compressed, rhs, accumulator = factors(cx, path, given, "compressed", "dense_rhs")
    format = _format(cx, given["format"], compressed.tensor.rank)
    pairs = axis_pairs(cx, path, given, (compressed.tensor.rank, rhs.tensor.rank))
    return _contract(cx, (compressed, given["metadata"], rhs), format, pairs, accumulator)


def sparse_matmul(cx: Context, path: str, given: Arguments) -> Val:
    compressed, rhs, accumulator = factors(cx, path, given, "compressed", "rhs")
    _check_matrices(cx, path, compressed, rhs)
    format = _format(cx, given["format"], 2)
    if format.axis != 1:
        cx.refuse(
            "kir.sparse.axis",
            f"I.{path} takes an operand that is compressed along axis 1, not {format.axis}",
            "use I.sparse_contract for another axis",
        )
    return _contract(cx, (compressed, given["metadata"], rhs), format, _MATMUL, accumulator)


def sparse_contract_2to4(cx: Context, path: str, given: Arguments) -> Val:
    compressed, rhs, accumulator = factors(cx, path, given, "compressed_lhs", "rhs")
    _check_matrices(cx, path, compressed, rhs)
    format = Sparsity(SparseFormat.TWO_OF_FOUR, 1, rhs.tensor.shape[0])
    _check_divisible(cx, format)
    return _contract(cx, (compressed, given["metadata"], rhs), format, _MATMUL, accumulator)


def _check_matrices(cx: Context, path: str, *operands: Value) -> None:
    for operand in operands:
        if operand.tensor.rank != 2:
            cx.refuse("kir.contract.rank", f"I.{path} takes rank 2, not {operand.tensor.rank}", "use I.sparse_contract")


def _check_divisible(cx: Context, format: Sparsity) -> None:
    group = _GROUPS[format.format]
    if (format.extent.constant or 0) % group:
        cx.refuse(
            "kir.sparse.divisibility",
            f"the logical extent {format.extent} is no multiple of {group}",
            f"pad the axis to whole groups of {group}",
        )


def _format(cx: Context, given: Val, rank: int) -> Sparsity:
    """The format with its axis inside the rank of the compressed operand."""
    if not isinstance(given, Sparsity):
        cx.refuse(
            "kir.sparse.format",
            f"`format` is a sparse format, not {described(given)}",
            "write I.sparse.one_of_two(...) or I.sparse.two_of_four(...)",
        )
    return replace(given, axis=static_axis(cx, Literal(given.axis), rank, "kir.sparse.axis"))


def _contract(
    cx: Context, operands: tuple[Value, Val, Value], format: Sparsity, pairs: tuple[Pairs, Pairs], accumulator: DType
) -> Value:
    compressed, given, rhs = operands
    held = compressed.tensor.shape[format.axis]
    _check_extent(cx, "compressed", held, 2, format)
    metadata = _metadata(cx, given, format, compressed.tensor.shape)
    logical = infer.expanded_shape(compressed.tensor.shape, format.axis, format.extent)
    reduce, batch = pairs
    for left, right in (*reduce, *batch):
        check_pair(cx, logical[left], rhs.tensor.shape[right])
    shape = infer.contracted_shape(logical, rhs.tensor.shape, reduce, batch)
    result = cx.emitter.value(TensorType(accumulator, shape))
    op = SparseContract(compressed, metadata, rhs, format.format, format.axis, format.extent, reduce, batch, result)
    cx.emitter.emit(op)
    return result


def _check_extent(cx: Context, name: str, found: IntExpr, ratio: int, format: Sparsity) -> None:
    """Refuses an operand that does not have one element for every `ratio` positions of the expanded axis."""
    code = "kir.sparse.metadata" if name == "metadata" else "kir.sparse.divisibility"
    logical = format.extent.constant
    if found.constant is not None and logical is not None and found.constant * ratio != logical:
        cx.refuse(
            code,
            f"`{name}` has {found.constant} elements along axis {format.axis}, {logical} positions of "
            f"{format.format.value} take {logical // ratio}",
            "let the extents match the logical extent",
        )
    text = f"`{name}` holds one element for every {ratio} positions"
    require_equal(cx, found * ratio, format.extent, text, code)


def _metadata(cx: Context, given: Val, format: Sparsity, compressed: Shape) -> tuple[Value, ...]:
    """The positions: one tensor, or a record of the first and the second one."""
    group = _GROUPS[format.format]
    members = _members(cx, given, format)
    for value in members:
        if not value.tensor.dtype.is_integer:
            cx.refuse(
                "kir.sparse.metadata",
                f"positions are integers, not {value.tensor.dtype}",
                "convert with I.cast(..., I.index)",
            )
        if value.tensor.rank != len(compressed):
            cx.refuse(
                "kir.sparse.metadata",
                f"positions of rank {value.tensor.rank} belong to a compressed operand of rank {len(compressed)}",
                "give positions for each group of the operand",
            )
        for axis, (found, extent) in enumerate(zip(value.tensor.shape, compressed, strict=True)):
            if axis == format.axis:
                _check_extent(cx, "metadata", found, group, format)
            else:
                require_equal(
                    cx, found, extent, "the metadata has the extents of the compressed operand", "kir.sparse.metadata"
                )
    return members


def _members(cx: Context, given: Val, format: Sparsity) -> tuple[Value, ...]:
    role = "the positions of a sparse operand"
    if format.format is SparseFormat.ONE_OF_TWO:
        if isinstance(given, Record | Tuple):
            cx.refuse(
                "kir.sparse.metadata",
                f"the metadata of {format.format.value} is one tensor of positions, not {described(given)}",
                "give the position in each pair",
            )
        return (tensor(cx, given, INDEX, role),)
    if not isinstance(given, Record) or tuple(name for name, _ in given.fields) != _POSITIONS:
        cx.refuse(
            "kir.sparse.metadata",
            f"the metadata of {format.format.value} is a record of first and second, not {described(given)}",
            "write I.record(first=..., second=...)",
        )
    return tuple(tensor(cx, value, INDEX, role) for _, value in given.fields)
