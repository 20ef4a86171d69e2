"""Written-out operations compute what the operations do: both forms of each kernel agree on the reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from intent2cuda.interpret import run
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Allocate, For
from intent2cuda.ir.verify import verify
from intent2cuda.parse import parse_kernel
from intent2cuda.plan.writing_out import KINDS
from intent2cuda.rewrite import forwarding
from intent2cuda.rewrite.expansion import Choices, expand

HEAD = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.fn
def later(a, b):
    newer = b.place >= a.place
    return I.record(place=I.select(newer, b.place, a.place), value=I.select(newer, b.value, a.value))

@intent.fn
def shown(a, b):
    return I.select(b != 0.0, b, a)

@intent.fn
def then(a, b):
    return I.record(f=a.f * b.f, o=a.o * b.f + b.o)

@intent.fn
def part(x, y):
    return I.reduce.sum(x[:, :, None] * y[:, None, :], axis=0)

@intent.fn
def added(a, b):
    return a + b

@intent.fn
def sums(x, place):
    return I.reduce.sum(x, axis=0)

@intent.fn
def seen(x, place, state):
    past = place[None, :] <= place[:, None]
    return I.matmul(I.select(past, 1.0, 0.0), x, acc_dtype=I.f64) + state[None, :]
"""

BODIES = {
    "cumsum": "y[:, :] = I.cumsum(x[:, :], axis=1, inclusive={i}, reverse={r})",
    "columns": "y[:, :] = I.cummax(x[:, :], axis=0, inclusive={i}, reverse={r})",
    "ordered": "y[:, :] = I.scan(x[:, :], axis=1, identity=0.0, combine=shown, inclusive={i}, reverse={r})",
    "rows": "y[:, :] = I.scan(x[:, :], axis=0, identity=0.0, combine=shown, inclusive={i}, reverse={r})",
    "maps": """
    each, first = I.record(f=x[:, :], o=x[:, :] + 1.0), I.record(f=I.cast(1.0, I.f64), o=I.cast(0.0, I.f64))
    y[:, :] = I.scan(each, axis=0, identity=first, combine=then, inclusive={i}, reverse={r}).o""",
    "product": """
    place = I.indices(I.domain(0, x.shape[0]))
    each = I.record(place=I.select(x[:, :] > 0.0, place[:, None], -1), value=I.maximum(x[:, :], 0.0))
    first = I.record(place=I.full((x.shape[1],), -1, dtype=I.index), value=I.zeros((x.shape[1],), dtype=I.f64))
    y[:, :] = I.scan(each, axis=0, identity=first, combine=later, inclusive={i}, reverse={r}).value""",
    "last": """
    place = I.indices(I.domain(0, x.shape[1]))[None, :]
    each = I.record(place=I.select(x[:, :] > 0.0, place, -1), value=I.maximum(x[:, :], 0.0))
    first = I.record(place=I.cast(-1, I.index), value=I.cast(0.0, I.f64))
    y[:, :] = I.reduce(each, axis=1, identity=first, combine=later).value[:, None]""",
    "fold": """
    total = I.region_fold((x[:, :], x[:, :]), 0, part, added, I.zeros((x.shape[1], x.shape[1]), dtype=I.f64))
    y[:, :] = I.matmul(x[:, :], total, acc_dtype=I.f64)""",
    "states": """
    none = I.zeros((x.shape[1],), dtype=I.f64)
    source = (x[:, :], I.indices(I.domain(0, x.shape[0])))
    outputs, final = I.region_scan(source, 0, sums, added, none, none, added, seen)
    y[:, :] = outputs * final[None, :]""",
    "counts": """
    found = I.histogram(I.cast(x[:, :], I.i32), 9, x[:, :] >= 0.0, I.i64)
    y[:, :] = I.cast(found[I.cast(I.maximum(x[:, :], 0.0), I.i32)], I.f64)""",
}
TWICE = [(inclusive, reverse) for inclusive in (True, False) for reverse in (True, False)]
CASES = [(name, *kind) for name, body in BODIES.items() for kind in (TWICE if "{i}" in body else TWICE[:1])]


