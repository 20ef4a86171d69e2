"""Text forms read back, digests and ids."""

from __future__ import annotations

import pytest

from intent2cuda.base.intexpr import IntExpr, ceiling, maximum, minimum
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.digest import kernel_digest, op_ids
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import (
    Allocate,
    ArgReduce,
    AssumeInBounds,
    Bitcast,
    Combiner,
    Constant,
    For,
    If,
    Join,
    Load,
    Parallel,
    RequireEqual,
    While,
    Yield,
)
from intent2cuda.ir.printer import text
from intent2cuda.ir.reader import NotationError, read
from intent2cuda.ir.terms import Point, Slice, Whole
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import violations
from intent2cuda.types.dtype import BOOL, F32, I32, INDEX
from intent2cuda.types.value_type import Access, BufferType, TensorType, scalar

M, N = IntExpr.symbol("M"), IntExpr.symbol("N")


def coordinates(b: Builder) -> None:
    x = b.view("x", F32, ("M", "N"))
    first, step = b.scalar("first"), b.scalar("step")
    rows = b.domain(first, b.dim("M"), step, name="rows")
    b.indices(rows, name="row")
    part = b.subregion(b.domain(0, b.dim("N")), first, None, name="part")
    b.load(x, rows, part)
    cut = Slice(first, N - b.expression(first))
    b.load(x, None, cut)
    for expression in (minimum(M, N) * 2 - 3, maximum(M // 2, N % 4), ceiling(M * N, 16), -M, IntExpr.of(0)):
        b.dim(expression)
    b.emit(RequireEqual(M * N, b.expression(first), 'M*N == "first"'))
    b.emit(AssumeInBounds(first, x, 1))


def constants(b: Builder) -> None:
    for value in (1.0, -0.0, 1e-05, float("inf"), float("-inf"), float("nan"), 3.4028234663852886e38):
        b.constant(value, F32)
    b.emit(Constant(0.1, b.fresh(scalar(F32)), literal="0.1"))
    b.constant(-5, I32)
    b.constant(True, BOOL)


def shapes(b: Builder) -> None:
    value = b.load(b.view("x", F32, ("M", 4)), None, None, name="value")
    b.transpose(value, (1, 0))
    b.reshape(value, (M * 4,))
    b.broadcast(value, (None, 0, 1), (2, M, 4))
    b.emit(Join(value, value, b.fresh(TensorType(F32, (M, IntExpr.of(4), IntExpr.of(2))))))
    b.emit(ArgReduce(value, 1, (b.fresh(TensorType(F32, (M,)), "best"), b.fresh(TensorType(INDEX, (M,)), "at"))))
    b.emit(Bitcast(value, b.fresh(TensorType(I32, value.tensor.shape))))
    b.contract(value, value, ((0, 0),))
    b.reduce(Combiner.MAXIMUM, value, (0, 1), name="most")


def control(b: Builder) -> None:
    x = b.view("x", F32, ("N",), Access.INOUT)
    buffer = b.emit(Allocate(b.fresh(BufferType(F32, (N,)), "scratch"))).result
    zero, n = b.constant(0.0, F32), b.dim("N")

    def turn(index: Value, carries: tuple[Value, ...]) -> list[Value]:
        value = b.load(buffer, index, name="value")
        large = b.pointwise("gt", value, carries[0], name="large")
        return list(b.branch(large, lambda: [value], lambda: [carries[0]]))

    (total,) = b.loop(b.domain(0, n), [zero], turn)
    b.store(x, (b.constant(0),), total)
    carry, again = b.fresh(scalar(F32), "carry"), b.fresh(scalar(F32), "carry")
    condition = b.fresh(scalar(BOOL))
    test = Region((carry,), (Constant(False, condition), Yield((condition,))))
    b.emit(While((zero,), test, Region((again,), (Yield((again,)),)), (b.fresh(scalar(F32), "last"),)))
    stop = b.fresh(scalar(BOOL))
    stopped = Region((b.fresh(scalar(INDEX), "i"),), (Constant(True, stop), Yield((), stop)))
    b.emit(For(b.domain(0, n), (), stopped, ()))


def guarded(b: Builder) -> None:
    x = b.view("x", F32, ("N",))
    zero, valid, fill = b.constant(0), b.constant(True, BOOL), b.constant(0.0, F32)
    b.emit(Load(x, (Point(zero),), b.fresh(scalar(F32)), valid, fill))
    b.emit(Load(x, (Whole(),), b.fresh(TensorType(F32, (N,)))))


KERNELS = {make.__name__: make for make in (coordinates, constants, shapes, control, guarded)}


def build(name: str) -> Kernel:
    b = Builder(name)
    KERNELS[name](b)
    return b.finish()


@pytest.mark.parametrize("name", KERNELS)
def test_print_read_print_is_a_fixed_point(name: str) -> None:
    kernel = build(name)
    assert not violations(kernel)
    again = read(text(kernel))
    assert text(again) == text(kernel)
    assert not violations(again)
    assert kernel_digest(again) == kernel_digest(kernel)
    assert list(op_ids(again).values()) == list(op_ids(kernel).values())


def test_head_with_constexprs_documentation_and_layouts() -> None:
    head = """\
kernel k(
  %x: In f32[M, N] strides=(none, 1) noalias,
  %y: Out u8[] strides=() alias="pool",
  %n: i32
) constexprs=(("BLOCK", "4")) doc="Says \\"hello\\"." {
}
"""
    kernel = read(head)
    assert text(kernel) == head
    assert kernel.constexprs == (("BLOCK", "4"),) and kernel.doc == 'Says "hello".'


def test_places_are_comments() -> None:
    kernel = build("control")
    assert text(read(text(kernel, places=True).replace("{\n", "{  // here\n"))) == text(kernel)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ("kernel k(\n) {\n  frobnicate\n}", "line 3: frobnicate is no op"),
        ("kernel k(\n) {\n  store %y[:], %v\n}", "line 3: %y is not defined"),
        ("kernel k(\n  %x: q7\n) {\n}", "line 2: q7 is no type"),
        ("kernel k(\n) {\n  %0: f32 = constant\n}", "line 4: } is no value"),
        ("kernel k(\n) {\n  ?\n}", "line 3: `\\?` begins nothing"),
        ("kernel k(\n) {\n", "is no op|missing"),
    ],
)
def test_departures_are_told_with_their_line(broken: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        read(broken)


def renamed(local: str, extra: bool = False, factor: float = 2.0) -> Kernel:
    b = Builder("scale")
    x, y = b.view("x", F32, ("N",)), b.view("y", F32, ("N",), Access.OUT)
    if extra:
        b.dim(N + 1)
    with b.parallel(b.domain(0, b.dim("N"), name=local + "s"), names=(local,)) as (i,):
        b.store(y, (i,), b.pointwise("mul", b.load(x, i, name=local + "_value"), b.constant(factor, F32)))
    return b.finish()


@pytest.mark.req("L16", "L21")
def test_names_of_locals_do_not_change_the_digest() -> None:
    assert kernel_digest(renamed("row")) == kernel_digest(renamed("i"))
    assert kernel_digest(renamed("row")) != kernel_digest(renamed("row", factor=3.0))
    assert list(op_ids(renamed("row")).values()) == list(op_ids(renamed("i")).values())


def named(kernel: Kernel) -> dict[str, str]:
    ids = op_ids(kernel)
    return {kind.__name__: ids[op] for kind in (Parallel, Load) for op in walk(kernel.body) if isinstance(op, kind)}


def test_an_edit_keeps_the_ids_of_other_ops() -> None:
    assert named(renamed("i")) == named(renamed("i", extra=True)) == named(renamed("i", factor=3.0))


def test_equal_twins_have_different_ids() -> None:
    kernel = build("constants")
    ids = op_ids(kernel)
    ops: list[Op] = list(walk(kernel.body))
    assert len(set(ids.values())) == len(ops)


def test_branches_tell_their_regions_apart() -> None:
    b = Builder("branch")
    condition = b.constant(True, BOOL)
    b.branch(condition, lambda: [b.constant(1)], lambda: [b.constant(1)])
    kernel = b.finish()
    ids = op_ids(kernel)
    (branch,) = [op for op in walk(kernel.body) if isinstance(op, If)]
    assert ids[branch.then_body.ops[0]] != ids[branch.else_body.ops[0]]
