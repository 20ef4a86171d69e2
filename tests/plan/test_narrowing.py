"""A fold leaves out the members that a mask on coordinates keeps out, where they leave nothing, and no others."""

from __future__ import annotations

from pathlib import Path

import intent2cuda as intent
import numpy as np
import pytest
from intent2cuda.base.intexpr import evaluate, symbols
from intent2cuda.interpret import run
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.verify import verify
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.narrowing import narrowable, narrowed
from intent2cuda.plan.portable import DecisionKind
from intent2cuda.plan.row_blocks import in_row_blocks
from intent2cuda.plan.writing_out import Open, with_sizes
from intent2cuda.rewrite import run as simplified

TEXT = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.fn
def part(key, value, place, query, own, shift):
    score = I.matmul(query, key, acc_dtype=I.{dtype}, transpose_rhs=True)
    seen = {mask}
    seen_score = I.mask(score, valid=seen, fill={fill})
    mix = I.matmul({weight}, {value}, acc_dtype=I.{dtype})
    return I.record(most=I.reduce.max({most}, axis=1), mix=mix)

@intent.fn
def joined(a, b):
    return I.record(most=I.maximum(a.most, b.most), mix=a.mix + b.mix)

@intent.kernel
def k(
    q: I.In[I.{dtype}, ("Q", "D")],
    key: I.In[I.{dtype}, ("K", "D")],
    value: I.In[I.{of_value}, ("K", "E")],
    shift: I.index,
    mix: I.Out[I.{dtype}, ("Q", "E")],
    most: I.Out[I.{dtype}, ("Q",)],
):
    rows, keys = I.domain(0, q.shape[0]), I.domain(0, key.shape[0])
    none = I.record(
        most=I.full((q.shape[0],), -I.inf, dtype=I.{dtype}),
        mix=I.full((q.shape[0], value.shape[1]), {none}, dtype=I.{dtype}),
    )
    seen = I.region_fold(
        (key[keys, :], value[keys, :], I.indices(keys)), 0, part, joined, none,
        (q[rows, :], I.indices(rows), shift),
    )
    mix[rows, :] = seen.mix
    most[:] = seen.most
