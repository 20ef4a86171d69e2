"""Region operations: any division of the axis gives one result, in order, and nobody sees where the borders are."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import intent2cuda as intent
from intent2cuda import interpret
from intent2cuda.interpret import regions
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import results
from intent2cuda.ir.ops import Contract, Reduce, RegionFold, RegionScan, Scan
from intent2cuda.ir.printer import text

from ..parse.texts import parsed, refused, source
from ..property.naive import Naive

HORNER = """
    @intent.fn
    def hashed(part, base):
        after = I.scan(I.zeros(part.shape, I.u32) + base, 0, 1, times, inclusive=False, reverse=True)
        return I.record(hash=I.reduce.sum(part * after, axis=0), power=I.reduce(after * 0 + base, 0, 1, times))


    @intent.fn
    def times(a, b):
        return a * b


    @intent.fn
    def joined(a, b):
        return I.record(hash=a.hash * b.power + b.hash, power=a.power * b.power)


"""
FOLD = """
    nothing = I.record(hash=I.cast(0, I.u32), power=I.cast(1, I.u32))
    o[()] = I.region_fold(x[:], 0, hashed, joined, nothing, operands=(base,)).hash
"""
FOLD_VIEWS = 'x: I.In[I.u32, ("N",)], base: I.u32, o: I.Out[I.u32, ()]'

ACCOUNT = """
    @intent.fn
    def summed(part):
        return I.reduce.sum(part, axis=0)


    @intent.fn
    def plus(a, b):
        return a + b


    @intent.fn
    def halved(total, state):
        return state + total


    @intent.fn
    def balances(part, state):
        return I.record(after=I.cumsum(part, axis=0) + state, before=I.cumsum(part, axis=0, inclusive=False) + state)


"""
SCAN = """
    nothing = I.cast(0, I.i32)
    lines, last = I.region_scan(x[:], 0, summed, plus, nothing, start, halved, balances)
    after[:] = lines.after
    before[:] = lines.before
    end[()] = last
"""
SCAN_VIEWS = (
    'x: I.In[I.i32, ("N",)], start: I.i32, after: I.Out[I.i32, ("N",)], before: I.Out[I.i32, ("N",)], '
    "end: I.Out[I.i32, ()]"
)

CAUSAL = """
    @intent.fn
    def seen(key, value, place, query, at):
        score = I.matmul(query, key, acc_dtype=I.f32, transpose_rhs=True)
        weight = I.mask(score, valid=place[None, :] <= at[:, None], fill=0.0)
        return I.record(mass=I.reduce.sum(weight, axis=1), mix=I.matmul(weight, value, acc_dtype=I.f32))


    @intent.fn
    def both(a, b):
        return I.record(mass=a.mass + b.mass, mix=a.mix + b.mix)


"""
ATTENTION = """
    rows, keys = I.domain(0, q.shape[0]), I.domain(0, k.shape[0])
    nothing = I.record(mass=I.zeros((q.shape[0],), I.f32), mix=I.zeros((q.shape[0], v.shape[1]), I.f32))
    found = I.region_fold(
        (k[keys, :], v[keys, :], I.indices(keys)), 0, seen, both, nothing, operands=(q[:, :], I.indices(rows))
    )
    o[:, :] = found.mix
    mass[:] = found.mass
"""
ATTENTION_VIEWS = (
    'q: I.In[I.f32, ("Q", "D")], k: I.In[I.f32, ("K", "D")], v: I.In[I.f32, ("K", "E")], '
    'o: I.Out[I.f32, ("Q", "E")], mass: I.Out[I.f32, ("Q",)]'
)

SIZES = (1, 2, 7, 10**6)


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Every slice of the interpreter has this extent, the last one what is left."""
    chosen: int = request.param

    def cuts(extent: int, chance: object) -> list[slice]:
        return [slice(k, min(k + chosen, extent)) for k in range(0, extent, chosen)]

    monkeypatch.setattr(regions, "cuts", cuts)
    return chosen