def kernel_of(folder: Path, body: str) -> Kernel:
    file = folder / "k.py"
    signature = "x: I.In[I.f64, ('M', 'N')], y: I.Out[I.f64, ('M', 'N')]"
    file.write_text(f"{HEAD}\n@intent.kernel\ndef k({signature}):\n    {body.strip()}\n", encoding="utf-8")
    return parse_kernel(file, "k", None).kernel


def result(kernel: Kernel, x: np.ndarray) -> np.ndarray:
    y = np.full_like(x, np.nan)
    run(kernel, {"x": x, "y": y})
    return y


@pytest.mark.req("L87", "L98")
@pytest.mark.parametrize(("name", "inclusive", "reverse"), CASES)
def test_both_forms_agree(tmp_path: Path, name: str, inclusive: bool, reverse: bool) -> None:
    kernel = kernel_of(tmp_path, BODIES[name].format(i=inclusive, r=reverse))
    plain = verify(expand(kernel, Choices(KINDS, fold_segment=4, scan_segment=4)))
    direct = verify(forwarding.run(plain))
    assert not any(isinstance(op, tuple(KINDS)) for op in walk(plain.body))
    random = np.random.default_rng(5)
    for shape in ((0, 3), (3, 0), (1, 1), (4, 5), (5, 4), (13, 7)):
        x = random.integers(-8, 9, shape).astype(np.float64)
        expected = result(kernel, x)
        np.testing.assert_array_equal(result(plain, x), expected)
        np.testing.assert_array_equal(result(direct, x), expected)


def test_slices_have_the_length_that_is_asked_for(tmp_path: Path) -> None:
    kernel = expand(kernel_of(tmp_path, BODIES["fold"]), Choices(KINDS, fold_segment=7))
    (loop,) = (op for op in walk(kernel.body) if isinstance(op, For))
    assert loop.domain.domain.step.constant == 7


def test_a_scan_fills_the_view_itself(tmp_path: Path) -> None:
    plain = expand(kernel_of(tmp_path, BODIES["cumsum"].format(i=True, r=False)), Choices(KINDS))
    assert any(isinstance(op, Allocate) for op in walk(plain.body))
    assert not any(isinstance(op, Allocate) for op in walk(forwarding.run(plain).body))


def test_a_buffer_that_is_read_stays(tmp_path: Path) -> None:
    body = "scan = I.cumsum(x[:, :], axis=1)\n    y[:, :] = scan + scan[0, 0]"
    plain = expand(kernel_of(tmp_path, body), Choices(KINDS))
    assert any(isinstance(op, Allocate) for op in walk(forwarding.run(plain).body))


RECORDS = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def k(w: I.In[I.u8, ("G", 144)], x: I.In[I.f32, ("G", 256)], r: I.Out[I.u8, ("G", 292)], y: I.Out[I.f32, ()]):
    r[:, :] = I.quantize(x[:, :], format=I.quant.q8_k)
    y[()] = I.quantized_dot(w[:, :], r[:, :], lhs_format=I.quant.q4_k, rhs_format=I.quant.q8_k, acc_dtype=I.f32)
"""


@pytest.mark.req("L98")
@pytest.mark.parametrize("records", [0, 1, 5])
def test_records_are_the_same_bytes(tmp_path: Path, records: int) -> None:
    file = tmp_path / "k.py"
    file.write_text(RECORDS, encoding="utf-8")
    kernel = parse_kernel(file, "k", None).kernel
    plain = verify(expand(kernel, Choices(KINDS)))
    random = np.random.default_rng(3)
    x = random.standard_normal((records, 256)).astype(np.float32)
    x[1:2] = 0.0
    w = random.integers(0, 256, (records, 144)).astype(np.uint8)
    w[:, :4] = random.uniform(0.001, 0.02, (records, 2)).astype(np.float16).view(np.uint8)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for form in (kernel, plain):
        r, y = np.zeros((records, 292), np.uint8), np.zeros((), np.float32)
        run(form, {"w": w, "x": x, "r": r, "y": y})
        found.append((r, y))
    np.testing.assert_array_equal(found[1][0], found[0][0])
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=0 if records < 2 else 1e-6)
