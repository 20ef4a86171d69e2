"""Scans: `cumsum` and `cummax`, and those by a helper of the author."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.ir.ops import Combiner, Scan, ScanBy
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.intrinsics.members import (
    COMBINERS,
    MemberOperation,
    Members,
    combined,
    is_neutral,
    members,
)
from intent2cuda.parse.literals import tensor
from intent2cuda.parse.operators import accepted, binary
from intent2cuda.parse.products import rebuilt
from intent2cuda.parse.pure_regions import values
from intent2cuda.parse.shaping import with_axes
from intent2cuda.parse.static import accumulator, one_axis, static_bool
from intent2cuda.parse.values import Literal, Nothing, Val
from intent2cuda.types.dtype import sum_dtype
from intent2cuda.types.value_type import TensorType

Arguments = Mapping[str, Val]

_BY_HELPER = MemberOperation(
    path="scan",
    captures="combine_operands",
    helper="kir.scan.combine",
    schema="kir.scan.schema",
    impure="kir.scan.impure",
    axes="kir.scan.axes",
    extent="kir.scan.extent",
    identity="kir.scan.identity",
    accumulator="kir.scan.accumulator",
    one_axis=True,
)


def cumulative(cx: Context, path: str, given: Arguments) -> Val:
    """`cumsum` and `cummax`."""
    source = tensor(cx, given["value"], None, f"the value of I.{path}")
    if not source.tensor.shape:
        cx.refuse("kir.scan.axes", f"I.{path} takes a tensor, not a scalar", "give a tensor with an axis to scan")
    axis = one_axis(cx, path, given["axis"], source.tensor.rank, "kir.scan.axes")
    kind = _kind(cx, path, given)
    chosen = accumulator(cx, path, given.get("acc_dtype", Nothing()), "kir.scan.accumulator")
    if source.tensor.dtype.is_bool and chosen is None:
        cx.refuse("kir.scan.dtype", f"I.{path} of bool", "name an accumulator: acc_dtype=I.i32")
    combiner = Combiner.ADD if path == "cumsum" else Combiner.MAXIMUM
    widened = sum_dtype(source.tensor.dtype) if combiner is Combiner.ADD else source.tensor.dtype
    return _scan(cx, combiner, cx.emitter.cast(source, chosen or widened), axis, kind)


def by_helper(cx: Context, path: str, given: Arguments) -> Val:
    """`I.scan`: by a helper, or by an intrinsic that is a builtin scan."""
    kind = _kind(cx, path, given)
    found = members(cx, _BY_HELPER, given)
    if found.token:
        return _by_token(cx, found, kind)
    identity, combine = combined(cx, found)
    results = tuple(cx.emitter.value(TensorType(s.tensor.dtype, s.tensor.shape)) for s in found.sources)
    cx.emitter.emit(ScanBy(found.sources, found.axes[0], identity, combine, results, *kind))
    return rebuilt(found.value, results)


def _by_token(cx: Context, found: Members, kind: tuple[bool, bool]) -> Val:
    """A builtin scan; an exclusive one begins with the identity."""
    (source,), (identity,), combiner = found.sources, values(found.identity), COMBINERS[found.token]
    axis, inclusive = found.axes[0], kind[0]
    result = _scan(cx, combiner, source, axis, kind)
    if inclusive or is_neutral(cx, combiner, identity):
        return result
    if identity.tensor.shape:
        axes = list(range(identity.tensor.rank))
        identity = with_axes(cx, identity, [*axes[:axis], None, *axes[axis:]])
    return binary(cx, found.token, identity, result)


def _scan(cx: Context, combiner: Combiner, source: Value, axis: int, kind: tuple[bool, bool]) -> Value:
    accepted(cx, combiner.value, source.tensor.dtype)
    result = cx.emitter.value(TensorType(source.tensor.dtype, source.tensor.shape))
    cx.emitter.emit(Scan(combiner, source, axis, result, *kind))
    return result


def _kind(cx: Context, path: str, given: Arguments) -> tuple[bool, bool]:
    """Whether a scan is inclusive, and whether it is reverse."""
    inclusive = static_bool(cx, given.get("inclusive", Literal(True)), f"`inclusive` of I.{path}")
    return inclusive, static_bool(cx, given.get("reverse"), f"`reverse` of I.{path}")
