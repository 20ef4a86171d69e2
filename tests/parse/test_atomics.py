"""Atomic accesses and scatters that combine: their ops, their orders, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import (
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Combiner,
    CompareExchange,
    Order,
    ScatterReduce,
    Update,
)
from intent2cuda.ir.printer import text
from intent2cuda.ir.reader import read
from intent2cuda.ir.terms import Lanes, Point, Whole
from tests.conftest import Golden

from .texts import parsed, refused, source

PARAMETERS = (
    "c: I.InOut[I.i32, (4,)], f: I.InOut[I.f32, (4,)], b: I.InOut[I.bool, (4,)], e: I.InOut[I.f8e5m2, (4,)], "
    'x: I.In[I.i32, ("N",)], r: I.In[I.i32, (4,)], o: I.Out[I.i32, ("N",)]'
)

UPDATES = {
    "add": Update.ADD,
    "max": Update.MAX,
    "min": Update.MIN,
    "exchange": Update.EXCHANGE,
    "and_": Update.AND,
    "or_": Update.OR,
    "xor": Update.XOR,
}


def ops(kernel: Kernel, kind: type) -> list:
    return [op for op in walk(kernel.body) if isinstance(op, kind)]


def accepted(folder: Path, body: str) -> Kernel:
    """The kernel of a body; its text is a fixed point of printing and reading."""
    kernel = parsed(folder, source(body, PARAMETERS))
    assert text(read(text(kernel))) == text(kernel)
    return kernel


def test_golden(tmp_path: Path, golden: Golden) -> None:
    body = """
        for i in I.parallel(I.domain(0, x.shape[0])):
            ticket = I.atomic.add(c, index=(0,), value=1, order="acq_rel")
            swap = I.atomic.compare_exchange(c, index=(x[i],), expected=0, desired=ticket, order="acquire")
            if swap.success:
                I.atomic.store(c, index=(2,), value=swap.old_value, order="release")
            o[i] = I.atomic.load(c, index=(3,), order="acquire")
            I.scatter_reduce(f, index=(x[i],), value=0.5, combine=I.add)
    """
    golden.check("atomics.txt", text(accepted(tmp_path, body)))


@pytest.mark.req("L119", "L124")
@pytest.mark.parametrize("order", ["relaxed", "acquire", "release", "acq_rel"])
@pytest.mark.parametrize("name", UPDATES)
def test_updates_take_every_order(tmp_path: Path, name: str, order: str) -> None:
    body = f'old = I.atomic.{name}(c, index=(1,), value=x[0], order="{order}")\no[0] = old'
    (found,) = ops(accepted(tmp_path, body), AtomicUpdate)
    assert (found.update, found.order, found.result.name) == (UPDATES[name], Order(order), "old")
    assert found.result.tensor.is_scalar


@pytest.mark.req("L119", "L124")
def test_loads_and_stores_keep_their_order(tmp_path: Path) -> None:
    body = """
        I.atomic.store(c, index=(0,), value=1, order="relaxed")
        I.atomic.store(c, index=(0,), value=2, order="release")
        o[0] = I.atomic.load(c, index=(0,), order="relaxed")
        o[1] = I.atomic.load(c, index=(0,), order="acquire")
    """
    kernel = accepted(tmp_path, body)
    assert [op.order.value for op in ops(kernel, AtomicStore)] == ["relaxed", "release"]
    assert [op.order.value for op in ops(kernel, AtomicLoad)] == ["relaxed", "acquire"]


@pytest.mark.req("L119")
@pytest.mark.parametrize(
    ("index", "terms", "shape"),
    [
        ("(0,)", [Point], []),
        ("0", [Point], []),
        ("-1", [Point], []),
        ("slice(None)", [Whole], ["4"]),
        ("(x[:],)", [Lanes], ["N"]),
        ("(...,)", [Whole], ["4"]),
    ],
)
def test_every_selected_element_is_updated(tmp_path: Path, index: str, terms: list[type], shape: list[str]) -> None:
    (found,) = ops(accepted(tmp_path, f'I.atomic.add(c, {index}, 1, "relaxed")'), AtomicUpdate)
    assert [type(term) for term in found.terms] == terms
    assert [str(e) for e in found.result.tensor.shape] == [str(e) for e in found.value.tensor.shape] == shape


@pytest.mark.req("L119", "L123")
def test_buffers_are_atomic_objects(tmp_path: Path) -> None:
    body = 't = I.buffer((2,), I.f32, init=0.0)\nI.atomic.max(t, index=(0,), value=f[0], order="relaxed")\nf[1] = t[0]'
    (found,) = ops(accepted(tmp_path, body), AtomicUpdate)
    assert found.resource.name == "t"


def test_an_exchange_of_any_dtype(tmp_path: Path) -> None:
    body = """
        I.atomic.exchange(b, index=(0,), value=True, order="relaxed")
        I.atomic.exchange(e, index=(0,), value=1.5, order="relaxed")
        I.atomic.compare_exchange(f, index=(0,), expected=0.0, desired=1.0, order="relaxed")
    """
    kernel = accepted(tmp_path, body)
    assert [op.result.tensor.dtype.name for op in ops(kernel, AtomicUpdate)] == ["bool", "f8e5m2"]
    (swap,) = ops(kernel, CompareExchange)
    assert [v.tensor.dtype.name for v in swap.results] == ["f32", "bool"]


def test_arguments_are_evaluated_in_the_order_of_the_text(tmp_path: Path) -> None:
    draw = '@intent.fn\ndef draw(t):\n    return I.atomic.add(t, index=(0,), value=1, order="relaxed")\n\n\n'
    pick = "@intent.fn\ndef pick(a, b):\n    return a * 10 + b\n\n\n"
    kernel = parsed(tmp_path, source("o[0] = pick(b=draw(c), a=draw(c))", PARAMETERS, draw + pick))
    first, second = ops(kernel, AtomicUpdate)
    (ten,) = [op for op in walk(kernel.body) if getattr(op, "fn", "") == "mul"]
    assert ten.args[0] is second.result and first.result is not second.result


@pytest.mark.req("L118")
def test_a_scatter_adds_each_element(tmp_path: Path) -> None:
    body = "I.scatter_reduce(c, index=(x[:],), value=1, combine=I.add)\nI.scatter_reduce(o, (x[0],), x[1], I.add)"
    first, second = ops(accepted(tmp_path, body), ScatterReduce)
    assert (first.combiner, [type(t) for t in first.terms]) == (Combiner.ADD, [Lanes])
    assert [str(e) for e in first.value.tensor.shape] == ["N"]
    assert second.resource.name == "o" and not second.value.tensor.shape


REFUSED = [
    ('I.atomic.load(c, index=(0,), order="release")', "kir.atomic.order", "I.atomic.load", '"acquire"'),
    ('I.atomic.store(c, index=(0,), value=1, order="acq_rel")', "kir.atomic.order", "I.atomic.store", '"release"'),
    ('I.atomic.add(c, index=(0,), value=1, order="seq_cst")', "kir.atomic.order", "seq_cst", '"acq_rel"'),
    ('I.atomic.add(c, index=(0,), value=1, order="Acquire")', "kir.atomic.order", "Acquire", '"acquire"'),
    ("I.atomic.add(c, index=(0,), value=1, order=x[0])", "kir.atomic.order", "compile-time string", "order="),
    ("I.atomic.add(c, index=(0,), value=1, order=I.f32)", "kir.atomic.order", "I.f32", "order="),
    ('I.atomic.add(c, index=(0,), value=1, order="relaxed", scope="gpu")', "src.atomic.scope", "scope", "leave"),
    ('I.atomic.add(r, index=(0,), value=1, order="relaxed")', "kir.atomic.view", "`r` is an In view", "I.InOut"),
    ('I.atomic.load(o, index=(0,), order="relaxed")', "kir.atomic.view", "`o` is an Out view", "I.InOut"),
    ('I.atomic.add(x[:], index=(0,), value=1, order="relaxed")', "kir.value.immutable", "immutable", "I.buffer"),
    ('I.atomic.xor(f, index=(0,), value=1.0, order="relaxed")', "kir.atomic.dtype", "xor takes integers", "integer"),
    ('I.atomic.or_(b, index=(0,), value=True, order="relaxed")', "kir.atomic.dtype", "not bool", "integer"),
    ('I.atomic.min(b, index=(0,), value=True, order="relaxed")', "kir.atomic.dtype", "does not take bool", "I.i32"),
    ('I.atomic.add(e, index=(0,), value=1.0, order="relaxed")', "kir.atomic.dtype", "f8e5m2", "I.f32"),
    ('I.atomic.add(c, index=(0,), value=f[0], order="relaxed")', "kir.atomic.dtype", "`value`", "I.cast"),
    (
        'I.atomic.compare_exchange(c, (0,), expected=0, desired=f[0], order="relaxed")',
        "kir.atomic.dtype",
        "`desired`",
        "I.cast",
    ),
    ('I.atomic.add(c, index=(0,), value=x[:], order="relaxed")', "kir.store.shape", "rank 1", "extents"),
    ('I.atomic.add(c, index=(None, 0), value=1, order="relaxed")', "kir.index.new_axis", "new axes", "view"),
    ('o[0] = I.atomic.store(c, index=(0,), value=1, order="relaxed")', "kir.atomic.value", "store", "exchange"),
    ('I.atomic.sub(c, index=(0,), value=1, order="relaxed")', "src.name.unknown", "I.atomic.sub", "I.atomic.add"),
    ('I.atomic.fence(order="relaxed")', "src.name.unknown", "I.atomic.fence", "I.atomic.add"),
    ("I.scatter_reduce(c, (x[:],), 1, I.maximum)", "kir.scatter.combine", "I.maximum", "I.add"),
    ("I.scatter_reduce(c, (x[:],), 1, combine=I.i32)", "kir.scatter.combine", "I.i32", "I.add"),
    ("I.scatter_reduce(b, (x[:],), True, I.add)", "kir.scatter.dtype", "`b` are bool", "I.i32"),
    ("I.scatter_reduce(r, (x[:],), 1, I.add)", "kir.view.write", "`r` is an In view", "InOut"),
    ("I.scatter_reduce(c, (x[:],), f[0], I.add)", "kir.store.dtype", "f32", "I.cast"),
    ("o[0] = I.scatter_reduce(c, (x[:],), 1, I.add)", "kir.scatter.value", "no value", "I.atomic.add"),
    ("o[0] = I.store(c, 0, 1)", "src.call.no_value", "I.store", "statement"),
]


@pytest.mark.req("L119", "L122", "L118")
@pytest.mark.parametrize(("body", "code", "message", "help"), REFUSED, ids=[r[0] for r in REFUSED])
def test_what_is_refused(tmp_path: Path, body: str, code: str, message: str, help: str) -> None:
    (found,) = refused(tmp_path, source(body, PARAMETERS))
    assert found.code == code
    assert message in found.message and help in found.help
    assert found.span is not None and found.span.line == 7


def test_a_record_is_no_condition(tmp_path: Path) -> None:
    body = 'if I.atomic.compare_exchange(c, 0, 0, 1, "relaxed"):\n    o[0] = 1'
    (found,) = refused(tmp_path, source(body, PARAMETERS))
    assert (found.code, "success" in found.help) == ("kir.if.condition", True)
