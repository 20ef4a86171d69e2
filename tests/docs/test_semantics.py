"""The accuracy that docs/semantics.md promises is what the sweeps of the runtime hold it to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from intent2cuda.types.scalar_fn import SCALAR_FNS, Domain, Work

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "semantics.md"
SWEEP = re.compile(r'check\(\s*"(\w+)", (?:step|count, [\d.]+), ([\d.]+),')
SPELLED = {"**": "pow"}


def promised(column: int) -> dict[str, float]:
    """Ulp of each function of the table; correctly rounded ones have half of one."""
    found: dict[str, float] = {}
    table = PAGE.read_text(encoding="utf-8").partition("## Accuracy")[2].partition("\n\nf16")[0]
    for row in re.findall(r"^\| (`.*)$", table, re.M):
        cells = [cell.strip() for cell in row.strip("| ").split("|")]
        bound = 0.5 if cells[column] == "correctly rounded" else float(cells[column])
        found |= {SPELLED.get(name, name): bound for name in re.findall(r"`([^`]+)`", cells[0])}
    return found


@pytest.mark.parametrize(("dtype", "column"), [("f32", 1), ("f64", 2)])
def test_no_sweep_permits_more_than_the_page_promises(dtype: str, column: int) -> None:
    page = promised(column)
    text = (ROOT / "runtime_cpp" / "tests" / "ulp" / f"sweep_{dtype}.cpp").read_text(encoding="utf-8")
    swept = {name: float(limit) for name, limit in SWEEP.findall(text)}
    assert len(swept) >= 15
    assert {name: limit for name, limit in swept.items() if limit > page[name]} == {}


def test_every_function_with_an_error_has_a_bound() -> None:
    functions = {fn.name for fn in SCALAR_FNS.values() if fn.domain is Domain.FLOAT and fn.work is Work.TRANSCENDENTAL}
    assert functions - set(promised(1)) == set()
