"""The stages of a concrete plan: a tree that says in which loops, at which level and in which order the ops of a
kernel run.

A stage names Kernel IR ops and values; it holds no expressions of its own. An element of a tensor value is addressed
by one axis for each of
the value's axes (`coordinates`), and an axis is bound by the loop that runs over it. Values that no stage defines are
virtual: they are computed
where they are used, from their operands, at the coordinates asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import ArgReduce, Combiner, Contract, For, If, Parallel, Reduce, RequireEqual, Store, While
from intent2cuda.ir.value import Value
from intent2cuda.plan.effects import Atomic

ZERO, ONE = IntExpr.of(0), IntExpr.of(1)


class Role(Enum):
    """What a stage does along an axis."""

    FREE = "free"
    ORDERED = "ordered"
    REDUCTION = "reduction"
    SCAN = "scan"
    SEGMENT = "segment"


class Level(Enum):
    """Who runs the members of an axis."""

    TEAM = "team"  # cpu: the OpenMP threads share the members
    TILES = "tiles"  # cpu: the threads share tiles of the members, for several rounds of the loop around
    SIMD = "simd"  # cpu: vector lanes of one thread
    GRID = "grid"  # cuda: one block after another takes a member; all its threads work on it together
    GRID_LANE = "grid_lane"  # cuda: each thread of the grid takes members of its own
    THREADS = "threads"  # cuda: the threads of a block share the members
    SERIAL = "serial"  # one after another, by whoever runs the surrounding stage


@dataclass(frozen=True)
class Axis:
    """A loop axis: members `begin + ordinal * step`, `ordinal` in [0, extent). `name` is the readable loop variable.

    `id` is unique in the plan. `point` is the index scalar of an author's parallel loop that this axis stands for, if
    any.
    For axes of tensors (positions) `begin` is 0 and `step` is 1.
    """

    id: str
    name: str
    extent: IntExpr
    role: Role
    begin: IntExpr = ZERO
    step: IntExpr = ONE
    point: Value | None = None


def rounds_of(op: For) -> Axis:
    """The members of an ordered loop of the author's as an axis."""
    domain, point = op.domain.domain, op.body.args[0]
    return Axis("", point.name, domain.extent, Role.ORDERED, domain.begin, domain.step, point)


@dataclass(frozen=True)
class BoundAxis:
    axis: Axis
    level: Level
    reason: str


Coordinates: TypeAlias = tuple[Axis, ...]
"""One axis for each axis of a value, in the value's order."""


class Space(Enum):
    """Where a buffer lives."""

    LOCAL = "local"  # an array of constant size in the frame or the registers of one thread
    # cpu: memory that a thread keeps between calls; `shared_by_team` when all threads use the one of the calling thread
    SCRATCH = "scratch"
    SHARED = "shared"  # cuda: shared memory of constant size
    WORKSPACE = "workspace"  # cuda: a slice for each block of the workspace that the caller passes


class Scope(Enum):
    """The threads among which an atomic access is indivisible."""

    THREAD = "thread"
    BLOCK = "block"
    DEVICE = "device"


@dataclass(frozen=True)
class Buffer:
    """Storage for elements of `value` along `axes` (row-major, in this order); its other axes are bound where the
    buffer is used.

    `kept` are the positions of `axes` among the axes of the value. `extents` are the allocation sizes.
    A logical buffer of the author (`Allocate`) has all axes and no loop axes: `axes` is empty and `kept` covers every
    position.
    `inside`: the unordered loops (their identifiers, outermost first) to a member of which it belongs; what it holds is
    forgotten at the end of that member.
    """

    id: str
    name: str
    value: Value
    kept: tuple[int, ...]
    extents: tuple[IntExpr, ...]
    space: Space
    reason: str
    shared_by_team: bool = False
    inside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Implementation:
    """A catalogued way to run a stage, and the parameters it is bound with: (name, value, reason)."""

    name: str
    parameters: tuple[tuple[str, int, str], ...] = ()


@dataclass(frozen=True)
class Draw:
    """Random bits, an element of `value` for each member of a loop: their counters are consecutive.

    `first`: the counter of the first member, in a loop of the author's.
    """

    value: Value
    at: Coordinates
    first: IntExpr | None = None


@dataclass(frozen=True)
class Points:
    """An unordered loop nest; the first axis is the outermost. `work`: scalar operations in all of it, for the
    parallel threshold.

    `stream`: the stores of the body go past the caches when the output is large (a run-time condition on its bytes).
    `offsets`: where members have parts of different sizes, the scalar that says where the part of a member begins; the
    part of the next member begins where it ends.
    `draw`: random bits that are made for many members at once.
    `in_turns`: a thread of the team that is free takes the next member, for later ones have more or less to do.
    """

    id: str
    axes: tuple[BoundAxis, ...]
    body: tuple[Stage, ...]
    implementation: Implementation
    work: IntExpr
    op: Parallel | None = None
    stream: bool = False
    offsets: Value | None = None
    draw: Draw | None = None
    in_turns: bool = False


class Prefetch(Enum):
    """What a reduction asks for before it needs it."""

    ROW = "prefetch"  # the same stretch of the next member of the surrounding axis
    AHEAD = "prefetch ahead"  # what comes some steps later in the same stretch
    PICKED = "prefetch picked rows"  # rows that the data choose for later members


