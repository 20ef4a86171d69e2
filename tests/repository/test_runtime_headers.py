"""Every header of the cpu runtime is one that emitted code can need, by itself or through another one."""

from __future__ import annotations

import re
from pathlib import Path

from intent2cuda.machine.runtime import COMMON, CPU

INCLUDE = Path(__file__).resolve().parents[2] / "runtime_cpp" / "include"


def included(header: str) -> list[str]:
    return re.findall(r"#include <(intent/[^>]+)>", (INCLUDE / header).read_text())


def test_no_header_is_left_over() -> None:
    found, pending = set[str](), [*COMMON.values(), *CPU.values()]
    while pending:
        header = pending.pop()
        if header not in found:
            found.add(header)
            pending += included(header)
    present = {str(path.relative_to(INCLUDE)) for path in (INCLUDE / "intent" / "cpu").rglob("*.hpp")}
    assert present <= found, sorted(present - found)
