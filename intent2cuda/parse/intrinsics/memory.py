"""Reads and writes by call, and kernel-local buffers."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.ir.ops import Allocate
from intent2cuda.ir.value import Value
from intent2cuda.parse.access import destination, read, write
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.indexing import index_argument
from intent2cuda.parse.literals import dtype_of, tensor
from intent2cuda.parse.shaping import fit
from intent2cuda.parse.static import dtype_argument, shape_argument
from intent2cuda.parse.values import Nothing, Val, Void
from intent2cuda.types.value_type import BufferType, DomainType, ViewType

Arguments = Mapping[str, Val]

_STATEMENT = "call it as a statement, and read the destination after it"


def gather(cx: Context, path: str, given: Arguments) -> Val:
    source = given["source"]
    if not isinstance(source, Value) or isinstance(source.type, DomainType):
        help = "use I.indices for coordinates" if isinstance(source, Value) else "name a view, buffer or tensor"
        cx.refuse("kir.gather.source", f"I.gather reads a view, buffer or tensor, not {described(source)}", help)
    return read(cx, source, index_argument(given["index"]), given.get("valid"), given.get("fill"))


def mutable_load(cx: Context, path: str, given: Arguments) -> Val:
    target = given["target"]
    if not isinstance(target, Value) or not isinstance(target.type, ViewType | BufferType):
        cx.refuse(
            "kir.load.source",
            f"I.mutable_load reads a view or buffer, not {described(target)}",
            "use a subscript for tensors",
        )
    return read(cx, target, index_argument(given["index"]))


def store(cx: Context, path: str, given: Arguments) -> Val:
    write(cx, given["target"], index_argument(given["index"]), given["value"])
    return Void("I.store", "src.call.no_value", _STATEMENT)


def scatter_unique(cx: Context, path: str, given: Arguments) -> Val:
    target = given["destination"]
    destination(cx, target)
    write(cx, target, index_argument(given["index"]), given["value"], unique=True)
    return Void("I.scatter_unique", "src.call.no_value", _STATEMENT)


def buffer(cx: Context, path: str, given: Arguments) -> Val:
    dtype = dtype_argument(cx, given["dtype"], "dtype", "kir.buffer.dtype")
    shape = shape_argument(cx, given["shape"], dtype, "kir.buffer.shape")
    init: Value | None = None
    initial = given.get("init", Nothing())
    if not isinstance(initial, Nothing):
        found = dtype_of(initial)
        if found is not None and found != dtype:
            cx.refuse(
                "kir.buffer.init",
                f"a buffer of {dtype} is initialised with {found}",
                f"convert with I.cast(..., I.{dtype})",
            )
        init = tensor(cx, initial, dtype, "the initial value of a buffer")
        if init.tensor.shape:
            init = fit(cx, init, shape, "kir.buffer.init", "the buffer")
    result = cx.emitter.value(BufferType(dtype, shape))
    cx.emitter.emit(Allocate(result, init))
    return result
