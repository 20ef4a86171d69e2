"""Calls of the language: the table from a name to what makes its ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from intent2cuda.ir.value import Value
from intent2cuda.parse.bind import Argument, Signature, bind, signature_of
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.intrinsics import (
    atomics,
    contract,
    coordinates,
    histogram,
    memory,
    pointwise,
    quantized,
    ragged,
    random,
    reduce,
    regions,
    scaled,
    scans,
    shapes,
    sparse,
)
from intent2cuda.parse.sizes import MAX_LEAVES, has_many_leaves
from intent2cuda.parse.surface import SIGNATURES
from intent2cuda.parse.values import Element, Extent, Intrinsic, Literal, Record, Tuple, Val
from intent2cuda.types.value_type import BufferType, TensorType

Builder = Callable[[Context, str, Mapping[str, Val]], Val]

_UNARY = "exp exp2 log log1p lgamma sin asin cos tanh floor erf erfc i0 rsqrt sqrt sigmoid abs"

BUILDERS: Mapping[str, Builder] = {
    **dict.fromkeys(_UNARY.split(), pointwise.unary),
    **dict.fromkeys(("add", "maximum", "minimum", "maximum_num", "minimum_num"), pointwise.two_operands),
    "fdiv": pointwise.fdiv,
    "cast": pointwise.cast,
    "bitcast": pointwise.bitcast,
    "select": pointwise.select,
    "mask": pointwise.mask,
    "domain": coordinates.domain,
    "indices": coordinates.indices,
    "end": coordinates.end,
    "assume_in_bounds": coordinates.assume_in_bounds,
    "full": shapes.full,
    "zeros": shapes.zeros,
    "reshape": shapes.reshape,
    "transpose": shapes.transpose,
    "join": shapes.join,
    "gather": memory.gather,
    "mutable_load": memory.mutable_load,
    "store": memory.store,
    "scatter_unique": memory.scatter_unique,
    "buffer": memory.buffer,
    "atomic.load": atomics.load,
    "atomic.store": atomics.store,
    **dict.fromkeys(atomics.UPDATES, atomics.update),
    "atomic.compare_exchange": atomics.compare_exchange,
    "scatter_reduce": atomics.scatter_reduce,
    "random.bits": random.bits,
    "random.uniform": random.uniform,
    "histogram": histogram.histogram,
    "ragged": ragged.ragged,
    "members": ragged.members,
    **dict.fromkeys(("reduce.sum", "reduce.max", "reduce.any", "reduce.all"), reduce.builtin),
    "arg_reduce.max": reduce.arg_max,
    "reduce": reduce.by_helper,
    "scan": scans.by_helper,
    "cumsum": scans.cumulative,
    "cummax": scans.cumulative,
    "region_fold": regions.region_fold,
    "region_scan": regions.region_scan,
    "matmul": contract.matmul,
    "matvec": contract.matvec,
    "vecmat": contract.vecmat,
    "dot": contract.dot,
    "outer": contract.outer,
    "contract": contract.contract,
    "scaled_contract": scaled.scaled_contract,
    "scaled_matmul": scaled.scaled_matmul,
    **dict.fromkeys(sparse.FORMATS, sparse.sparsity),
    "sparse_contract": sparse.sparse_contract,
    "sparse_matmul": sparse.sparse_matmul,
    "sparse_contract_2to4": sparse.sparse_contract_2to4,
    "quantize": quantized.quantize,
    "quantized_dot": quantized.quantized_dot,
}

_SIGNATURES: Mapping[str, Signature] = {path: signature_of(f"I.{path}", text) for path, text in SIGNATURES.items()}


def call_intrinsic(cx: Context, callee: Intrinsic, arguments: list[Argument]) -> Val:
    """The value of a call of the language."""
    path = callee.path
    if path == "record":
        return _record(cx, arguments)
    signature = _SIGNATURES.get(path)
    if signature is None:
        members = ", ".join(f"I.{known}" for known in SIGNATURES if known.startswith(f"{path}."))
        help = f"use {members}" if members else "use it in an annotation"
        cx.refuse("src.call.not_callable", f"I.{path} cannot be called in a kernel", help)
    if path == "parallel":
        bind(cx, signature, arguments)
        cx.refuse(
            "src.parallel.place", "I.parallel stands only in the header of a for", "write for i in I.parallel(domain):"
        )
    return BUILDERS[path](cx, path, bind(cx, signature, arguments))


def _record(cx: Context, arguments: list[Argument]) -> Val:
    if not arguments:
        cx.refuse("kir.record.empty", "a record has at least one field", "write I.record(name=value)")
    fields: list[tuple[str, Val]] = []
    for argument in arguments:
        if argument.keyword is None:
            cx.refuse(
                "kir.record.positional",
                "the fields of a record have names",
                "write I.record(name=value)",
                argument.node,
            )
        if any(name == argument.keyword for name, _ in fields):
            cx.refuse(
                "src.call.repeated_argument",
                f"the record has two fields `{argument.keyword}`",
                "name each once",
                argument.node,
            )
        _check_field(cx, argument)
        fields.append((argument.keyword, argument.value))
    return bounded(cx, Record(tuple(fields)))


def bounded(cx: Context, product: Val) -> Val:
    """The tuple or record. Refuses one of very many values: one that holds another twice grows fast, line by line."""
    if has_many_leaves(product):
        cx.refuse(
            "src.limit.product",
            f"{described(product)} has more than {MAX_LEAVES} values in it",
            "use a tensor with an axis for them",
        )
    return product


def _check_field(cx: Context, argument: Argument) -> None:
    match argument.value:
        case Value(type=BufferType()):
            cx.refuse(
                "kir.buffer.escape",
                f"the {described(argument.value)[4:]} cannot be part of a record",
                "put values read from it into the record",
                argument.node,
            )
        case Value(type=TensorType()) | Literal() | Extent() | Tuple() | Record():
            return
        case Element():
            cx.refuse(
                "kir.record.field",
                f"the field `{argument.keyword}` of a record is {described(argument.value)}, no value",
                "elements and buffers have one dtype; use one buffer or view for each field",
                argument.node,
            )
        case Value():
            return
        case _:
            cx.refuse(
                "kir.record.field",
                f"the field `{argument.keyword}` of a record is {described(argument.value)}",
                "fields are scalars, tensors, tuples and records",
                argument.node,
            )
