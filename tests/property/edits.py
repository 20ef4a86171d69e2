"""Random edits of source text, token by token."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import strategies as st

from .programs import Draw

TOKEN = re.compile(r'"[^"\n]*"|\d[\d.e_]*\d|\d|\w+|[ \t]+|\n|//|\*\*|<<|>>|[<>=!]=|\S')
NUMBERS = ("0", "1", "2", "-1", "3", "7", "64", "1.0", "0.5", "1e30", "2147483648", "True", "None")
DTYPES = ("i8", "u8", "i32", "i64", "u64", "f16", "bf16", "f32", "f64", "bool", "index", "f8e4m3fn")
OPERATORS = ("+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "**", "==", "<", ">=", "and", "or", "not", "=")
FRAGMENTS = (
    "[:]", "[0]", "[None]", "[...]", "[-1]", ".shape", ".shape[0]", "()", "(", ")", ":", ",", "axis=0", "axis=1",
    "I.add", "I.inf", "break", "continue", "return", "pass", "lambda", "None", "*", "\n", "    ", "if ", "else:",
    "while True:",
)  # fmt: skip

Tokens = list[str]
Edit = Callable[[Draw, Tokens], None]


def _place(draw: Draw, tokens: Tokens, pattern: str = r"\S") -> int:
    """A token that matches, or any."""
    fitting = [k for k, token in enumerate(tokens) if re.fullmatch(f"(?:{pattern}).*", token)]
    return draw(st.sampled_from(fitting or range(len(tokens))))


def delete(draw: Draw, tokens: Tokens) -> None:
    at = _place(draw, tokens)
    del tokens[at : at + draw(st.integers(1, 4))]


def duplicate(draw: Draw, tokens: Tokens) -> None:
    at, count = _place(draw, tokens), draw(st.integers(1, 6))
    tokens[at:at] = tokens[at : at + count]


def swap(draw: Draw, tokens: Tokens) -> None:
    first, second = _place(draw, tokens), _place(draw, tokens)
    tokens[first], tokens[second] = tokens[second], tokens[first]


def rename(draw: Draw, tokens: Tokens) -> None:
    """One name becomes another one of the file."""
    tokens[_place(draw, tokens, r"[A-Za-z_]")] = tokens[_place(draw, tokens, r"[A-Za-z_]")]


def renumber(draw: Draw, tokens: Tokens) -> None:
    tokens[_place(draw, tokens, r"\d")] = draw(st.sampled_from(NUMBERS))


def retype(draw: Draw, tokens: Tokens) -> None:
    tokens[_place(draw, tokens, "|".join(DTYPES))] = draw(st.sampled_from(DTYPES))


def reoperate(draw: Draw, tokens: Tokens) -> None:
    tokens[_place(draw, tokens, r"[-+*/%&|^<>=]")] = draw(st.sampled_from(OPERATORS))


def respell(draw: Draw, tokens: Tokens) -> None:
    """A string of the file, such as an extent, becomes another one."""
    tokens[_place(draw, tokens, '"')] = draw(st.sampled_from(('"M"', '"N"', '"K"', '""', '"1"', '"relaxed"', "3")))


def insert(draw: Draw, tokens: Tokens) -> None:
    tokens.insert(_place(draw, tokens), draw(st.sampled_from(FRAGMENTS)))


def move_line(draw: Draw, tokens: Tokens) -> None:
    """A line goes somewhere else, or stands twice."""
    lines = "".join(tokens).split("\n")
    source, target = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    lines.insert(target, lines[source] if draw(st.booleans()) else lines.pop(source))
    tokens[:] = TOKEN.findall("\n".join(lines))


EDITS: tuple[Edit, ...] = (
    delete, duplicate, swap, rename, rename, renumber, renumber, retype, reoperate, respell, insert, move_line,
)  # fmt: skip


def edited(draw: Draw, source: str, most: int) -> str:
    """The source after one edit or a few."""
    tokens = TOKEN.findall(source)
    for _ in range(draw(st.integers(1, most))):
        draw(st.sampled_from(EDITS))(draw, tokens)
    return "".join(tokens)
