"""Text of authors inside comments and strings: it can neither end them nor continue them."""

from __future__ import annotations

import unicodedata


def comment_text(text: str, width: int = 100) -> str:
    """One line that is safe in `//`, `#` and `/* */`: printable ASCII, no trailing backslash, cut with `...`."""
    plain = "".join(_printable(c) for c in " ".join(text.split()))
    plain = plain.replace("*/", "* /").replace("/*", "/ *").replace("??/", "?? /")
    if len(plain) > width:
        plain = plain[: width - 3].rstrip() + "..."
    return plain.rstrip("\\ ")


def string_text(text: str) -> str:
    """The inside of a C++, Python or JSON string literal that shows `text`."""
    plain = "".join(_printable(c) for c in text)
    return plain.replace("\\", "\\\\").replace('"', '\\"').replace("??", "?\\?")


def _printable(character: str) -> str:
    if " " <= character <= "~":
        return character
    if character.isspace() or unicodedata.category(character).startswith("C"):
        return " "
    return "?"
