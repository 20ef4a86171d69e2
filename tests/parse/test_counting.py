"""Random numbers by counter, and histograms: their ops, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Histogram, Philox
from intent2cuda.ir.printer import text
from intent2cuda.ir.reader import read
from tests.conftest import Golden

from .texts import parsed, refused, source

RANDOM = (
    'seed: I.u64, c: I.u64, n: I.i32, t: I.In[I.u64, ("N",)], k: I.In[I.i32, ("N",)], o: I.Out[I.u32, ("N",)], '
    'u: I.Out[I.f32, ("N",)]'
)
COUNTS = (
    'x: I.In[I.i32, ("M", "N")], f: I.In[I.f32, ("N",)], p: I.In[I.bool, ("N",)], q: I.In[I.bool, (2, "M", "N")], '
    "n: I.i32, z: I.Out[I.u32, (16,)]"
)


def ops(kernel: Kernel, kind: type) -> list:
    return [op for op in walk(kernel.body) if isinstance(op, kind)]


def accepted(folder: Path, body: str, parameters: str) -> Kernel:
    """The kernel of a body; its text is a fixed point of printing and reading."""
    kernel = parsed(folder, source(body, parameters))
    assert text(read(text(kernel))) == text(kernel)
    return kernel


@pytest.mark.req("L128", "L129")
def test_random_golden(tmp_path: Path, golden: Golden) -> None:
    body = """
        rows = I.domain(0, o.shape[0])
        o[:] = I.random.bits(seed, t)
        u[:] = I.random.uniform(7, I.indices(rows) * 2, dtype=I.f32)
    """
    golden.check("random.txt", text(accepted(tmp_path, body, RANDOM)))


@pytest.mark.req("L128", "L130")
@pytest.mark.parametrize(
    ("counter", "dtype", "scalar"),
    [("c", "u64", True), ("t[:]", "u64", False), ("i", "index", True), ("i + 1", "index", True), ("5", "u64", True)],
)
def test_counters(tmp_path: Path, counter: str, dtype: str, scalar: bool) -> None:
    body = f"for i in I.domain(0, o.shape[0]):\n    bits = I.random.bits(seed, {counter})"
    (found,) = ops(accepted(tmp_path, body, RANDOM), Philox)
    assert (found.counter.tensor.dtype.name, found.result.tensor.is_scalar) == (dtype, scalar)
    assert (found.seed.name, found.result.name, found.result.tensor.dtype.name) == ("seed", "bits", "u32")


@pytest.mark.req("L96")
def test_histogram_golden(tmp_path: Path, golden: Golden) -> None:
    body = """
        value = x[:, :]
        z[:] = I.histogram(value, bins=16, valid=(value >= 0) & p[:], count_dtype=I.u32)
    """
    golden.check("histogram.txt", text(accepted(tmp_path, body, COUNTS)))


@pytest.mark.req("L96")
@pytest.mark.parametrize(
    ("bins", "extent"), [("16", "16"), ("x.shape[0]", "M"), ("n", "n%"), ("z.shape[0] // 2", "8"), ("n + 1", "n%")]
)
def test_bins_are_an_extent(tmp_path: Path, bins: str, extent: str) -> None:
    body = f"counts = I.histogram(x, bins={bins}, valid=True, count_dtype=I.i16)"
    (found,) = ops(accepted(tmp_path, body, COUNTS), Histogram)
    assert (found.valid, found.result.tensor.dtype.name) == (None, "i16")
    assert str(found.result.tensor.shape[0]).startswith(extent)


@pytest.mark.req("L96")
@pytest.mark.parametrize("valid", ["p", "p[0]", "x[:, :] > 3", "False", "n == 3"])
def test_a_validity_has_the_shape_of_the_values(tmp_path: Path, valid: str) -> None:
    body = f"z[:] = I.histogram(x[:, :], bins=16, valid={valid}, count_dtype=I.u32)"
    (found,) = ops(accepted(tmp_path, body, COUNTS), Histogram)
    assert [str(e) for e in found.valid.tensor.shape] == ["M", "N"]


HISTOGRAM = "z[:] = I.histogram({}, bins={}, valid={}, count_dtype={})"

REFUSED = [
    (RANDOM, "o[:] = I.random.bits(n, t)", "kir.rng.seed", "u64, not i32", "I.u64"),
    (RANDOM, "o[:] = I.random.bits(t, t)", "kir.rng.seed", "a scalar of u64", "one element"),
    (RANDOM, "o[:] = I.random.bits(-1, t)", "src.literal.range", "-1", "range"),
    (RANDOM, "o[:] = I.random.bits(I.f32, t)", "kir.dtype.value", "the seed", "number"),
    (RANDOM, "o[:] = I.random.bits(seed, k)", "kir.rng.counter", "u64 or index, not i32", "I.cast"),
    (RANDOM, "o[:] = I.random.bits(seed, u)", "kir.rng.counter", "not f32", "I.cast"),
    (RANDOM, "o[:] = I.random.bits(seed, I.domain(0, 4))", "kir.domain.value", "logical_counter", "I.indices"),
    (RANDOM, "u[:] = I.random.uniform(seed, t, dtype=I.f64)", "kir.rng.dtype", "f32, not f64", "dtype=I.f32"),
    (RANDOM, "u[:] = I.random.uniform(seed, t, dtype=float)", "kir.rng.dtype", "`float`", "I.f32"),
    (RANDOM, "u[:] = I.random.uniform(seed, t)", "src.call.missing_argument", "`dtype`", "I.f32"),
    (RANDOM, "u[:] = I.random.normal(seed, t)", "src.name.unknown", "I.random.normal", "I.random.uniform"),
    (COUNTS, HISTOGRAM.format("f", 16, "True", "I.u32"), "kir.histogram.values", "f32", "I.cast"),
    (COUNTS, HISTOGRAM.format("p", 16, "True", "I.u32"), "kir.histogram.values", "bool", "I.cast"),
    (COUNTS, HISTOGRAM.format("n", 16, "True", "I.u32"), "kir.histogram.values", "a scalar of i32", "I.atomic.add"),
    (COUNTS, HISTOGRAM.format("x", 0, "True", "I.u32"), "kir.histogram.bins", "positive, not 0", "one bin"),
    (COUNTS, HISTOGRAM.format("x", "1.0", "True", "I.u32"), "kir.histogram.bins", "bins", "integer"),
    (COUNTS, HISTOGRAM.format("x", "f[0]", "True", "I.u32"), "kir.histogram.bins", "not f32", "I.cast"),
    (COUNTS, HISTOGRAM.format("x", 16, "x", "I.u32"), "kir.histogram.valid", "bool, not i32", "compare"),
    (COUNTS, HISTOGRAM.format("x", 16, 1, "I.u32"), "src.literal.bool", "1", "True"),
    (COUNTS, HISTOGRAM.format("x", 16, "q", "I.u32"), "kir.histogram.valid", "[2, M, N], would enlarge", "None"),
    (COUNTS, HISTOGRAM.format("x", 16, "True", "I.f32"), "kir.histogram.counts", "not f32", "I.i32"),
    (COUNTS, HISTOGRAM.format("x", 16, "True", "I.index"), "kir.histogram.counts", "not index", "I.i32"),
    (COUNTS, HISTOGRAM.format("x", 16, "True", "int"), "kir.histogram.counts", "`int`", "I.i32"),
    (COUNTS, HISTOGRAM.format("x", 17, "True", "I.u32"), "kir.store.shape", "extent 17", "extents"),
]


@pytest.mark.req("L96", "L128")
@pytest.mark.parametrize(("parameters", "body", "code", "message", "help"), REFUSED, ids=[r[1] for r in REFUSED])
def test_what_is_refused(tmp_path: Path, parameters: str, body: str, code: str, message: str, help: str) -> None:
    (found,) = refused(tmp_path, source(body, parameters))
    assert found.code == code
    assert message in found.message and help in found.help
