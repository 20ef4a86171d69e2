"""Helpers and products keep what a coordinate is: with them and without them a kernel has the same Kernel IR."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda import pipeline
from intent2cuda.analysis.expressions import Comparison, coordinate
from intent2cuda.analysis.provenance import IndexRelation, PredicateRelation, relation
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.structure import structure
from intent2cuda.ir.digest import kernel_digest
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Load, Pointwise, Subregion
from intent2cuda.ir.terms import Lanes

from ..parse.texts import parsed, source

ROOT = Path(__file__).resolve().parents[2]
VIEWS = "x: I.In[I.f32, (64,)], o: I.InOut[I.f32, (64,)]"

HELPERS = """
@intent.fn
def doubled(i):
    return i * 2 + 1


@intent.fn
def both(i, n):
    return i * 2 + 1, i < n


@intent.fn
def described(i, n):
    return I.record(place=i * 2 + 1, inside=i < n)


@intent.fn
def read(source, i):
    return source[i]


@intent.fn
def written(target, i, value):
    target[i] = value


@intent.fn
def part(axis, begin):
    return axis[begin:10]


"""

START = "rows = I.indices(I.domain(3, 20))\n"
PLAIN = START + "places = rows * 2 + 1\no[places] = x[places]"
MASKED = START + "o[rows] = I.gather(x, index=rows * 2 + 1, valid=rows < 16, fill=0.0)"
WINDOW = "axis = I.domain(3, 20)\nrows = I.indices(axis[5:10])\no[rows] = x[rows]"
IN_LOOP = "for i in I.parallel(I.domain(3, 20)):\n    o[i * 2 + 1] = x[i * 2 + 1]"

THROUGH_CALLS = [
    (PLAIN, START + "places = doubled(rows)\no[places] = x[places]"),
    (PLAIN, START + "places = rows * 2 + 1\nwritten(o, places, read(x, places))"),
    (IN_LOOP, "for i in I.parallel(I.domain(3, 20)):\n    o[doubled(i)] = x[doubled(i)]"),
    (WINDOW, "axis = I.domain(3, 20)\nrows = I.indices(part(axis, 5))\no[rows] = x[rows]"),
]
THROUGH_PRODUCTS = [
    (MASKED, START + "p = both(rows, 16)\no[rows] = I.gather(x, index=p[0], valid=p[1], fill=0.0)"),
    (MASKED, START + "r = described(rows, 16)\no[rows] = I.gather(x, index=r.place, valid=r.inside, fill=0.0)"),
    (PLAIN, START + "r = I.record(inner=I.record(places=rows * 2 + 1))\no[r.inner.places] = x[r.inner.places]"),
    (PLAIN, START + "a, b = rows * 2 + 1, 0\no[a] = x[a]"),
]


def rewritten(folder: Path, body: str) -> Kernel:
    """The kernel of a body as targets see it."""
    path = folder / "file.py"
    path.write_text(source(body, VIEWS, HELPERS))
    return pipeline.front(path, "kernel").kernel


@pytest.mark.req("L22", "K27", "K28", "K29")
@pytest.mark.parametrize(("plain", "called"), THROUGH_CALLS)
def test_a_call_changes_nothing(plain: str, called: str, tmp_path: Path) -> None:
    assert kernel_digest(rewritten(tmp_path, called)) == kernel_digest(rewritten(tmp_path, plain))


@pytest.mark.req("L24", "K29")
@pytest.mark.parametrize(("plain", "grouped"), THROUGH_PRODUCTS)
def test_a_product_only_groups(plain: str, grouped: str, tmp_path: Path) -> None:
    assert kernel_digest(rewritten(tmp_path, grouped)) == kernel_digest(rewritten(tmp_path, plain))


@pytest.mark.req("L22", "L28", "K28", "K29")
def test_the_relations_behind_a_call_are_those_of_its_arguments(tmp_path: Path) -> None:
    kernel = rewritten(tmp_path, THROUGH_PRODUCTS[0][1])
    relations = Relations(structure(kernel))
    (load,) = (op for op in walk(kernel.body) if isinstance(op, Load))
    (lanes,) = (term for term in load.terms if isinstance(term, Lanes))
    place = relation(relations, lanes.index)
    assert isinstance(place, IndexRelation) and place.expression == 2 * coordinate(0) + 7
    assert load.valid is not None
    inside = relation(relations, load.valid)
    assert isinstance(inside, PredicateRelation) and isinstance(inside.condition, Comparison)
    assert (inside.condition.fn, inside.condition.lhs) == ("lt", coordinate(0) + 3)


@pytest.mark.req("L21")
def test_another_relation_is_another_kernel(tmp_path: Path) -> None:
    other = PLAIN.replace("* 2 + 1", "* 2 + 2")
    assert kernel_digest(rewritten(tmp_path, PLAIN)) != kernel_digest(rewritten(tmp_path, other))
    renamed = PLAIN.replace("rows", "r").replace("places", "p")
    assert kernel_digest(rewritten(tmp_path, PLAIN)) == kernel_digest(rewritten(tmp_path, renamed))


@pytest.mark.req("L42")
def test_a_decoy_with_the_same_shape_and_name_is_another_kernel(tmp_path: Path) -> None:
    decoy = PLAIN.replace("I.indices(I.domain(3, 20))", "I.indices(I.domain(4, 21))")
    assert kernel_digest(rewritten(tmp_path, PLAIN)) != kernel_digest(rewritten(tmp_path, decoy))


@pytest.mark.req("L16")
@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*/kernel.py")), ids=lambda p: p.parent.name)
def test_targets_and_passes_make_no_subregion(example: Path) -> None:
    """Kernel IR is the same whatever it is planned for; every part of a domain is a selection that the author wrote."""
    lines = example.read_text().splitlines()
    for name in pipeline.kernel_names(example):
        front = pipeline.front(example, name)
        before = kernel_digest(front.kernel)
        for target in ("cpu", "cuda"):
            pipeline.plan_kernel(front, target)
        assert kernel_digest(front.kernel) == before
        for op in walk(front.kernel.body):
            if isinstance(op, Subregion):
                assert op.span is not None and "[" in lines[op.span.line - 1]


@pytest.mark.req("L11", "L13")
def test_an_ordinal_is_a_coordinate_less_its_begin(tmp_path: Path) -> None:
    """Enumeration adds the ordinal; nothing renumbers the coordinate beside it."""
    body = "for k, i in enumerate(I.domain(0, 64)[3:7]):\n    o[i] = x[k]"
    explicit = "for i in I.domain(0, 64)[3:7]:\n    o[i] = x[i - 3]"
    assert kernel_digest(rewritten(tmp_path, body)) == kernel_digest(rewritten(tmp_path, explicit))


@pytest.mark.req("L33")
def test_a_broadcast_is_an_op_of_its_own(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, source("o[:] = x[:] * 2.0 + x[0]", VIEWS))
    for op in walk(kernel.body):
        if isinstance(op, Pointwise):
            assert len({a.tensor.shape for a in op.args} | {op.result.tensor.shape}) == 1
