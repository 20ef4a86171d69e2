"""Interfaces survive the manifest."""

from __future__ import annotations

import json

from intent2cuda.project.interface import AliasRule, Interface, Parameter, interface_of


def test_an_interface_can_be_read_back_from_the_manifest() -> None:
    interface = Interface(
        "k",
        (
            Parameter("x", "in", "f32", ("N", 4), ("pitch", None), alias="pool"),
            Parameter("n", "scalar", "index"),
            Parameter("y", "out", "bf16", (), noalias=True),
        ),
        (AliasRule("y", "x", "disjoint"),),
        "k_call",
        "k_last_error",
    )
    assert interface_of(json.loads(json.dumps(interface.record()))) == interface