def horner(numbers: np.ndarray, base: int) -> int:
    found = 0
    for number in numbers.tolist():
        found = (found * base + number) % 2**32
    return found


def fold(folder: Path) -> Kernel:
    return parsed(folder, source(FOLD, FOLD_VIEWS, HORNER))


def scan(folder: Path) -> Kernel:
    return parsed(folder, source(SCAN, SCAN_VIEWS, ACCOUNT))


def accounts(n: int) -> dict[str, Any]:
    x = np.random.default_rng(n).integers(-99, 99, n).astype(np.int32)
    return {"x": x, "start": 1000, "after": np.zeros_like(x), "before": np.zeros_like(x), "end": np.zeros((), np.int32)}


def check_account(found: Mapping[str, Any]) -> None:
    wanted = 1000 + np.concatenate([[0], np.cumsum(found["x"])])
    assert (found["after"].tolist(), found["before"].tolist()) == (wanted[1:].tolist(), wanted[:-1].tolist())
    assert found["end"] == wanted[-1]


@pytest.mark.req("L63", "L66", "L67", "L69", "L70", "L73")
@pytest.mark.parametrize("n", [0, 1, 2, 13, 64])
def test_a_fold_does_not_depend_on_its_slices(size: int, n: int, tmp_path: Path) -> None:
    """Polynomial hashing: the combine shows any exchange, and the summary holds a reduction and a scan."""
    x = np.random.default_rng(n).integers(0, 2**32, n, dtype=np.uint32)
    o = np.zeros((), np.uint32)
    interpret.run(fold(tmp_path), {"x": x, "base": 31, "o": o})
    assert o == horner(x, 31)


@pytest.mark.req("L69", "L70")
def test_summaries_meet_in_any_grouping_and_never_in_another_order(tmp_path: Path) -> None:
    kernel, x = fold(tmp_path), np.arange(1, 12, dtype=np.uint32)
    for seed in range(20):
        o = np.zeros((), np.uint32)
        Naive(kernel, {"x": x, "base": 257, "o": o}, random.Random(seed)).run()
        assert o == horner(x, 257)
    assert horner(x, 257) != horner(x[::-1], 257)


@pytest.mark.req("L64", "L77", "L78", "L79", "L80", "L82", "L83")
@pytest.mark.parametrize("n", [0, 1, 2, 13, 64])
def test_a_scan_does_not_depend_on_its_slices(size: int, n: int, tmp_path: Path) -> None:
    """Each output stands on the source's axis; the last state is the initial one when there is no member."""
    arguments = accounts(n)
    interpret.run(scan(tmp_path), arguments)
    check_account(arguments)


@pytest.mark.req("L78", "L79", "L80")
def test_chance_decides_where_a_scan_is_cut(tmp_path: Path) -> None:
    kernel = scan(tmp_path)
    for seed in range(10):
        arguments = accounts(9)
        Naive(kernel, arguments, random.Random(seed)).run()
        check_account(arguments)