"""
CAUSAL = "place[None, :] <= own[:, None]"
MASKS = {
    CAUSAL: lambda p, q, s: p <= q,
    "own[:, None] > place[None, :]": lambda p, q, s: p < q,
    "place[None, :] < 0 * own[:, None] + shift": lambda p, q, s: (p < s) & (q == q),
    "place[None, :] - 2 >= own[:, None]": lambda p, q, s: p - 2 >= q,
    "(place[None, :] <= own[:, None]) & (place[None, :] > own[:, None] - 3)": lambda p, q, s: (p <= q) & (p > q - 3),
    "place[None, :] == own[:, None] + 1": lambda p, q, s: p == q + 1,
    "place[None, :] < 5 + 0 * own[:, None]": lambda p, q, s: (p < 5) & (q == q),
}
KEPT = {
    "the mask is of data": {"mask": "score > 0.0"},
    "what is masked counts": {"fill": "1.0"},
    "nothing is not what is left": {"none": "1.0"},
    "either may hold": {"mask": f"({CAUSAL}) | (score > 0.0)"},
    "every other member": {"mask": "place[None, :] % 2 <= own[:, None] % 2"},
    "a mirrored place": {"mask": "2 * place[None, :] <= own[:, None]"},
    "values that are not a source": {"value": "value / value"},
    "a place in a division": {"mask": "place[None, :] < own[:, None] // 4 * 4 + 4"},
    "a place in a minimum": {"mask": "place[None, :] <= I.minimum(own[:, None], shift)"},
    "a sum that may overflow": {"mask": "place[None, :] <= own[:, None] + shift"},
    "a limit that may overflow": {"mask": "place[None, :] <= 0 * own[:, None] + shift"},
    "values that a cast makes infinite": {"value": "I.cast(I.cast(value, I.f32), I.f64)"},
    "nothing is -0": {"none": "-0.0"},
    "0 / 0": {"weight": "seen_score / I.reduce.sum(seen_score, axis=1)[:, None]"},
    "the greater of NaN": {"most": "I.maximum(-I.inf, I.mask(score, valid=seen, fill=I.inf - I.inf))"},
}
SIZES = ((0, 3, 2, 1), (5, 0, 2, 3), (1, 1, 1, 1), (3, 7, 2, 2), (7, 3, 2, 2), (4, 4, 0, 1))


def source(**changed: str) -> str:
    usual = {"dtype": "f64", "mask": CAUSAL, "fill": "0.0", "none": "0.0", "value": "value", "weight": "seen_score"}
    most = "I.mask(score, valid=seen, fill=-I.inf)"
    return TEXT.format(**{**usual, "of_value": "f64", "most": most, **changed})


def kernel_of(folder: Path, **changed: str) -> Kernel:
    file = folder / "k.py"
    file.write_text(source(**changed), encoding="utf-8")
    return simplified(parse_kernel(file, "k").kernel)


def arrays(q: int, k: int, d: int, e: int, dtype: type = np.float64) -> dict[str, np.ndarray]:
    random = np.random.default_rng(q + 3 * k + 5 * d)
    shapes = {"q": (q, d), "key": (k, d), "value": (k, e), "mix": (q, e), "most": (q,)}
    return {name: random.integers(-3, 4, shape).astype(dtype) for name, shape in shapes.items()}


def answer(mask: str, given: dict[str, np.ndarray], shift: int) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(invalid="ignore"):
        score = given["q"] @ given["key"].T
        seen = MASKS[mask](np.arange(score.shape[1])[None, :], np.arange(score.shape[0])[:, None], shift)
        most = np.max(np.where(seen, score, -np.inf), axis=1, initial=-np.inf)
        weight = np.where(seen, score, 0)[:, :, None]
        return np.sum(weight * given["value"][None], axis=1), most


@pytest.mark.parametrize("mask", MASKS)
def test_nothing_changes(tmp_path: Path, mask: str) -> None:
    """Also where a value that has the weight 0 is inf or NaN: 0 times it is NaN."""
    kernel = kernel_of(tmp_path, mask=mask)
    blocks = in_row_blocks(kernel, 3)
    assert blocks is not kernel
    found = narrowable(blocks)
    assert len(found) == 1
    whole, slices = (
        verify(narrowed(blocks, found)),
        with_sizes(kernel, {Open.FOLD: 2, Open.SCAN: 2, Open.ROWS: 3}),
    )
    for sizes in SIZES:
        for shift in (-4, 2) if "shift" in mask else (0,):
            for bad in (1.0, np.nan):
                given = arrays(*sizes)
                given["value"][:1] = given["value"][-1:] = bad
                mix, most = answer(mask, given, shift)
                for each in (whole, slices):
                    got = {name: array.copy() for name, array in given.items()}
                    run(each, {**got, "shift": shift})
                    np.testing.assert_array_equal(got["mix"], mix)
                    np.testing.assert_array_equal(got["most"], most)


@pytest.mark.parametrize("name", KEPT)
def test_members_that_may_count_are_visited(tmp_path: Path, name: str) -> None:
    assert not narrowable(kernel_of(tmp_path, **KEPT[name]))


def test_bounds_are_those_of_the_mask(tmp_path: Path) -> None:
    """A block of rows visits the members up to its last row, and no row of an earlier window."""
    window = "(place[None, :] <= own[:, None]) & (place[None, :] > own[:, None] - 3)"
    ((_, found),) = narrowable(in_row_blocks(kernel_of(tmp_path, mask=window), 4)).items()
    for q, k, row in ((10, 20, 0), (10, 20, 4), (10, 20, 8), (10, 6, 8)):
        here = {"Q": q, "K": k, "row": row}
        begin, end = (evaluate(bound, {s: here[s.name] for s in symbols(bound)}) for bound in (found.begin, found.end))
        last = min(row + 4, q) - 1
        assert (begin, end) == (max(0, row - 2), max(max(0, row - 2), min(k, last + 1)))


@pytest.mark.parametrize("rows", ["0, q.shape[0], 2", "1, q.shape[0], 3"])
def test_rows_of_a_domain_with_steps(tmp_path: Path, rows: str) -> None:
    text = source().replace("I.domain(0, q.shape[0])", f"I.domain({rows})").replace("(q.shape[0],", "(rows.extent,")
    text = text.replace("shape=(rows.extent,", "(rows.extent,").replace("most[:] =", "most[rows] =")
    text = text.replace("rows.extent", "I.indices(rows).shape[0]")
    (tmp_path / "k.py").write_text(text, encoding="utf-8")
    kernel = simplified(parse_kernel(tmp_path / "k.py", "k").kernel)
    assert narrowable(kernel) and plan(kernel, "cpu") and plan(kernel, "cuda")
    mine, other = arrays(7, 9, 2, 2), arrays(7, 9, 2, 2)
    run(kernel, {**mine, "shift": 0})
    run(with_sizes(kernel, {Open.FOLD: 2, Open.SCAN: 2, Open.ROWS: 3}), {**other, "shift": 0})
    for name in mine:
        np.testing.assert_array_equal(mine[name], other[name])


def test_integers_are_finite(tmp_path: Path) -> None:
    """There is nothing to look at, and no zero of theirs to multiply by."""
    kernel = kernel_of(tmp_path, of_value="i8", value="I.cast(value, I.f64)")
    ((_, found),) = narrowable(kernel).items()
    assert not found.finite and plan(kernel, "cpu")


@pytest.mark.req("P17")
def test_the_plan_says_so(tmp_path: Path) -> None:
    decisions = plan(kernel_of(tmp_path), "cpu").portable.decisions
    (form,) = (d.reason for d in decisions if d.kind is DecisionKind.WRITE_OUT)
    assert form.endswith("of those that the mask of line 8 may keep")
    (form,) = (
        d.reason
        for d in plan(kernel_of(tmp_path, fill="1.0"), "cpu").portable.decisions
        if d.kind is DecisionKind.WRITE_OUT
    )
    assert form.endswith("merged in source order")


@pytest.mark.parametrize(("target", "many"), [("cpu", 600), ("cuda-sim", 140)])
def test_targets_give_the_answer(tmp_path: Path, target: str, many: int) -> None:
    """More rows and members than a block and a segment have, with what is masked finite and not."""
    mask = "(place[None, :] <= own[:, None]) & (place[None, :] > own[:, None] - 3)"
    file = tmp_path / "k.py"
    file.write_text(source(dtype="f32", of_value="f32", mask=mask), encoding="utf-8")
    artifact = intent.compile(intent.load(f"{file}:k"), target)
    for sizes in ((many, many + 1, 3, 2), (7, many, 2, 1), (many // 2, 1, 2, 2)):
        for bad in (2.0, np.nan):
            given = arrays(*sizes, np.float32)
            given["value"][-1] = bad
            mix, most = answer(mask, given, 0)
            artifact(given["q"], given["key"], given["value"], 0, given["mix"], given["most"])
            np.testing.assert_array_equal(given["mix"], mix)
            np.testing.assert_array_equal(given["most"], most)


def test_checked_builds_visit_every_member(tmp_path: Path) -> None:
    """A wild position is reported although the mask keeps its member out."""
    file = tmp_path / "k.py"
    file.write_text(source(value="I.gather(value, index=(place - place[0] + shift,))"), encoding="utf-8")
    given = arrays(3, 9, 2, 1)
    with pytest.raises(intent.BoundsError, match="position 9"):
        intent.compile(intent.load(f"{file}:k"), "cpu", checked=True)(
            given["q"], given["key"], given["value"], 1, given["mix"], given["most"]
        )