@dataclass(frozen=True)
class Fold:
    """A reduction over `axes` at the result coordinates `at`. While the members are visited, `keeps` are stored for
    later stages.

    With `over` axes the fold runs side by side for each member of them, and the results go to `into`.
    `prefetch`: what is fetched from memory meanwhile. `beside`: further reductions of the same members, whose sources
    are computed along with that of `op`.
    """

    id: str
    op: Reduce | ArgReduce
    at: Coordinates
    axes: tuple[Axis, ...]
    level: Level
    implementation: Implementation
    keeps: tuple[Keep, ...] = ()
    over: tuple[Axis, ...] = ()
    into: tuple[Buffer, ...] = ()
    prefetch: Prefetch | None = None
    beside: tuple[Reduce, ...] = ()

    @property
    def ops(self) -> tuple[Reduce | ArgReduce, ...]:
        """All reductions of the sweep."""
        return (self.op, *self.beside)


@dataclass(frozen=True)
class Product:
    """A contraction by a matrix product routine. `batch` axes are bound outside; `rows`, `columns` and `depth` are
    the routine's own.

    The sum at (rows, columns) goes to the buffer `into`, or through `epilogue`, a store whose value depends on the
    sum at the same coordinates only.
    """

    id: str
    op: Contract
    at: Coordinates
    rows: Axis
    columns: Axis
    depth: Axis
    level: Level
    implementation: Implementation
    into: Buffer | None = None
    epilogue: Effect | None = None


@dataclass(frozen=True)
class Let:
    """Evaluates a value at these coordinates here, once; later stages use the local."""

    value: Value
    at: Coordinates


@dataclass(frozen=True)
class Effect:
    """A store of one element: `at` are the coordinates of the stored value's axes. `once`: only one thread of the
    team does it.
    """

    op: Store
    at: Coordinates
    once: bool


@dataclass(frozen=True)
class Access:
    """An atomic access of one element, or its combination into one: `at` are the coordinates of the axes that the op
    runs over. What it gives is in locals afterwards. `once`: as in `Effect`. `scope`: among whom it is indivisible.
    """

    op: Atomic
    at: Coordinates
    once: bool
    scope: Scope = Scope.DEVICE
    reason: str = ""


@dataclass(frozen=True)
class Keep:
    """Writes the element of `value` at these coordinates to a buffer. `once`: only one thread of the block does it
    (cuda).
    """

    value: Value
    at: Coordinates
    buffer: Buffer
    once: bool = False

    @property
    def fills(self) -> bool:
        """Whether later stages read the value itself from the buffer, not a carry or a merged value."""
        return self.buffer.value is self.value


CHANGES_PLACES = "the next round's values; the two change places"
"""Why a carry has a second buffer."""


@dataclass(frozen=True)
class Carry:
    """How a loop hands a value to its next round: in a local, in place in a buffer, or in two buffers that change
    places.
    """

    index: int
    at: Coordinates
    buffer: Buffer | None = None
    spare: Buffer | None = None


@dataclass(frozen=True)
class Tail:
    """What each round of a scan makes of its prefix: the stages behind the store, at its own member of `axis`.

    They alone read what was stored, as one of `loads`, so the prefix itself need not go to memory.
    """

    axis: Axis
    loads: tuple[Value, ...]


@dataclass(frozen=True)
class Prefixes:
    """What a loop scans: each round joins `member` to the prefix, and the one store of the body takes the prefix before
    or after that.

    `stream`: the stores go past the caches when the output is large (a run-time condition on its bytes).
    `tail`: where there are stages behind the store.
    """

    combiner: Combiner
    member: Value
    inclusive: bool
    stream: bool = False
    tail: Tail | None = None


@dataclass(frozen=True)
class TimeTiles:
    """The rows of the sweeps of a loop, one after the other along their first axes. A sweep writes rows of its own, and
    reads what another one writes at most `reach` members away along each of these axes. `row_bytes`: what a row of
    all memories takes.
    """

    reach: tuple[int, ...]
    row_bytes: IntExpr


@dataclass(frozen=True)
class Loop:
    """An ordered loop. `start` fills the buffers of the carries; `test` are the stages of a while's condition.

    `scans`: where the loop leaves every prefix in memory and does nothing else, one call of the runtime does what all
    rounds would, by `implementation`. `tiles`: where several rounds are done while rows are in the caches.
    """

    id: str
    op: For | While
    carries: tuple[Carry, ...]
    start: tuple[Stage, ...]
    body: tuple[Stage, ...]
    test: tuple[Stage, ...] = ()
    implementation: Implementation | None = None
    scans: Prefixes | None = None
    tiles: TimeTiles | None = None


@dataclass(frozen=True)
class Branch:
    """A runtime condition. Merged values are locals (`merges` without buffer) or buffers that both sides fill."""

    id: str
    op: If
    merges: tuple[Carry, ...]
    then_body: tuple[Stage, ...]
    else_body: tuple[Stage, ...]


@dataclass(frozen=True)
class Allocation:
    """A logical buffer of the author comes to life here (and is filled with its initial value by the stages that
    follow).
    """

    buffer: Buffer


@dataclass(frozen=True)
class Sync:
    """A barrier of the block (cuda). `reason` says which write it orders before which read, in the author's names."""

    reason: str


@dataclass(frozen=True)
class Check:
    """A condition on extents that is known only inside the kernel."""

    op: RequireEqual


Stage: TypeAlias = Points | Fold | Product | Let | Effect | Access | Keep | Loop | Branch | Allocation | Sync | Check
