"""What the manifest of an emitted project says about how it was emitted."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast


@dataclass(frozen=True)
class Recorded:
    """`project`: what it is called. `name`: the same where a caller gave it, else empty. `constexprs`: for each kernel
    the values that a caller gave; enum members by their name. `checked`: its kernels inspect what is not proved.
    """

    project: str
    name: str
    target: str
    architectures: tuple[str, ...]
    constexprs: Mapping[str, Mapping[str, object]]
    checked: bool


def read_recorded(manifest: Path) -> Recorded | None:
    """The record in a manifest; None when there is no such file or it is not what was once written there."""
    try:
        return _recorded(json.loads(manifest.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None


def _recorded(manifest: Any) -> Recorded:
    target, architectures = manifest["target"], manifest["requires"].get("architectures", ())
    if not isinstance(target, str) or not all(isinstance(a, str) for a in architectures):
        raise TypeError("the manifest is not one of ours")
    project = str(manifest["project"])
    kernels = {str(kernel["name"]): _given(kernel) for kernel in manifest["kernels"]}
    checked = any("checked" in kernel for kernel in manifest["kernels"])
    name = project if manifest.get("named") else ""
    return Recorded(project, name, target, tuple(cast("list[str]", architectures)), kernels, checked)


def _given(kernel: Any) -> dict[str, object]:
    return {str(name): _value(str(kernel["constexprs"][name])) for name in kernel["given"]}


def _value(text: str) -> object:
    """A bool, number or the name of an enum member, as it is written in Python."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
