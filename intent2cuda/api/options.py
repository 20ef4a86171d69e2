"""What a compile call may permit beyond the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from intent2cuda.api.errors import ArgumentError

Numerics: TypeAlias = Literal["source", "relaxed_normalization"]


@dataclass(frozen=True)
class CompileOptions:
    """Permissions and policies of one compile call.

    numerics: "source" keeps the language's numerical rules; "relaxed_normalization" permits online rescaling of
        normalised summaries, for callers whose scores and values are finite.
    strict: what can be neither proved nor excluded, such as a race through a data-derived index, is an error; without
        it there is a note.
    checked: the compiled kernel looks while it runs at what could not be proved, and raises the CheckError of the rule
        that was broken.
    """

    numerics: Numerics = "source"
    strict: bool = False
    checked: bool = False

    def __post_init__(self) -> None:
        """Raises ArgumentError for a value that no option has."""
        if self.numerics not in get_args(Numerics):
            raise ArgumentError(f"`numerics` is {' or '.join(map(repr, get_args(Numerics)))}, not {self.numerics!r}")
        for name in ("strict", "checked"):
            if not isinstance(cast(object, getattr(self, name)), bool):
                raise ArgumentError(f"`{name}` is a bool, not {getattr(self, name)!r}")


DEFAULT_OPTIONS = CompileOptions()
