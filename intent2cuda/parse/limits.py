"""Bounds on nesting, found in the text before it is parsed, and deep recursion where a kernel needs it."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

MAX_BRACKETS = 100
MAX_DEPTH = 1200
MAX_BLOCKS = 90
MAX_BRANCHES = 300

_STACK_BYTES = 512 * 1024 * 1024
_RECURSION = 200_000
_deep = threading.Lock()

_TOKEN = re.compile(
    r"(?P<skip>\#[^\n]*|\\\r?\n|(?:[rRbBuUfF]{0,2})(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'))"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<break>[,;:=])|(?P<line>\n)"
    r"|(?P<operator>\*\*|//|<<|>>|[-+~*/%@&|^<>.!]|\b(?:not|and|or|if|else|in|is|lambda|await)\b)|\d[\w.]*|\w+|.",
    re.DOTALL,
)


@dataclass(frozen=True)
class Excess:
    """What is nested too deeply, and in which line."""

    message: str
    line: int


def too_deep(text: str) -> Excess | None:
    """The first place whose syntax tree would be deeper than the limits; the estimate is never too low."""
    return _deep_blocks(text) or _deep_expressions(text)


def _deep_blocks(text: str) -> Excess | None:
    levels: list[int] = [0]
    branches: dict[int, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        word = line.lstrip(" \t\f")
        if not word or word[0] in "#\r":
            continue
        indent = len(line.expandtabs(8)) - len(word.expandtabs(8))
        while levels[-1] > indent:
            branches.pop(levels.pop(), None)
        if levels[-1] < indent:
            levels.append(indent)
        branches[indent] = branches.get(indent, 0) + 1 if word.startswith("elif") else 0
        if len(levels) > MAX_BLOCKS and word.startswith(("if", "for", "while", "with", "try", "def", "class", "async")):
            return Excess(f"blocks are nested more than {MAX_BLOCKS} deep", number)
        if branches[indent] > MAX_BRANCHES:
            return Excess(f"an `if` has more than {MAX_BRANCHES} `elif` branches", number)
    return None


def _deep_expressions(text: str) -> Excess | None:
    counts = [0]
    line = 1
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            counts.append(1)
        elif kind == "close":
            if len(counts) > 1:
                counts.pop()
            counts[-1] += 1
        elif kind == "break" or (kind == "line" and len(counts) == 1):
            counts[-1] = 0
        elif kind == "operator":
            counts[-1] += 1
        if kind in ("open", "operator", "close") and (len(counts) > MAX_BRACKETS or sum(counts) > MAX_DEPTH):
            what = (
                f"brackets are nested more than {MAX_BRACKETS} deep"
                if len(counts) > MAX_BRACKETS
                else (f"an expression has more than {MAX_DEPTH} operations")
            )
            return Excess(what, line)
        line += token.group().count("\n")
    return None


T = TypeVar("T")


def with_deep_stack(work: Callable[[], T]) -> T:
    """The result of `work`; where it recurses deeper than Python allows, it runs again on a larger stack."""
    try:
        return work()
    except RecursionError:
        return _on_large_stack(work)


def _on_large_stack(work: Callable[[], T]) -> T:
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    with _deep:
        limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
        sys.setrecursionlimit(_RECURSION)
        try:
            thread = threading.Thread(target=run, name="intent2cuda-parse")
            thread.start()
            thread.join()
        finally:
            threading.stack_size(size)
            sys.setrecursionlimit(limit)
    if failure:
        raise failure[0]
    return outcome[0]
