"""Folds and scans over regions: what their helpers become and may see, and extents that only a call knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda.ir.digest import kernel_digest
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import If, RegionFold, RegionScan, RequireEqual
from intent2cuda.ir.printer import text
from intent2cuda.ir.value import Value
from tests.conftest import Golden

from .texts import parsed, refused, source

HELPERS = """
    @intent.fn
    def total(values):
        return I.reduce.sum(values, axis=0)


    @intent.fn
    def merge(lhs, rhs):
        return lhs + rhs


    @intent.fn
    def scores(key, value, place, query, at, causal):
        weight = I.matmul(query, key, acc_dtype=I.f32, transpose_rhs=True)
        if causal:
            weight = I.mask(weight, valid=place[None, :] <= at[:, None], fill=0.0)
        return I.record(mass=I.reduce.sum(weight, axis=1), mix=I.matmul(weight, value, acc_dtype=I.f32))


    @intent.fn
    def both(lhs, rhs):
        return I.record(mass=lhs.mass + rhs.mass, mix=lhs.mix + rhs.mix)


    @intent.fn
    def decayed(values, places, rate):
        return I.reduce.sum(values * rate, axis=0)


    @intent.fn
    def running(values, places, state, rate):
        return I.record(sums=I.cumsum(values * rate, axis=0) + state, places=places)


"""

KERNELS = {
    "fold": (
        'q: I.In[I.f32, ("Q", "D")], k: I.In[I.f32, ("K", "D")], v: I.In[I.f32, ("K", "E")], '
        'o: I.Out[I.f32, ("Q", "E")], CAUSAL: I.Constexpr[bool]',
        """
        rows, keys = I.domain(0, q.shape[0]), I.domain(0, k.shape[0])
        nothing = I.record(mass=I.zeros((q.shape[0],), I.f32), mix=I.zeros((q.shape[0], v.shape[1]), I.f32))
        s = I.region_fold(
            source=(k[keys, :], v[keys, :], I.indices(keys)), axis=0, summarize=scores, combine=both, identity=nothing,
            operands=(q[:, :], I.indices(rows), CAUSAL),
        )
        o[:, :] = s.mix / s.mass[:, None]
        """,
    ),
    "scan": (
        'x: I.In[I.f32, ("N",)], rate: I.f32, o: I.Out[I.f32, ("N",)], p: I.Out[I.index, ("N",)], '
        "last: I.Out[I.f32, ()]",
        """
        axis = I.domain(0, x.shape[0])
        zero = I.cast(0.0, I.f32)
        output, state = I.region_scan(
            source=(x[axis], I.indices(axis)), axis=0, summarize=decayed, combine=I.add, identity=zero,
            initial_state=zero, apply=merge, emit=running, operands=(rate,),
        )
        o[:] = output.sums
        p[:] = output.places
        last[()] = state
        """,
    ),
}


@pytest.mark.req("L63", "L64", "L66", "L72", "L73", "L77", "L83")
@pytest.mark.parametrize("name", KERNELS)
def test_golden(tmp_path: Path, golden: Golden, name: str) -> None:
    parameters, body = KERNELS[name]
    constexprs = {"CAUSAL": True} if "CAUSAL" in parameters else {}
    golden.check(f"{name}.txt", text(parsed(tmp_path, source(body, parameters, HELPERS), constexprs)))


def ops(kernel: Kernel, kind: type[Op]) -> list:
    return [op for op in walk(kernel.body) if isinstance(op, kind)]


def extents(values: tuple[Value, ...]) -> list[list[str]]:
    """The shapes in the names of the author; a value's number is left out."""
    return [[str(extent).partition("%")[0] for extent in value.tensor.shape] for value in values]


PARAMETERS = 'x: I.In[I.f32, ("N",)], y: I.In[I.f32, ("K",)], m: I.In[I.f32, ("M", "N")], o: I.Out[I.f32, ()]'

ZERO = "I.cast(0.0, I.f32)"


def written(arguments: str, helper: str = "") -> str:
    """A kernel with one fold; `helper` are the parameters and the body of a function `helper`."""
    own = f"    @intent.fn\n    def helper{helper}\n\n\n" if helper else ""
    return source(f"r = I.region_fold({arguments})\no[()] = 0.0", PARAMETERS, HELPERS + own)


def fold(folder: Path, arguments: str, helper: str = "") -> RegionFold:
    (found,) = ops(parsed(folder, written(arguments, helper)), RegionFold)
    return found


