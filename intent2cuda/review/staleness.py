"""Why an emitted project is no longer what would be emitted now: what that depends on and has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

LAYERS = {
    "kir": "Kernel IR",
    "facts": "facts",
    "worksets": "worksets",
    "planset": "plan set",
    "portable": "portable plan",
    "concrete": "concrete plan",
    "machine": "machine program",
}
"""How the layers of a kernel are called, in their order."""

_PARTS = {"requires": "requirements", "abi": "ABI", "runtime_libraries": "libraries"}


def stale_because(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """What differs between two manifests, of what a project depends on; nothing when only comments or names do."""
    return tuple(_reasons(old, new))


def _reasons(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = ({kernel["name"]: kernel["digests"] for kernel in each["kernels"]} for each in (old, new))
    yield from (f"{name}: is new" for name in after if name not in before)
    yield from (f"{name}: is gone" for name in before if name not in after)
    for name in (name for name in after if name in before):
        changed = [words for layer, words in LAYERS.items() if before[name].get(layer) != after[name].get(layer)]
        if changed:
            yield f"{name}: {', '.join(changed)}"
    yield from (words for part, words in _PARTS.items() if old.get(part) != new.get(part))
    yield from _producers(old.get("producers", {}), new.get("producers", {}))


def _producers(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield f"{name} {old.get(name, 'none')} -> {new.get(name, 'none')}"
