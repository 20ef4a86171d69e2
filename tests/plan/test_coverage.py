"""Constructs that a compiled target does not cover are refused before planning, all at once and by name."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from intent2cuda.base.diagnostics import IntentError
from intent2cuda.ir.ops import AnyOp, AtomicUpdate, Philox, ReduceBy, Scan
from intent2cuda.ir.reader import read
from intent2cuda.plan import coverage, refuse_uncovered
from intent2cuda.plan.coverage import COMPILED, DTYPES, OPS, DTypeGap, OpGap
from intent2cuda.types.dtype import F8E4M3FN, F8E5M2

KERNEL = """
kernel k(%x: In f32[N], %h: In f8e4m3fn[N], %n: InOut i32[4], %o: Out f32[N]) {
  %0: f32 = constant 0.0
  %1: i32 = constant 1
  %2: index = constant 0
  %row: f32[N] = load %x[:]
  %sum: f32[N] = scan.add %row axis=0
  %total: f32 = reduce_by %row axes=(0) identity=(%0)
    combine(%a: f32, %b: f32) {
      %3: f32 = mul %a, %b
      yield %3
    }
  %old: i32 = atomic_update.and %n[%2], %1 order=relaxed
  %narrow: f8e5m2[N] = cast %row
  %wide: f32[N] = cast %narrow
  store %o[:], %wide
}
"""


GAPS = (
    OpGap(Scan, ("I.scan", "I.cumsum")),
    OpGap(ReduceBy, ("I.reduce",)),
    OpGap(AtomicUpdate, ("I.atomic",)),
    OpGap(Philox, ("I.random.bits",), frozenset({"cpu"})),
)


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Targets that lack some constructs of the kernel, whatever the real ones lack."""
    monkeypatch.setattr(coverage, "OPS", GAPS)
    monkeypatch.setattr(coverage, "DTYPES", (DTypeGap(F8E4M3FN), DTypeGap(F8E5M2)))


@pytest.mark.req("P56")
@pytest.mark.usefixtures("lacking")
@pytest.mark.parametrize("target", sorted(COMPILED))
def test_one_error_lists_them_all_in_program_order(target: str) -> None:
    with pytest.raises(IntentError) as refused:
        refuse_uncovered(read(KERNEL), target)
    found = refused.value.diagnostics
    assert [d.subject for d in found] == ["I.f8e4m3fn", "I.scan", "I.reduce", "I.atomic.and_", "I.f8e5m2"]
    assert {d.code for d in found} == {"target.unsupported"}
    assert all(target in d.message and 'target="reference"' in d.help for d in found)


BITS = "kernel k(%s: u64, %c: index, %o: Out u32[1]) {\n  %0: u32 = philox %s, %c\n}\n"


@pytest.mark.usefixtures("lacking")
def test_a_target_alone_may_lack_a_construct() -> None:
    refuse_uncovered(read(BITS), "cuda")
    with pytest.raises(IntentError, match=r"I\.random\.bits"):
        refuse_uncovered(read(BITS), "cpu")


@pytest.mark.usefixtures("lacking")
def test_a_kernel_of_covered_constructs_passes() -> None:
    covered = re.sub(r"(?m)^  %(sum|old|narrow|wide|total).*\n( {4,}.*\n)*", "", KERNEL)
    covered = covered.replace("f8e4m3fn", "f16").replace("%wide", "%row")
    for target in COMPILED:
        refuse_uncovered(read(covered), target)


def test_rows_name_ops_and_targets_that_exist() -> None:
    assert {row.op for row in OPS} <= set(get_args(AnyOp))
    assert len({row.op for row in OPS}) == len(OPS)
    assert all(row.targets and row.targets <= COMPILED for row in (*OPS, *DTYPES))
