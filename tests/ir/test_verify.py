"""Each invariant: a kernel that keeps it passes, one that breaks it is reported with its code."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import (
    Allocate,
    Bitcast,
    Broadcast,
    Combiner,
    Constant,
    Contract,
    Dim,
    If,
    Join,
    Load,
    Parallel,
    Pointwise,
    Reduce,
    RequireEqual,
    Reshape,
    Store,
    Subregion,
    Transpose,
    Yield,
)
from intent2cuda.ir.terms import Point, Whole
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import verify, violations
from intent2cuda.types.dtype import BOOL, F16, F32, F64, INDEX
from intent2cuda.types.value_type import Access, BufferType, DomainType, TensorType, scalar

M, N = IntExpr.symbol("M"), IntExpr.symbol("N")


def tensor(b: Builder) -> Value:
    """f32[M, N]"""
    return b.load(b.view("x", F32, ("M", "N")), None, None)


def no_serial(b: Builder) -> None:
    b.emit(Constant(1, Value(scalar(INDEX), 0)))


def use_before_definition(b: Builder) -> None:
    later = b.fresh(scalar(F32))
    b.emit(Pointwise("neg", (later,), b.fresh(scalar(F32))))


def value_of_a_region_outside(b: Builder) -> None:
    with b.parallel(b.domain(0, 4)):
        inner = b.constant(1.0, F32)
    b.pointwise("neg", inner)


def unknown_extent(b: Builder) -> None:
    b.dim("K")


def dtype_of_constant(b: Builder) -> None:
    b.emit(Constant(1, b.fresh(scalar(F32))))


def mixed_dtypes(b: Builder) -> None:
    b.pointwise("add", b.constant(1.0, F32), b.constant(1.0, F64))


def float_bits(b: Builder) -> None:
    b.pointwise("bit_and", b.constant(1.0, F32), b.constant(1.0, F32))


def select_condition(b: Builder) -> None:
    b.pointwise("select", *[b.constant(1.0, F32)] * 3)


def shapes_differ(b: Builder) -> None:
    b.pointwise("add", tensor(b), b.constant(1.0, F32))


def bit_widths(b: Builder) -> None:
    b.emit(Bitcast(b.constant(1.0, F32), b.fresh(scalar(F16))))


def broadcast_map(b: Builder) -> None:
    b.emit(Broadcast(tensor(b), (1, 0), b.fresh(TensorType(F32, (N, M)))))


def broadcast_extent(b: Builder) -> None:
    b.broadcast(tensor(b), (0, 1), (N, N))


def reshape_count(b: Builder) -> None:
    b.reshape(tensor(b), (M,))


def permutation(b: Builder) -> None:
    b.emit(Transpose(tensor(b), (0, 0), b.fresh(TensorType(F32, (M, M)))))


def join_dtype(b: Builder) -> None:
    pair = TensorType(F32, (IntExpr.of(2),))
    b.emit(Join(b.constant(1.0, F32), b.constant(1.0, F64), b.fresh(pair)))


def step_of_subregion(b: Builder) -> None:
    source = b.domain(0, 8, 2)
    b.emit(Subregion(source, None, None, b.fresh(source.type)))


def zero_step(b: Builder) -> None:
    b.emit(Subregion(b.domain(0, 8), None, None, b.fresh(DomainType(M, M, M))))
    b.domain(0, 8, -1)


def number_of_terms(b: Builder) -> None:
    b.emit(Load(b.view("x", F32, ("M",)), (Whole(), Whole()), b.fresh(TensorType(F32, (M,)))))


def float_index(b: Builder) -> None:
    b.emit(Load(b.view("x", F32, ("M",)), (Point(b.constant(1.0, F32)),), b.fresh(scalar(F32))))


def fill_missing(b: Builder) -> None:
    x, zero, valid = b.view("x", F32, ("M",)), b.constant(0), b.constant(True, BOOL)
    b.emit(Load(x, (Point(zero),), b.fresh(scalar(F32)), valid))


def fill_dtype(b: Builder) -> None:
    x, zero, valid, fill = b.view("x", F32, ("M",)), b.constant(0), b.constant(True, BOOL), b.constant(0.0, F64)
    b.emit(Load(x, (Point(zero),), b.fresh(scalar(F32)), valid, fill))


def write_to_input(b: Builder) -> None:
    x = b.view("x", F32, ("M", "N"))
    b.store(x, (None, None), b.load(x, None, None))


def stored_dtype(b: Builder) -> None:
    b.store(b.view("y", F64, (), Access.OUT), (), b.constant(1.0, F32))


def stored_shape(b: Builder) -> None:
    b.store(b.view("y", F32, ("M",), Access.OUT), (None,), b.constant(1.0, F32))


def buffer_init(b: Builder) -> None:
    b.emit(Allocate(b.fresh(BufferType(F32, (M,))), b.constant(1.0, F64)))


def axes_of_reduction(b: Builder) -> None:
    b.emit(Reduce(Combiner.ADD, tensor(b), (1, 1), b.fresh(TensorType(F32, (M,)))))


def extents_of_contraction(b: Builder) -> None:
    x = tensor(b)
    b.emit(Contract(x, x, ((0, 1),), (), b.fresh(TensorType(F32, (N, M)))))


def condition(b: Builder) -> None:
    b.emit(If(b.constant(1), Region((), (Yield(()),)), Region((), (Yield(()),)), ()))


def merged_types(b: Builder) -> None:
    yields = [Region((), (Yield((b.constant(1.0, dtype),)),)) for dtype in (F32, F64)]
    b.emit(If(b.constant(True, BOOL), yields[0], yields[1], (b.fresh(scalar(F32)),)))


def carried_type(b: Builder) -> None:
    b.loop(b.domain(0, 4), [b.constant(0.0, F32)], lambda index, carries: [b.cast(carries[0], F64)])


def parallel_arguments(b: Builder) -> None:
    b.emit(Parallel((b.domain(0, 4),), Region((), (Yield(()),))))


def parallel_carry(b: Builder) -> None:
    point, carry = b.fresh(scalar(INDEX)), b.constant(1)
    b.emit(Parallel((b.domain(0, 4),), Region((point,), (Yield((carry,)),))))


BROKEN: dict[str, Callable[[Builder], None]] = {
    "kir.ssa.serial": no_serial,
    "kir.ssa.dominance": use_before_definition,
    "kir.dim.anonymous": unknown_extent,
    "kir.constant": dtype_of_constant,
    "kir.dtype.mixed": mixed_dtypes,
    "kir.dtype.operator": float_bits,
    "kir.select": select_condition,
    "kir.op.shape": shapes_differ,
    "kir.bitcast": bit_widths,
    "kir.broadcast.map_missing": broadcast_map,
    "kir.broadcast.incompatible": broadcast_extent,
    "kir.reshape.count": reshape_count,
    "kir.permute.not_bijective": permutation,
    "kir.join.dtype": join_dtype,
    "kir.subregion.step": step_of_subregion,
    "kir.domain.step": zero_step,
    "kir.terms.rank": number_of_terms,
    "kir.index.dtype": float_index,
    "kir.load.fill_missing": fill_missing,
    "kir.load.fill_dtype": fill_dtype,
    "kir.view.write": write_to_input,
    "kir.store.dtype": stored_dtype,
    "kir.store.shape": stored_shape,
    "kir.reduce.axes": axes_of_reduction,
    "kir.contract.extent": extents_of_contraction,
    "kir.if.condition": condition,
    "kir.if.yield_type": merged_types,
    "kir.loop.carry_type": carried_type,
    "kir.region.args": parallel_arguments,
    "kir.parallel.carry": parallel_carry,
}


@pytest.mark.req("L2", "L25", "L30", "L31", "L35", "L38", "L41", "L43", "L46", "L54", "L56", "L115")
@pytest.mark.parametrize("code", BROKEN)
def test_a_broken_invariant_is_reported_with_its_code(code: str) -> None:
    builder = Builder("broken")
    BROKEN[code](builder)
    assert code in [violation.code for violation in violations(builder.finish())]


def test_a_value_of_a_region_is_not_visible_outside() -> None:
    builder = Builder("escaped")
    value_of_a_region_outside(builder)
    assert [v.code for v in violations(builder.finish())] == ["kir.ssa.dominance"]


def test_a_buffer_is_filled_with_its_own_dtype() -> None:
    builder = Builder("filled")
    builder.view("x", F32, ("M",))
    buffer_init(builder)
    assert [v.code for v in violations(builder.finish())] == ["kir.store.dtype"]


@pytest.mark.req("L32")
def test_a_required_equality_makes_extents_agree() -> None:
    def kernel(required: bool) -> Builder:
        b = Builder("flat")
        x, y = b.view("x", F32, ("M", "N")), b.view("y", F32, ("K",), Access.OUT)
        flat = b.emit(Reshape(b.load(x, None, None), b.fresh(TensorType(F32, (M * N,))))).result
        if required:
            b.emit(RequireEqual(M * N, IntExpr.symbol("K"), "M*N == K"))
        b.emit(Store(y, (Whole(),), flat))
        return b

    assert verify(kernel(True).finish())
    assert [v.code for v in violations(kernel(False).finish())] == ["kir.store.shape"]


def test_the_error_names_stage_kernel_and_op() -> None:
    b = Builder("broken")
    b.emit(Dim(IntExpr.symbol("K"), b.fresh(scalar(INDEX), "k")))
    with pytest.raises(InternalError, match=r"kernel broken is malformed after folding\nkir.dim.anonymous: .* `dim K`"):
        verify(b.finish(), "folding")
