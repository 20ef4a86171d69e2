"""Ragged relations expand to loads of offsets and parts of a domain, as if written by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from intent2cuda import interpret
from intent2cuda.base.diagnostics import IntentError
from intent2cuda.ir.digest import kernel_digest
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.notation import class_mnemonic, op_classes
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import For, Load, Subregion
from intent2cuda.ir.printer import text
from intent2cuda.ir.terms import Along, Lanes
from tests.conftest import Golden

from .texts import parsed, refused, source

PARAMETERS = (
    'x: I.In[I.f32, ("R", "D")], a: I.In[I.i32, ("E",)], b: I.In[I.i32, ("E",)], m: I.In[I.i32, ("R",)], '
    'f: I.In[I.f32, ("E",)], s: I.f32, o: I.Out[I.f32, ("G", "D")]'
)

DOMAINS = "groups, rows = I.domain(0, o.shape[0]), I.domain(0, x.shape[0])\n"
LOOP = "for g in I.parallel({}):\n"
BY_HAND = DOMAINS + LOOP.format("groups") + "    part = rows[a[g]:a[g + 1]]\n"
BY_HELPER = DOMAINS + "r = I.ragged(groups, rows, a)\n" + LOOP.format("r.outer") + "    part = r[g]\n"
MAPPED = DOMAINS + "r = I.ragged(groups, rows, a, indices=m)\n" + LOOP.format("r.outer") + "    part = r[g]\n"
SUM = "    o[g, :] = I.reduce.sum(x[{}, :], axis=0)"


def test_golden(tmp_path: Path, golden: Golden) -> None:
    golden.check("mapped.txt", text(parsed(tmp_path, source(MAPPED + SUM.format("I.members(part)"), PARAMETERS))))


FORMS = [
    ("part", BY_HELPER, BY_HAND, "part"),
    ("coordinates", BY_HELPER, BY_HAND, "I.indices(part)"),
    ("mapped", MAPPED, BY_HAND, "m[part]"),
    ("ignored mapping", MAPPED, BY_HAND, "part"),
]


@pytest.mark.req("L103", "L104", "L105", "L107", "L108")
@pytest.mark.parametrize(("name", "helper", "hand", "index"), FORMS, ids=[f[0] for f in FORMS])
def test_the_helper_is_the_hand_written_form(tmp_path: Path, name: str, helper: str, hand: str, index: str) -> None:
    members = index if index == "part" else "I.members(part)"
    texts = [source(helper + SUM.format(members), PARAMETERS), source(hand + SUM.format(index), PARAMETERS)]
    by_helper, by_hand = (text(parsed(tmp_path, one)).splitlines() for one in texts)
    (required,) = set(by_helper) - set(by_hand)
    assert required.split()[:4] == ["require_equal", "E", "rhs=G", "+"]  # how many offsets there are
    assert [line for line in by_helper if line != required] == by_hand


@pytest.mark.req("L103")
def test_offsets_are_one_more_than_the_groups(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, source(BY_HELPER + SUM.format("part"), PARAMETERS))
    views = {"x": np.zeros((4, 1), np.float32), "b": np.zeros(3, np.int32), "m": np.zeros(4, np.int32)}
    views |= {"f": np.zeros(3, np.float32), "s": 0.0, "a": np.zeros(3, np.int32)}
    interpret.run(kernel, {**views, "o": np.zeros((2, 1), np.float32)})
    with pytest.raises(IntentError, match="one more than its groups"):
        interpret.run(kernel, {**views, "o": np.zeros((3, 1), np.float32)})


@pytest.mark.req("L103")
@pytest.mark.parametrize(("groups", "fits"), [(2, True), (1, True), (0, True), (-3, True), (3, False)])
def test_a_count_of_groups_may_leave_offsets_unused(tmp_path: Path, groups: int, fits: bool) -> None:
    body = BY_HELPER.replace("I.domain(0, o.shape[0])", "I.domain(0, count)") + SUM.format("part")
    kernel = parsed(tmp_path, source(body, PARAMETERS + ", count: I.index"))
    views = {"x": np.zeros((4, 1), np.float32), "b": np.zeros(3, np.int32), "m": np.zeros(4, np.int32)}
    views |= {"f": np.zeros(3, np.float32), "s": 0.0, "a": np.zeros(3, np.int32), "count": groups}
    if fits:
        interpret.run(kernel, {**views, "o": np.zeros((3, 1), np.float32)})
    else:
        with pytest.raises(IntentError, match="at least one more than its groups"):
            interpret.run(kernel, {**views, "o": np.zeros((3, 1), np.float32)})


@pytest.mark.req("L107")
def test_no_op_is_about_ragged_members() -> None:
    assert not [op for op in op_classes() if "ragged" in class_mnemonic(op) or "member" in class_mnemonic(op)]


@pytest.mark.req("L104", "L105")
def test_loads_and_a_part_of_the_domain(tmp_path: Path) -> None:
    ops: list[Op] = list(walk(parsed(tmp_path, source(MAPPED + SUM.format("I.members(part)"), PARAMETERS)).body))
    loads = [op for op in ops if isinstance(op, Load)]
    (part,) = [op for op in ops if isinstance(op, Subregion)]
    assert [op.resource.name for op in loads] == ["a", "a", "m", "x"]
    assert (part.begin, part.end) == (loads[0].result, loads[1].result)
    assert loads[2].terms == (Along(part.result),)
    assert loads[3].terms[0] == Lanes(loads[2].result)


@pytest.mark.req("L106")
def test_two_relations_over_one_source_stay_apart(tmp_path: Path) -> None:
    body = """
        groups, rows = I.domain(0, o.shape[0]), I.domain(0, x.shape[0])
        left, right = I.ragged(groups, rows, offsets={}), I.ragged(groups, rows, offsets={})
        for g in I.parallel(left.outer):
            o[g, :] = I.reduce.sum(x[left[g], :], axis=0) - I.reduce.sum(x[right[g], :], axis=0)
    """
    kernels = [parsed(tmp_path, source(body.format(*order), PARAMETERS)) for order in ("ab", "ba", "aa")]
    assert len({kernel_digest(kernel) for kernel in kernels}) == 3
    body = BY_HELPER + "    o[g, :] = I.reduce.sum(x[part, :] + x[I.ragged(groups, rows, b)[g], :], axis=0)"
    (found,) = refused(tmp_path, source(body, PARAMETERS))
    assert found.code == "kir.shape.unproved_equal"


@pytest.mark.req("L103")
def test_a_group_is_walked_and_passed_to_helpers(tmp_path: Path) -> None:
    helper = """
        @intent.fn
        def total(relation, g, values):
            sum = I.cast(0.0, I.f32)
            for row in relation[g]:
                sum = sum + values[row, 0]
            return sum


    """
    body = DOMAINS + "r = I.ragged(groups, rows, a, m)\nfor g in I.parallel(groups):\n    o[g, 0] = total(r, g, x)"
    ops = list(walk(parsed(tmp_path, source(body, PARAMETERS, helper)).body))
    (loop,) = [op for op in ops if isinstance(op, For)]
    (part,) = [op for op in ops if isinstance(op, Subregion)]
    assert loop.domain is part.result
    assert "m" not in [op.resource.name for op in ops if isinstance(op, Load)]


REFUSED = [
    ("r = I.ragged(o.shape[0], rows, a)", "kir.ragged.outer", "`outer`", "I.domain"),
    ("r = I.ragged(groups, x, a)", "kir.ragged.members", "the In view `x`", "I.domain"),
    ("r = I.ragged(groups, rows, f)", "kir.ragged.offsets", "f32", "I.i32"),
    ("r = I.ragged(groups, rows, x)", "kir.ragged.offsets", "the In view `x`", "one axis"),
    ("r = I.ragged(groups, rows, a, indices=f)", "kir.ragged.indices", "f32", "I.i32"),
    ("r = I.ragged(groups, rows, a, indices=3)", "kir.ragged.indices", "constant 3", "one axis"),
    ("r = I.ragged(groups, rows)", "src.call.missing_argument", "offsets", "offsets"),
    ("r = I.ragged(groups, rows, a)[s]", "kir.ragged.selector", "f32", "I.cast"),
    ("r = I.ragged(groups, rows, a)[a[:]]", "kir.ragged.selector", "a tensor", "one element"),
    ("r = I.ragged(groups, rows, a)[0:1]", "kir.ragged.selector", "a slice", "number"),
    ("r = I.ragged(groups, rows, a)[0, 1]", "kir.ragged.selector", "2 terms", "rows[g]"),
    ("r = I.ragged(groups, rows, a).members", "src.attribute.unknown", "`members`", "outer"),
    ("r = I.members(rows)", "kir.ragged.members", "a domain", "I.indices"),
    ("r = I.members(I.ragged(groups, rows, a)[0][1:2])", "kir.ragged.members", "a domain", "I.indices"),
    ("for g in I.ragged(groups, rows, a):\n    pass", "src.for.source", "a ragged relation", "outer"),
    ("r = x[I.ragged(groups, rows, a)]", "kir.ragged.value", "a ragged relation", "rows[g]"),
]


@pytest.mark.req("L103")
@pytest.mark.parametrize(("body", "code", "message", "help"), REFUSED, ids=[r[0] for r in REFUSED])
def test_what_is_refused(tmp_path: Path, body: str, code: str, message: str, help: str) -> None:
    (found,) = refused(tmp_path, source(DOMAINS + body, PARAMETERS))
    assert found.code == code
    assert message in found.message and help in found.help
    assert found.span is not None and found.span.line == 8
