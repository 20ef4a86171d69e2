"""Identifiers and digests: the same in every process, and after a small edit the same for what the edit left alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.parse import parse_kernel
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.portable import PortablePlan

from .portables import portable

SOURCE = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def layers(
    x: I.In[I.f32, ("M", "N")],
    gain: I.In[I.f32, ("N",)],
    y: I.Out[I.f32, ("M", "N")],
    total: I.Out[I.f32, ("M",)],
    peak: I.Out[I.f32, ("M",)],
):
    for row in I.parallel(I.domain(0, x.shape[0])):
        value = x[row, :] * gain[:]
        mass = I.reduce.sum(value, axis=0)
        total[row] = mass
        peak[row] = I.reduce.max(I.abs(x[row, :]), axis=0)
        scaled = value / mass
        y[row, :] = I.exp(scaled) + 1.0
"""

EDITS = {
    "a constant at the end": ("I.exp(scaled) + 1.0", "I.exp(scaled) + 2.0"),
    "a function at the end": ("I.exp(scaled)", "I.tanh(scaled)"),
    "a branch of its own": ("I.abs(x[row, :])", "-x[row, :]"),
}


def parsed(folder: Path, text: str) -> Kernel:
    file = folder / "layers.py"
    file.write_text(text)
    return parse_kernel(file, "layers").kernel


def entities(plan: PortablePlan) -> dict[str, set[str]]:
    """The identifiers of a plan by what they name."""
    return {
        "operations": {name for task in plan.tasks for name in task.body},
        "buffers": {buffer.id for buffer in plan.buffers},
        "axes": {axis.id for task in plan.tasks for axis in task.axes},
    }


@pytest.mark.req("P123", "S7")
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_changes_only_what_reads_it(tmp_path: Path, edit: str) -> None:
    before, after = EDITS[edit]
    old = entities(portable(parsed(tmp_path, SOURCE))[0])
    new = entities(portable(parsed(tmp_path, SOURCE.replace(before, after)))[0])
    changed = {kind: (len(old[kind] - new[kind]), len(new[kind] - old[kind])) for kind in old}
    assert changed["buffers"] == changed["axes"] == (0, 0)
    gone, come = changed["operations"]
    assert 0 < gone <= 4 and 0 < come <= 4 and len(old["operations"]) > 15


@pytest.mark.req("P123")
def test_what_is_added_leaves_the_others_alone(tmp_path: Path) -> None:
    """Lines move, serial numbers change, and the order of the text with them."""
    first = "        value = x[row, :] * gain[:]\n"
    added = "        least = I.reduce.sum(x[row, :], axis=0)\n" + first
    text = SOURCE.replace(first, added).replace("total[row] = mass", "total[row] = mass + least")
    old, new = (entities(portable(parsed(tmp_path, t))[0])["operations"] for t in (SOURCE, text))
    assert len(old - new) == 1  # the store of the total
    assert len(new - old) == 4  # the read, the reduction, the sum, the store


@pytest.mark.req("P123")
def test_names_and_places_play_no_part(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, SOURCE)
    renamed = SOURCE.replace("value", "v").replace("mass", "m").replace("scaled", "s").replace("\n\n\n", "\n\n\n\n\n")
    assert list(Identities(kernel).ops.values()) == list(Identities(parsed(tmp_path, renamed)).ops.values())


def test_one_more_loop_leaves_the_others_alone(tmp_path: Path) -> None:
    """Loops over one domain are told apart by what they change."""
    loop = "    for row in I.parallel(I.domain(0, x.shape[0])):\n"
    more = loop + "        first[row] = x[row, 0]\n" + loop
    given = SOURCE.replace("    peak: I.Out", '    first: I.Out[I.f32, ("M",)],\n    peak: I.Out')
    old, new = (entities(portable(parsed(tmp_path, t))[0])["operations"] for t in (given, given.replace(loop, more)))
    assert not old - new and len(new - old) >= 3


def test_twins_are_told_apart(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, SOURCE)
    names = list(Identities(kernel).ops.values())
    assert len(set(names)) == len(names)


REPORT = """
import json, sys
from pathlib import Path
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan, portable_text, worksets_text
found = {}
for target in ("cpu", "sm_80"):
    made = plan(parse_kernel(Path(sys.argv[1]), "layers").kernel, target)
    found[target] = [made.worksets.digest, made.planset.digest, made.portable.digest, made.concrete.digest]
    found[target] += [worksets_text(made), portable_text(made)]
print(json.dumps(found))
"""


def in_a_process(file: Path, seed: str) -> Mapping[str, Any]:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", REPORT, str(file)], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.req("P2", "S7")
def test_digests_are_the_same_in_every_process_and_folder(tmp_path: Path) -> None:
    found: list[Mapping[str, Any]] = []
    for folder, seed in (("here", "0"), ("there", "1"), ("there", "4242")):
        (tmp_path / folder).mkdir(exist_ok=True)
        file = tmp_path / folder / "layers.py"
        file.write_text(SOURCE)
        found.append(in_a_process(file, seed))
    assert found[0] == found[1] == found[2]
    assert found[0]["cpu"][:3] == found[0]["sm_80"][:3] and found[0]["cpu"][3] != found[0]["sm_80"][3]