@pytest.mark.req("L72", "L84")
def test_slices_share_one_extent_that_nothing_outside_has(tmp_path: Path) -> None:
    arguments = "(m, (m[0:3, :], m[0, None, :])), 1, helper, merge, I.zeros((m.shape[0],), I.f32)"
    helper = "(a, b):\n        return I.reduce.sum(a, axis=1) + I.reduce.sum(b[0][0, :] * b[1][0, :], axis=0)"
    op = fold(tmp_path, arguments, helper)
    assert extents(op.summarize.args) == [[], ["M", "a_extent"], ["3", "a_extent"], ["1", "a_extent"]]
    assert extents(op.combine.args) == [["M"], ["M"]]
    assert extents(op.results) == [["M"]]


SEEN = [
    ("(v):\n        return I.reduce.sum(I.full(v.shape, 2.0, dtype=I.f32) * v, axis=0)", "extent of another tensor"),
    ("(v):\n        return I.reduce.sum(I.reshape(v, (v.shape[0], 1)), axis=(0, 1))", "extent of a reshape"),
    ("(v):\n        return v[0] + v[-1]", "the ends of the slice"),
    ("(v):\n        _, at = I.arg_reduce.max(v, axis=0)\n        return v[at]", "a position as an index"),
    ("(v):\n        return I.cumsum(v, axis=0)[v.shape[0] - 1]", "the last prefix"),
]


@pytest.mark.req("L75")
@pytest.mark.parametrize("helper", [s[0] for s in SEEN], ids=[s[1] for s in SEEN])
def test_an_extent_may_shape_a_tensor_and_pick_an_element(tmp_path: Path, helper: str) -> None:
    op = fold(tmp_path, f"x, 0, helper, merge, {ZERO}", helper)
    assert extents(op.summarize.args) == [[], ["v_extent"]]


OBSERVED = [
    ("(v):\n        return I.reduce.sum(v, axis=0) / I.cast(v.shape[0], I.f32)  #!", "extent"),
    (
        "(v):\n        n = I.full((1,), v.shape[0], dtype=I.index)  #!\n        return v[0] * I.cast(n[0], I.f32)",
        "extent",
    ),
    ("(v):\n        return v[0] if v.shape[0] > 3 else v[1]  #!", "extent"),
    ("(v):\n        return I.reduce.sum(v[I.domain(0, v.shape[0])], axis=0)  #!", "extent"),
    ("(v):\n        for i in range(v.shape[0] - 1):  #!\n            w = v[i]\n        return v[0]", "extent"),
    ("(v):\n        _, at = I.arg_reduce.max(v, axis=0)\n        return I.cast(at, I.f32)  #!", "position"),
    ("(v):\n        _, at = I.arg_reduce.max(v, axis=0)\n        return I.cast(at + 1, I.f32)  #!", "position"),
]


@pytest.mark.req("L75", "L85", "L89")
@pytest.mark.parametrize(("helper", "what"), OBSERVED)
def test_where_an_axis_is_cut_is_no_value(tmp_path: Path, helper: str, what: str) -> None:
    program = written(f"x, 0, helper, merge, {ZERO}", helper)
    (found,) = refused(tmp_path, program)
    assert found.code == "kir.region_fold.observes_segment"
    assert program.splitlines()[found.line - 1].endswith("#!")
    assert what in found.message and "`v`" in found.message and "I.indices" in found.help


@pytest.mark.req("L75")
def test_what_is_captured_whole_does_not_meet_a_slice(tmp_path: Path) -> None:
    arguments = f"x, 0, helper, merge, {ZERO}, operands=(x[:],)"
    (found,) = refused(tmp_path, written(arguments, "(v, w):\n        return I.reduce.sum(v * w, axis=0)"))
    assert found.code == "kir.shape.unproved_equal" and "sources" in found.help


@pytest.mark.req("L37", "L66", "L71")
def test_extents_that_only_a_call_knows_are_guarded(tmp_path: Path) -> None:
    helper = "(a, b):\n        return I.reduce.sum(a * b, axis=0)"
    kernel = parsed(tmp_path, written(f"(x, y), 0, helper, merge, {ZERO}", helper))
    (guard,) = ops(kernel, RequireEqual)
    assert {str(guard.lhs), str(guard.rhs)} == {"N", "K"}
    kernel = parsed(tmp_path, written("I.transpose(m[:, :]), 0, total, merge, y"))
    (guard,) = ops(kernel, RequireEqual)
    assert {str(guard.lhs), str(guard.rhs)} == {"M", "K"}
    (found,) = ops(kernel, RegionFold)
    assert extents(found.results) == [["K"]]


