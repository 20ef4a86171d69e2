"""Where a stage is made: the loops around it, and what they bind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from intent2cuda.plan.stage import Axis


@dataclass(frozen=True)
class Scope:
    """`bound`: the loop axis of each class that a surrounding loop peels. `names`: loop variables in sight.

    `depth`: loops around. `nest`: the unordered ones among them; what is stored here belongs to one member of the last.
    """

    bound: Mapping[int, Axis]
    names: frozenset[str] = frozenset()
    depth: int = 0
    nest: tuple[str, ...] = ()

    @property
    def classes(self) -> frozenset[int]:
        return frozenset(self.bound)

    def inside(self, axes: Mapping[int, Axis], names: Sequence[str], points: str = "") -> Scope:
        """Inside a loop; `points` is the identifier of an unordered one."""
        nest = (*self.nest, points) if points else self.nest
        return Scope({**self.bound, **axes}, self.names.union(names), self.depth + 1, nest)
