"""Checked runs: reads of what nobody wrote, destinations hit twice, and points that disturb each other."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.interpret.frames import Frame
from intent2cuda.interpret.selection import Selection
from intent2cuda.ir.ops import Allocate, Gather, Load, Store
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import Array


@dataclass(frozen=True)
class Access:
    """The elements that the points of `frame` read or write.

    With a mask `selection` has one axis: the lanes of `whole` where `lanes` holds.
    """

    op: Load | Gather | Store
    resource: Value
    selection: Selection
    frame: Frame | None
    whole: Selection | None = None
    lanes: Array | None = None


class Checks:
    """What is known about every element of every view and buffer."""

    def load(self, access: Access) -> None:
        """Records a read."""

    def store(self, access: Access) -> None:
        """Records a write."""

    def allocate(self, op: Allocate, frame: Frame | None) -> None:
        """Records fresh storage."""