@pytest.mark.req("L67", "L68")
@pytest.mark.parametrize(("part", "whole"), [("+ 0", True), ("+ 1", False)])
def test_a_false_law_is_the_authors(part: str, whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A summary that counts its slices compiles, and its result depends on them: the laws are declared, not proved."""
    helpers = ACCOUNT.replace("return I.reduce.sum(part, axis=0)", f"return I.reduce.sum(part, axis=0) {part}")
    body = "o[()] = I.region_fold(x[:], 0, summed, plus, I.cast(0, I.i32))"
    kernel = parsed(tmp_path, source(body, 'x: I.In[I.i32, ("N",)], o: I.Out[I.i32, ()]', helpers))
    found = set()
    for length in (1, 3, 12):
        pieces = [slice(k, k + length) for k in range(0, 12, length)]
        monkeypatch.setattr(regions, "cuts", lambda extent, chance, pieces=pieces: pieces)
        o = np.zeros((), np.int32)
        interpret.run(kernel, {"x": np.ones(12, np.int32), "o": o})
        found.add(int(o))
    assert (len(found) == 1) is whole


@pytest.mark.req("L73", "L76")
def test_coordinates_in_a_slice_are_those_of_the_source(size: int, tmp_path: Path) -> None:
    """A causal mask holds however the keys are cut, and the summary multiplies matrices."""
    kernel = parsed(tmp_path, source(ATTENTION, ATTENTION_VIEWS, CAUSAL))
    rng = np.random.default_rng(3)
    q, k, v = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((5, 4), (11, 4), (11, 2)))
    o, mass = np.zeros((5, 2), np.float32), np.zeros(5, np.float32)
    interpret.run(kernel, {"q": q, "k": k, "v": v, "o": o, "mass": mass})
    weight = np.where(np.arange(11)[None, :] <= np.arange(5)[:, None], q @ k.T, 0)
    np.testing.assert_array_equal(o, weight @ v)
    np.testing.assert_array_equal(mass, weight.sum(axis=1))


@pytest.mark.req("L73", "L87")
def test_what_helpers_compute_stays_structured(tmp_path: Path) -> None:
    """The summary of a slice holds contractions, reductions and scans as such, for a target to lower by their rules."""
    (op,) = (
        o for o in walk(parsed(tmp_path, source(ATTENTION, ATTENTION_VIEWS, CAUSAL)).body) if isinstance(o, RegionFold)
    )
    assert {type(o) for o in walk(op.summarize)} >= {Contract, Reduce}
    (op,) = (o for o in walk(scan(tmp_path).body) if isinstance(o, RegionScan))
    assert Scan in {type(o) for o in walk(op.emit)}


@pytest.mark.req("L75", "L84")
def test_the_extent_of_a_slice_stays_inside(tmp_path: Path) -> None:
    """No parameter, result or value outside the helpers mentions it, and both cuts of one call give one interface."""
    kernel = scan(tmp_path)
    (op,) = (o for o in walk(kernel.body) if isinstance(o, RegionScan))
    hidden = {region.args[0].as_symbol for region in (op.summarize, op.emit)}
    outside = [value for o in kernel.body.ops for value in results(o)]
    assert outside
    for value in (*kernel.parameters, *outside):
        shape = getattr(value.type, "shape", ())
        assert not [extent for extent in shape if str(extent) in {str(h) for h in hidden}]
    path = tmp_path / "file.py"
    interface = intent.compile(intent.load(f"{path}:kernel"), "reference").interface
    assert [p.name for p in interface.parameters] == ["x", "start", "after", "before", "end"]
    assert {e for p in interface.parameters for e in p.extents} == {"N"}


IMPURE = {
    "buffer": ("scratch = I.buffer((1,), I.i32, init=0)", "scratch[0] = 1"),
    "random": ("bits = I.random.bits(I.cast(1, I.u64), I.cast(1, I.u64))",),
}


@pytest.mark.req("L71", "L74", "L81")
@pytest.mark.parametrize("helper", ["summed", "plus", "halved", "balances"])
@pytest.mark.parametrize("effect", IMPURE)
def test_every_helper_is_pure(helper: str, effect: str, tmp_path: Path) -> None:
    lines = ACCOUNT.splitlines(keepends=True)
    at = next(k for k, line in enumerate(lines) if f"def {helper}(" in line)
    helpers = "".join([*lines[: at + 1], *(f"        {line}\n" for line in IMPURE[effect]), *lines[at + 1 :]])
    found = refused(tmp_path, source(SCAN, SCAN_VIEWS, helpers))
    assert {d.code for d in found} == {"kir.region_scan.impure"}
    assert all(helper in d.message for d in found)


@pytest.mark.req("L85", "L88", "L99")
def test_chunks_that_are_seen_are_data(tmp_path: Path) -> None:
    """States for each chunk: a domain of chunks, a part of the source for each, and an ordinary scan over them."""
    body = """
        chunks, members = I.domain(0, state.shape[0]), I.domain(0, x.shape[0])
        sums = I.zeros((state.shape[0],), I.i32)
        total = I.buffer((state.shape[0],), I.i32)
        for c in I.parallel(chunks):
            begin = I.minimum(c * SIZE, x.shape[0])
            total[c] = I.reduce.sum(x[members[begin : I.minimum(begin + SIZE, x.shape[0])]], axis=0)
        state[:] = I.cumsum(total[:] + sums, axis=0, inclusive=False)
    """
    parameters = 'x: I.In[I.i32, ("N",)], state: I.Out[I.i32, ("C",)], SIZE: I.Constexpr[int] = 4'
    kernel = parsed(tmp_path, source(body, parameters))
    assert not [op for op in walk(kernel.body) if isinstance(op, RegionFold | RegionScan)]
    for n, chunks in ((10, 3), (8, 2), (3, 4), (0, 1)):
        x, state = np.arange(1, n + 1, dtype=np.int32), np.zeros(chunks, np.int32)
        interpret.run(kernel, {"x": x, "state": state}, checked=True)
        assert state.tolist() == [int(x[: 4 * c].sum()) for c in range(chunks)]


@pytest.mark.req("L62", "L92")
@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("reverse", [True, False])
def test_prefixes_keep_the_order_of_their_members(inclusive: bool, reverse: bool, tmp_path: Path) -> None:
    """Affine maps do not commute: every prefix shows the order in which they were composed, on the left the earlier."""
    helpers = """
    @intent.fn
    def then(f, g):
        return I.record(a=f.a * g.a, b=f.b * g.a + g.b)


    """
    body = f"""
        unit = I.record(a=I.cast(1, I.i64), b=I.cast(0, I.i64))
        found = I.scan(I.record(a=a[:], b=b[:]), 0, unit, then, inclusive={inclusive}, reverse={reverse})
        p[:] = found.a
        q[:] = found.b
    """
    names = 'a: I.In[I.i64, ("N",)], b: I.In[I.i64, ("N",)], p: I.Out[I.i64, ("N",)], q: I.Out[I.i64, ("N",)]'
    kernel = parsed(tmp_path, source(body, names, helpers))
    assert "scan_by" in text(kernel)
    for n in (0, 1, 2, 9):
        a, b = (np.random.default_rng(n + k).integers(-5, 6, n) for k in (0, 1))
        wanted = []
        for k in range(n):
            first, last = (k + (not inclusive), n) if reverse else (0, k + inclusive)
            pair = (1, 0)
            for m in range(first, last):
                pair = (pair[0] * int(a[m]), pair[1] * int(a[m]) + int(b[m]))
            wanted.append(pair)
        p, q = np.zeros(n, np.int64), np.zeros(n, np.int64)
        interpret.run(kernel, {"a": a, "b": b, "p": p, "q": q})
        assert list(zip(p.tolist(), q.tolist(), strict=True)) == wanted
        Naive(kernel, {"a": a, "b": b, "p": p, "q": q}, random.Random(n)).run()
        assert list(zip(p.tolist(), q.tolist(), strict=True)) == wanted


@pytest.mark.req("L61", "L91")
def test_members_of_a_reduction_meet_in_any_order(tmp_path: Path) -> None:
    helpers = """
    @intent.fn
    def merged(a, b):
        first = (a.value > b.value) or ((a.value == b.value) and (a.place < b.place))
        return I.record(value=I.select(first, a.value, b.value), place=I.select(first, a.place, b.place))


    """
    body = """
        nothing = I.record(value=I.cast(-1000, I.i32), place=I.cast(1000, I.index))
        pairs = I.record(value=x[:], place=I.indices(I.domain(0, x.shape[0])))
        o[()] = I.cast(I.reduce(pairs, 0, nothing, merged).place, I.i64)
    """
    kernel = parsed(tmp_path, source(body, 'x: I.In[I.i32, ("N",)], o: I.Out[I.i64, ()]', helpers))
    x = np.array([3, 7, -2, 7, 0, 7], np.int32)
    for seed in range(20):
        o = np.zeros((), np.int64)
        Naive(kernel, {"x": x, "o": o}, random.Random(seed)).run()
        assert o == 1
