"""Operations without a stage are written out: a decision that the portable plan records, with its size left open."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.base.intexpr import Symbol, symbols
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Contract, RegionFold, Store, Yield
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan, portable_text
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.portable import DecisionKind, PortablePlan
from intent2cuda.plan.quantity import Exact
from intent2cuda.plan.writing_out import Open, with_sizes, written_out

SOURCE = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.fn
def part(x, y):
    return I.reduce.sum(x[:, :, None] * y[:, None, :], axis=0)

@intent.fn
def rows(x):
    return I.reduce.sum(x, axis=0)

@intent.fn
def added(a, b):
    return a + b

@intent.kernel
def segments(x: I.In[I.f32, ("K", "g")], y: I.Out[I.f32, ("K", "g")]):
    none = I.zeros((x.shape[1], x.shape[1]), dtype=I.f32)
    total = I.region_fold((x[:, :], x[:, :]), 0, part, added, none)
    y[:, :] = I.matmul(x[:, :], total, acc_dtype=I.f32)

@intent.kernel
def one_piece(x: I.In[I.f32, ("K", "N")], y: I.Out[I.f32, ("N",)]):
    y[:] = I.region_fold(x[:, :], 0, rows, added, I.zeros((x.shape[1],), dtype=I.f32))

@intent.kernel
def plain(x: I.In[I.f32, ("K",)], y: I.Out[I.f32, ("K",)]):
    y[:] = x[:] + 1.0
"""


@pytest.fixture
def kernels(tmp_path: Path) -> dict[str, Kernel]:
    file = tmp_path / "k.py"
    file.write_text(SOURCE)
    return {name: parse_kernel(file, name).kernel for name in ("segments", "one_piece", "plain")}


def written(portable: PortablePlan) -> list[str]:
    return [d.reason for d in portable.decisions if d.kind is DecisionKind.WRITE_OUT]


@pytest.mark.req("P17")
def test_segments_have_an_open_length_and_keep_the_order(kernels: dict[str, Kernel]) -> None:
    """The name of the symbol is one that the author does not use."""
    portable = plan(kernels["segments"], "cpu").portable
    assert written(portable) == ["region_fold as segments of g1 members, merged in source order"]
    assert [(p.symbol, p.least) for p in portable.parameters] == [("g1", 1)]
    merges = [work.count for decision in portable.decisions for work in decision.extra]
    assert any(isinstance(count, Exact) and Symbol("g1") in symbols(count.expression) for count in merges)


def test_other_forms_leave_nothing_open(kernels: dict[str, Kernel]) -> None:
    one_piece, plain = plan(kernels["one_piece"], "cpu").portable, plan(kernels["plain"], "cpu").portable
    assert written(one_piece) == ["region_fold over the whole axis at once"] and one_piece.parameters == ()
    assert written(plain) == [] and plain.parameters == ()
    assert written_out(kernels["plain"]).kernel is kernels["plain"]


@pytest.mark.req("P2")
def test_the_length_is_no_part_of_portable_layers(kernels: dict[str, Kernel]) -> None:
    plans = [plan(kernels["segments"], target) for target in ("cpu", "cuda")]
    assert len({p.portable.digest for p in plans}) == len({p.planset.digest for p in plans}) == 1
    assert "64" not in portable_text(plans[0])


def test_identifiers_are_those_of_the_authors_ops_whatever_the_length(kernels: dict[str, Kernel]) -> None:
    author = Identities(kernels["segments"])
    found = [
        Identities(made, author)
        for made in (
            written_out(kernels["segments"]).kernel,
            *(with_sizes(kernels["segments"], {Open.FOLD: n}) for n in (16, 64)),
        )
    ]
    loops = [[i.op(op) for op in i.ops if not isinstance(op, Contract | Store)] for i in found]
    kept = [{i.op(op) for op in i.ops if isinstance(op, Contract | Store)} for i in found]
    (fold,) = (author.op(op) for op in walk(kernels["segments"].body) if isinstance(op, RegionFold))
    assert kept[0] == kept[1] == kept[2] <= set(author.ops.values())
    assert loops[1] == loops[2] and f"{fold}/for" in loops[0]
    assert all(i.of_author(op) in author.ops.values() for i in found for op in i.ops if not isinstance(op, Yield))


def test_buffers_of_the_author_stay_although_nothing_reads_them(tmp_path: Path) -> None:
    """Decisions are about the author's kernel: what it stores is still there beside what is written out."""
    (tmp_path / "k.py").write_text(
        "import intent2cuda as intent\nimport intent2cuda.language as I\n\n"
        "@intent.fn\ndef added(a, b):\n    return a + b\n\n"
        '@intent.kernel\ndef k(x: I.In[I.i32, ("M", "N")], y: I.Out[I.i32, ("M",)]):\n'
        "    unread = I.buffer((x.shape[1],), I.i32, init=0)\n"
        "    for n in range(x.shape[1]):\n        unread[n] = 1\n"
        "    y[:] = I.reduce(x[:, :], 1, 0, added)\n"
    )
    assert plan(parse_kernel(tmp_path / "k.py", "k").kernel, "cpu")
