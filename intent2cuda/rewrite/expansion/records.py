"""Quantised records as arithmetic on their bytes: making q8_k, and the product of q4_k and q8_k.

Integer sums are exact; `rounded` stands wherever the formats prescribe a rounding to f32 that must not be fused away.
"""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir import infer
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Combiner, Gather, Quantize, QuantizedDot
from intent2cuda.ir.terms import Lanes, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import F16, F32, F64, I8, I16, I32, INDEX, U8, U16, U32, DType
from intent2cuda.types.value_type import TensorType

MEMBERS = 256
RECORD_BYTES = 292
GROUPS, GROUP = 8, 32
SUMS, SUM = 16, 16
MAGIC = 12582912.0
"""1.5 * 2^23: adding it rounds a small number to an integer, ties to even; taking it away again gives the integer."""


class _Terms:
    """Arithmetic in a few letters: operands are values of one shape, or numbers that stand for every element."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def of(self, fn: str, like: Value, *rest: Value | int | float, name: str = "") -> Value:
        return self.builder.pointwise(fn, like, *(self.everywhere(like, r) for r in rest), name=name)

    def everywhere(self, like: Value, number: Value | int | float) -> Value:
        if isinstance(number, Value):
            return number
        constant = self.builder.constant(number, like.tensor.dtype)
        shape = like.tensor.shape
        return self.builder.broadcast(constant, (None,) * len(shape), shape) if shape else constant

    def positions(self, extent: int) -> Value:
        builder = self.builder
        return builder.indices(builder.domain(builder.constant(0), builder.constant(extent)))

    def spread(self, source: Value, axes: Sequence[int | None], like: Value) -> Value:
        return self.builder.broadcast(source, axes, like.tensor.shape)

    def at(self, source: Value, positions: Value) -> Value:
        """The members of the last axis at some positions."""
        terms: tuple[Term, ...] = (*(Whole(),) * (source.tensor.rank - 1), Lanes(positions))
        shape = infer.selected_shape(source.tensor.shape, terms)
        kind = TensorType(source.tensor.dtype, shape)
        return self.builder.emit(Gather(source, terms, self.builder.fresh(kind))).result

    def part(self, source: Value, begin: int, extent: int) -> Value:
        """`extent` members of the last axis."""
        first = self.builder.constant(begin)
        terms: tuple[Term, ...] = (*(Whole(),) * (source.tensor.rank - 1), Slice(first, IntExpr.of(extent)))
        kind = TensorType(source.tensor.dtype, infer.selected_shape(source.tensor.shape, terms))
        return self.builder.emit(Gather(source, terms, self.builder.fresh(kind))).result

    def bits(self, source: Value, dtype: DType, name: str = "") -> Value:
        return self.builder.bitcast(source, dtype, name)

    def number(self, records: Value, begin: int, dtype: DType, name: str) -> Value:
        """The little-endian number that stands at a byte of each record."""
        carrier = U16 if dtype.bits == 16 else U32
        total: Value | None = None
        for place in range(dtype.bytes):
            byte = self.part(records, begin + place, 1)
            byte = self.builder.cast(self.builder.reshape(byte, records.tensor.shape[:1]), carrier)
            byte = self.of("shl", byte, 8 * place) if place else byte
            total = byte if total is None else self.of("bit_or", total, byte)
        assert total is not None
        return self.bits(total, dtype, name)


def quantized_dot(builder: Builder, op: QuantizedDot) -> tuple[Value, ...]:
    """The value of each pair of records, then their sum."""
    before, builder.routine = builder.routine, "quantized_dot"
    total = _quantized_dot(_Terms(builder), op)
    builder.routine = before
    return (total,)


def _quantized_dot(t: _Terms, op: QuantizedDot) -> Value:
    builder = t.builder
    records = op.lhs.tensor.shape[0]
    group, member = t.positions(GROUPS), t.positions(GROUP)
    scales, minima = _six_bits(t, op.lhs, group)
    shape = (records, IntExpr.of(GROUPS), IntExpr.of(GROUP))
    frame = builder.fresh(TensorType(INDEX, shape[1:]))
    row, column = t.spread(group, (0, None), frame), t.spread(member, (None, 0), frame)
    pair = t.of("floordiv", row, 2, name="pair")
    byte = t.of("add", t.of("mul", pair, GROUP), t.of("add", column, 16))
    nibbles = builder.cast(t.at(op.lhs, byte), U32)
    shift = builder.broadcast(builder.cast(t.of("mul", t.of("mod", row, 2), 4), U32, "shift"), (None, 0, 1), shape)
    weights = builder.cast(t.of("bit_and", t.of("shr", nibbles, shift), 15), I32, "nibble")
    place = t.of("add", t.of("mul", row, GROUP), t.of("add", column, 4))
    members = builder.cast(t.bits(t.at(op.rhs, place), I8), I32, "member")
    products = t.of("mul", weights, members)
    scaled = t.of("mul", products, builder.broadcast(scales, (0, 1, None), shape))
    total = builder.reduce(Combiner.ADD, scaled, (1, 2), "total")
    offset = builder.reduce(Combiner.ADD, t.of("mul", minima, _pair_sums(t, op.rhs, group)), (1,), "deduction")
    p = _once(t, t.number(op.lhs, 0, F16, "scale_unit"), total, "scaled_total")
    n = _once(t, t.number(op.lhs, 2, F16, "minimum_unit"), offset, "scaled_deduction")
    difference = t.of("rounded", t.of("sub", p, n))
    value = t.of("rounded", t.of("mul", t.number(op.rhs, 0, F32, "member_unit"), difference))
    return builder.reduce(Combiner.ADD, value, (0,))


def _once(t: _Terms, factor: Value, integer: Value, name: str) -> Value:
    """The f16 times the integer, rounded to f32 once: f64 holds the product exactly."""
    product = t.of("mul", t.builder.cast(factor, F64), t.builder.cast(integer, F64))
    return t.of("rounded", t.builder.cast(product, F32), name=name)


def _six_bits(t: _Terms, records: Value, group: Value) -> tuple[Value, Value]:
    """The scales and the minima of the groups, i32 [records, 8]."""
    builder = t.builder
    place = t.of("mod", group, 4, name="place")
    names = {4: "scale_bits", 8: "minimum_bits", 12: "shared_bits"}
    first, second, third = (
        builder.cast(t.at(records, t.of("add", place, begin)), U32, name) for begin, name in names.items()
    )
    early = t.spread(t.of("lt", group, 4), (None, 0), first)

    def upper(source: Value) -> Value:
        return t.of("shl", t.of("shr", source, 6), 4)

    late = t.of("bit_or", t.of("bit_and", third, 15), upper(first))
    scales = builder.pointwise("select", early, t.of("bit_and", first, 63), late)
    late = t.of("bit_or", t.of("shr", third, 4), upper(second))
    minima = builder.pointwise("select", early, t.of("bit_and", second, 63), late)
    return builder.cast(scales, I32, "scale"), builder.cast(minima, I32, "minimum")


def _pair_sums(t: _Terms, records: Value, group: Value) -> Value:
    """For each group the sum of its two partial sums, i32 [records, 8]."""
    builder = t.builder
    sums: list[Value] = []
    for half, name in enumerate(("first_sum", "second_sum")):
        begin = t.of("add", t.of("mul", group, 4), 4 + MEMBERS + 2 * half)
        low = builder.cast(t.at(records, begin), U16)
        high = builder.cast(t.at(records, t.of("add", begin, 1)), U16)
        sums.append(builder.cast(t.bits(t.of("bit_or", low, t.of("shl", high, 8)), I16), I32, name))
    return t.of("add", sums[0], sums[1])


def quantize(builder: Builder, op: Quantize) -> tuple[Value, ...]:
    """Every byte of the records from its place: four of the scale, the members, two for each sum of sixteen."""
    t = _Terms(builder)
    records = op.source.tensor.shape[0]
    high = builder.reduce(Combiner.MAXIMUM, op.source, (1,))
    low = builder.reduce(Combiner.MINIMUM, op.source, (1,))
    larger = builder.pointwise("gt", t.of("abs", high), t.of("abs", low))
    extreme = builder.pointwise("select", larger, high, low)
    some = t.of("ne", extreme, 0.0)
    inverse = builder.pointwise("div", t.everywhere(extreme, -127.0), extreme)
    inverse = t.of("rounded", builder.pointwise("select", some, inverse, t.everywhere(extreme, 0.0)))
    scale = builder.pointwise("div", t.everywhere(inverse, 1.0), inverse)
    scale = builder.pointwise("select", some, scale, t.everywhere(inverse, 0.0))
    scaled = t.of("rounded", t.of("mul", op.source, t.spread(inverse, (0, None), op.source)))
    whole = t.of("sub", t.of("rounded", t.of("add", scaled, MAGIC)), MAGIC)
    members = builder.cast(t.of("minimum", t.of("maximum", whole, -128.0), 127.0), I32)
    sums = builder.reduce(Combiner.ADD, builder.reshape(members, (records, SUMS, SUM)), (2,))
    byte = t.positions(RECORD_BYTES)

    def shifted(bits: Value, place: Value) -> Value:
        amount = t.spread(builder.cast(t.of("mul", place, 8), U32), (None, 0), bits)
        return t.of("bit_and", t.of("shr", bits, amount), 255)

    shape = (records, IntExpr.of(RECORD_BYTES))
    head = builder.broadcast(t.bits(scale, U32), (0, None), shape)
    head = shifted(head, t.of("minimum", byte, 3))
    middle = t.bits(t.at(members, t.of("minimum", t.of("maximum", t.of("sub", byte, 4), 0), MEMBERS - 1)), U32)
    behind = t.of("maximum", t.of("sub", byte, 4 + MEMBERS), 0)
    tail = shifted(t.bits(t.at(sums, t.of("floordiv", behind, 2)), U32), t.of("mod", behind, 2))
    is_head, is_member = (builder.broadcast(t.of("lt", byte, end), (None, 0), shape) for end in (4, 4 + MEMBERS))
    inner = builder.pointwise("select", is_member, t.of("bit_and", middle, 255), tail)
    return (builder.cast(builder.pointwise("select", is_head, head, inner), U8),)
