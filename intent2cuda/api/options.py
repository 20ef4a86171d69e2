"""What a compile call may permit beyond the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class CompileOptions:
    """Permissions and policies of one compile call.

    numerics: "source" keeps the language's numerical rules; "relaxed_normalization" permits online rescaling of
        normalised summaries, for callers whose scores and values are finite.
    strict: what can be neither proved nor excluded, such as a race through a data-derived index, is an error; without
        it there is a note.
    """

    numerics: Literal["source", "relaxed_normalization"] = "source"
    strict: bool = False


DEFAULT_OPTIONS = CompileOptions()
