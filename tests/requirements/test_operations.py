"""Kernel IR has one op for each structure of the language, none for what others express, and no word of a machine."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from intent2cuda import pipeline
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.notation import op_classes
from intent2cuda.ir.ops import RegionFold, RegionScan
from intent2cuda.parse import surface

from ..parse.texts import parsed, source

ROOT = Path(__file__).resolve().parents[2]
PHYSICAL = frozenset(
    re.findall(
        r"\w+",
        """
        async autotune bank barrier block blocks cache chunk cluster device dma fence grid lane lanes launch layout
        memory mma pipeline registers schedule scope segment segments shared simd space stage stages stream swizzle
        thread threads tile tma tree unroll vector warp warps
        """,
    )
)


def words(name: str) -> set[str]:
    """The words of a name in either style."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


HELPERS = """
@intent.fn
def mixed(a, b):
    return a + b * 0.0


@intent.fn
def total(part):
    return I.reduce.sum(part, axis=0)


@intent.fn
def scaled(part, state):
    return part * state


"""

VIEWS = (
    'x: I.In[I.f32, ("N",)], m: I.In[I.f32, ("M", "N")], k: I.In[I.i32, ("N",)], '
    "b: I.In[I.u8, (2, 4, 16)], s: I.In[I.u8, (2, 4)], c: I.In[I.u8, (4, 16, 3)], t: I.In[I.u8, (3, 4)], "
    "h: I.In[I.f32, (3, 8)], p: I.In[I.i32, (3, 8)], d: I.In[I.f32, (16, 5)], "
    'o: I.InOut[I.f32, ("N",)]'
)

STRUCTURES = [
    pytest.param("v = I.reduce.sum(x[:], axis=0)", "Reduce", marks=pytest.mark.req("L61", "L90")),
    pytest.param("v = I.reduce(x[:], 0, 0.0, mixed)", "ReduceBy", marks=pytest.mark.req("L61", "L90")),
    pytest.param("v = I.cumsum(x[:], axis=0)", "Scan", marks=pytest.mark.req("L62", "L90")),
    pytest.param("v = I.scan(x[:], 0, 0.0, mixed, inclusive=True)", "ScanBy", marks=pytest.mark.req("L62", "L90")),
    pytest.param("v = I.region_fold(x[:], 0, total, mixed, x[0] * 0.0)", "RegionFold", marks=pytest.mark.req("L63")),
    pytest.param(
        "v = I.region_scan(x[:], 0, total, mixed, x[0] * 0.0, x[0], mixed, scaled)",
        "RegionScan",
        marks=pytest.mark.req("L64"),
    ),
    pytest.param("v = x[0]\nfor i in range(3):\n    v = v + 1.0", "For", marks=pytest.mark.req("L65")),
    pytest.param("v = x[0]\nwhile v < 9.0:\n    v = v * 2.0", "While", marks=pytest.mark.req("L65")),
    pytest.param("v = I.matmul(m[:, :], d[:, :], acc_dtype=I.f32)", "Contract", marks=pytest.mark.req("L90")),
    pytest.param(
        "v = I.scaled_matmul(b[:, :, :], s[:, :], c[:, :, :], t[:, :], lhs_format=I.e2m1, rhs_format=I.e2m1, "
        "group_size=32, acc_dtype=I.f32)",
        "ScaledContract",
        marks=pytest.mark.req("L90", "L94"),
    ),
    pytest.param(
        "v = I.sparse_matmul(h[:, :], p[:, :], d[:, :], format=I.sparse.one_of_two(1, 16), acc_dtype=I.f32)",
        "SparseContract",
        marks=pytest.mark.req("L90", "L95"),
    ),
    pytest.param(
        "v = I.histogram(k[:], bins=4, valid=True, count_dtype=I.i32)",
        "Histogram",
        marks=pytest.mark.req("L90", "L96"),
    ),
]


def ops(folder: Path, body: str) -> list[str]:
    """The class names of the ops of a body."""
    kernel = parsed(folder, source(f"{body}\no[:] = x[:]", VIEWS, HELPERS))
    return [type(op).__name__ for op in walk(kernel.body)]


@pytest.mark.parametrize(("body", "op"), STRUCTURES)
def test_each_structure_is_one_op(body: str, op: str, tmp_path: Path) -> None:
    assert ops(tmp_path, body).count(op) == 1


@pytest.mark.req("L86")
@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*/kernel.py")), ids=lambda p: p.parent.name)
def test_region_operations_are_those_of_the_author(example: Path) -> None:
    """No pass makes one, whatever could be folded: softmax written with reductions stays that."""
    for name in pipeline.kernel_names(example):
        found = [
            op for op in walk(pipeline.front(example, name).kernel.body) if isinstance(op, RegionFold | RegionScan)
        ]
        assert bool(found) == ("I.region_" in example.read_text())


@pytest.mark.req("L97", "L121")
@pytest.mark.parametrize("op", op_classes(), ids=lambda op: op.__name__)
def test_an_op_says_nothing_of_a_machine(op: type) -> None:
    names = [op.__name__, *(field.name for field in fields(op))]
    assert not [name for name in names if words(name) & PHYSICAL]


@pytest.mark.req("L107")
def test_ragged_data_has_no_op() -> None:
    assert not [op for op in op_classes() if re.search(r"ragged|member|jagged|offsets", op.__name__, re.I)]


@pytest.mark.req("L120")
def test_copying_has_no_op_and_no_name() -> None:
    names = [op.__name__ for op in op_classes()] + list(surface.visible_names())
    assert not [name for name in names if re.search(r"copy|move|memcpy", name, re.I)]


@pytest.mark.req("L60", "L102")
def test_nothing_of_the_surface_divides_work() -> None:
    names = surface.visible_names()
    assert not [name for name in names if re.search(r"stream|partition|tile|chunk|split|block|warp|auto", name)]


@pytest.mark.req("L50", "L89")
def test_no_parameter_of_the_surface_is_an_extent_of_blocking() -> None:
    names = {name for parameters in surface.SIGNATURES.values() for name in re.findall(r"\w+", parameters)}
    assert "group_size" in names  # the algorithm sees it
    assert not [name for name in names if words(name) & PHYSICAL - {"vector"}]  # the operand of a product


@pytest.mark.req("K51", "L122")
def test_no_atomic_reaches_beyond_the_device() -> None:
    """What runtime and templates say about scopes stops at the device; the author says nothing."""
    runtime = ROOT / "runtime_cpp" / "include" / "intent"
    paths = [p for p in runtime.rglob("*") if p.is_file() and p.relative_to(runtime).parts[0] != "sim"]
    paths += (ROOT / "intent2cuda" / "templates").glob("*.j2")
    wide = re.compile(r"atomic\w+_system|thread_scope_system|__threadfence_system|\.sys\b")
    assert len(paths) > 30 and not [p.name for p in paths if wide.search(p.read_text(encoding="utf-8"))]
    assert not [name for name, parameters in surface.SIGNATURES.items() if "scope" in parameters]
