"""Plain data as JSON that people can read and compare line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from intent2cuda.base.codec import Plain


def in_rows(data: Plain, depth: int) -> str:
    """JSON in which what holds containers is written over several lines down to `depth`; keys keep their order."""
    return "".join(_rows(data, depth, "")) + "\n"


def _is_flat(data: Plain) -> bool:
    """Whether there is no container inside."""
    if data is None or isinstance(data, str | int):
        return True
    inner = data.values() if isinstance(data, Mapping) else data
    return all(part is None or isinstance(part, str | int) for part in inner)


def _rows(data: Plain, depth: int, indent: str) -> Iterator[str]:
    if depth == 0 or _is_flat(data):
        yield json.dumps(data, ensure_ascii=True, allow_nan=False)
        return
    inner = f"{indent}  "
    if isinstance(data, Mapping):
        parts = [(f"{json.dumps(key)}: ", part) for key, part in data.items()]
        opening, closing = "{", "}"
    else:
        parts, opening, closing = [("", part) for part in cast(Sequence[Plain], data)], "[", "]"
    yield opening
    for number, (head, part) in enumerate(parts):
        yield f"{',' if number else ''}\n{inner}{head}"
        yield from _rows(part, depth - 1, inner)
    yield f"\n{indent}{closing}"