def test_intrinsics_combine_and_apply(tmp_path: Path) -> None:
    fold_ = fold(tmp_path, f"x, 0, total, I.maximum, {ZERO}")
    assert [argument.name for argument in fold_.combine.args] == ["lhs", "rhs"]
    assert text(parsed(tmp_path, written(f"x, 0, total, I.add, {ZERO}"))) == text(
        parsed(tmp_path, written(f"x, 0, total, merge, {ZERO}"))
    )


@pytest.mark.req("K31", "K38")
@pytest.mark.parametrize("constant", ["True", "False", "0", "0.0"])
def test_a_constant_operand_drives_a_branch_at_compile_time(tmp_path: Path, constant: str) -> None:
    helper = (
        "(v, f):\n        if f:\n            return I.reduce.max(v, axis=0)\n        return I.reduce.sum(v, axis=0)"
    )
    op = fold(tmp_path, f"x, 0, helper, merge, {ZERO}, operands=({constant},)", helper)
    assert not [inner for inner in walk(op.summarize) if isinstance(inner, If)]
    combiners = [inner.combiner.value for inner in walk(op.summarize) if hasattr(inner, "combiner")]
    assert combiners == ["maximum" if constant == "True" else "add"]


@pytest.mark.req("L86")
def test_a_fold_by_a_helper_of_helpers_is_the_same(tmp_path: Path) -> None:
    inner = "    @intent.fn\n    def squares(a):\n        return I.reduce.sum(a * a, axis=0)\n\n\n"
    outer = "    @intent.fn\n    def helper(v):\n        return squares(v)\n\n\n"
    end = f"r = I.region_fold(x, 0, {{}}, merge, {ZERO})\no[()] = r"
    kernels = [
        parsed(tmp_path, source(end.format(n), PARAMETERS, HELPERS + inner + outer)) for n in ("squares", "helper")
    ]
    assert kernel_digest(kernels[0]) == kernel_digest(kernels[1])


SCAN = """
    zero = I.cast(0.0, I.f32)
    r, s = I.region_scan(m, {axis}, summarize=helper, combine=I.add, identity=I.zeros((m.shape[{other}],), I.f32),
                         initial_state=zero, apply=keep, emit=out)
    o[()] = s
"""

KEEP = "    @intent.fn\n    def keep(a, s):\n        return s\n\n\n"


@pytest.mark.req("L82", "L84")
@pytest.mark.parametrize(
    ("axis", "result", "shape"),
    [
        (0, "a * s", ["M", "N"]),
        (1, "a * s", ["M", "N"]),
        (-1, "I.transpose(a)", ["N", "M"]),
        (1, "a[0, :]", ["N"]),
        (0, "a[:, None, :]", ["M", "1", "N"]),
        (0, "(I.full((5, a.shape[0]), s, dtype=I.f32), 1)[0]", ["5", "M"]),
    ],
)
def test_outputs_have_the_whole_axis_where_slices_have_theirs(
    tmp_path: Path, axis: int, result: str, shape: list[str]
) -> None:
    helpers = f"    @intent.fn\n    def helper(a):\n        return I.reduce.sum(a, axis={axis})\n\n\n{KEEP}"
    helpers += f"    @intent.fn\n    def out(a, s):\n        return {result}\n\n\n"
    body = SCAN.format(axis=axis, other=1 if axis == 0 else 0)
    (op,) = ops(parsed(tmp_path, source(body, PARAMETERS, HELPERS + helpers)), RegionScan)
    assert extents(op.outputs) == [shape]
    assert extents(op.final) == [[]]


@pytest.mark.req("L82", "L84")
@pytest.mark.parametrize(
    "result",
    ["I.reduce.sum(a, axis=0)", "a[:, None, :] * a[None, :, :]", "a[1:, :]", "I.reshape(a, (...,))", "s", "0.0"],
)
def test_outputs_have_the_extent_of_the_slice_once(tmp_path: Path, result: str) -> None:
    helpers = f"    @intent.fn\n    def helper(a):\n        return I.reduce.sum(a, axis=0)\n\n\n{KEEP}"
    helpers += f"    @intent.fn\n    def out(a, s):\n        return {result}  #!\n\n\n"
    program = source(SCAN.format(axis=0, other=1), PARAMETERS, HELPERS + helpers)
    (found,) = refused(tmp_path, program)
    assert found.code == "kir.region_scan.members" and "once" in found.message
    assert program.splitlines()[found.line - 1].endswith("#!")
