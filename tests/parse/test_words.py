"""Refusals name extents and remedies in the author's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.parse import parse_kernel

HEAD = "import intent2cuda as intent\nimport intent2cuda.language as I\n\n\n@intent.kernel\n"
RAGGED = """def k(x: I.In[I.f32, ("N",)], start: I.In[I.i32, ("E",)], y: I.Out[I.f32, ("G",)]):
    r = I.ragged(outer=I.domain(0, y.shape[0]), members=I.domain(0, x.shape[0]), offsets=start)
    s = I.domain(0, x.shape[0])
    for g in I.parallel(r.outer):
        y[g] = I.reduce.sum({sum}, axis=0)
"""
TOTAL = """def k(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ()]):
    y[()] = {sum}
"""


def refusals(folder: Path, text: str) -> tuple[Diagnostic, ...]:
    path = folder / "k.py"
    path.write_text(HEAD + text)
    with pytest.raises(IntentError) as refused:
        parse_kernel(path, "k")
    return tuple(refused.value.diagnostics)


@pytest.mark.parametrize(
    ("total", "extents", "help"),
    [
        ("x[r[g]] * x[r[g]]", ["start[g + 1] - start[g]"], "it was read twice: give the part a name"),
        ("x[r[g]] * x[s[start[g]:start[2]]]", ["start[g + 1] - start[g]", "start[2] - start[g]"], "use one domain"),
        ("x[s[start[0]:]] * x[s[:start[start[g]]]]", ["N - start[0]", "start[start[g]]"], "use one domain"),
    ],
)
def test_extents_that_were_read_are_called_after_their_places(
    tmp_path: Path, total: str, extents: list[str], help: str
) -> None:
    (found,) = refusals(tmp_path, RAGGED.format(sum=total))
    assert found.code == "kir.shape.unproved_equal" and found.help.startswith(help)
    assert all(extent in found.message for extent in extents) and "_" not in found.message


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("reduce.min", "use I.reduce(value, axis=..., identity=..., combine=I.minimum)"),
        ("reduce.minimum", "use I.reduce(value, axis=..., identity=..., combine=I.minimum)"),
        ("reduce.maximum", "use I.reduce.max"),
        ("min", "use I.reduce(value, axis=..., identity=..., combine=I.minimum), or I.minimum of two values"),
    ],
)
def test_the_least_of_all_members_is_no_minimum_of_two_values(tmp_path: Path, name: str, help: str) -> None:
    (found,) = refusals(tmp_path, TOTAL.format(sum=f"I.{name}(x[:], axis=0)"))
    assert (found.code, found.help) == ("src.name.unknown", help)


def test_what_is_said_about_the_least_member_works(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(HEAD + TOTAL.format(sum="I.reduce(x[:], axis=0, identity=0.0, combine=I.minimum)"))
    assert parse_kernel(path, "k").kernel.name == "k"


def test_an_extent_without_quotes_is_told_to_have_them(tmp_path: Path) -> None:
    found = refusals(tmp_path, "def k(x: I.In[I.f32, (ROWS,)], y: I.Out[I.f32, (ROWS, 3)]):\n    y[:, 0] = x[:]\n")
    assert {f.code for f in found} == {"src.name.undefined"}
    assert {f.help for f in found} == {'write an extent in quotes, "ROWS"; import what is defined elsewhere'}
