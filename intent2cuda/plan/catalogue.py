"""The implementations that stages can be bound to: what each does and what it needs, best first for each kind of
stage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from intent2cuda.plan.stage import Implementation


@dataclass(frozen=True)
class Situation:
    """What the choice depends on. `axes`: loop axes left to bind; the other fields are facts about stage and
    surroundings.
    """

    axes: int = 1
    team: bool = False  # a loop around is shared by the threads of a cpu already
    straight: bool = False  # the body has no loop, branch or sweep
    one_store: bool = False  # the body is a single store
    contiguous: bool = False  # that store runs along the last axis of its memory
    write_only: bool = False  # nothing in the kernel reads what it stores, and it has a format that can be streamed
    greatest: bool = False  # the sweep looks for the position of the greatest member
    columns: bool = False  # the sweep runs for many columns at once
    grid: bool = False  # blocks may share the loop
    by_thread: bool = False  # all that belongs to a member is one thread's work
    inside_thread: bool = False  # one thread runs the code around


@dataclass(frozen=True)
class Need:
    """A condition, and the sentence that says it is not met."""

    otherwise: str
    holds: Callable[[Situation], bool] = field(compare=False)


@dataclass(frozen=True)
class Entry:
    name: str
    does: str
    needs: tuple[Need, ...] = ()
    parameters: tuple[tuple[str, int, str], ...] = ()

    @property
    def implementation(self) -> Implementation:
        return Implementation(self.name, self.parameters)

    def refusal(self, situation: Situation) -> str:
        """Why the entry does not serve; empty when it does."""
        return next((need.otherwise for need in self.needs if not need.holds(situation)), "")


@dataclass(frozen=True)
class Choice:
    """`rejected`: the entries tried before, with what was missing."""

    stage: str
    entry: Entry
    rejected: tuple[tuple[str, str], ...]


OUTERMOST = Need("a loop around is shared by the threads already", lambda s: not s.team)
INNER = Need("no loop around is shared by the threads yet", lambda s: s.team)
ONE_AXIS = Need("it has more than one axis", lambda s: s.axes == 1)
STRAIGHT = Need("its body has loops, branches or sweeps", lambda s: s.straight)
ONE_STORE = Need("its body is more than one store", lambda s: s.one_store)
CONTIGUOUS = Need("the store does not run along contiguous memory", lambda s: s.contiguous)
WRITE_ONLY = Need("the kernel reads the stored array too, or its format is not streamed", lambda s: s.write_only)
GREATEST = Need("it combines members, it does not look for one", lambda s: s.greatest)
COMBINES = Need("it looks for the position of a member", lambda s: not s.greatest)
COLUMNS = Need("it reduces to one element for each member around", lambda s: s.columns)
ON_GRID = Need("every block runs it, or the kernel stays in one block", lambda s: s.grid)
BY_THREAD = Need("a member has sweeps or storage that a whole block shares", lambda s: s.by_thread)
IN_BLOCK = Need("one thread runs the code around", lambda s: not s.inside_thread)

CPU_POINTS = (
    Entry(
        "cpu.pointwise.map",
        "all threads, vector lanes, large outputs past the caches",
        (OUTERMOST, ONE_AXIS, STRAIGHT, ONE_STORE, CONTIGUOUS),
    ),
    Entry("cpu.pointwise.team_simd", "all threads, vector lanes", (OUTERMOST, ONE_AXIS, STRAIGHT)),
    Entry("cpu.points.team", "the threads share the members of the first axis", (OUTERMOST,)),
    Entry(
        "cpu.pointwise.map_row",
        "one thread, vector lanes, large outputs past the caches",
        (INNER, ONE_AXIS, STRAIGHT, ONE_STORE, CONTIGUOUS, WRITE_ONLY),
    ),
    Entry("cpu.pointwise.simd", "one thread, vector lanes", (INNER, ONE_AXIS, STRAIGHT)),
    Entry("cpu.points.serial", "one thread, one member after the other"),
)
CPU_FOLDS = (
    Entry("cpu.reduce.arg_max", "one thread, lanes that remember their place", (GREATEST,)),
    Entry("cpu.reduce.columns", "row after row, all columns in vector lanes", (COMBINES, COLUMNS)),
    Entry("cpu.reduce.team", "all threads, in blocks of fixed size that are combined in order", (COMBINES, OUTERMOST)),
    Entry("cpu.reduce.lanes", "one thread, independent vector lanes"),
)
CPU_PRODUCTS = (Entry("cpu.contract.fma_tile", "packed panels, sums in registers"),)

CUDA_POINTS = (
    Entry("cuda.points.lanes", "each thread of the grid takes members of its own", (ON_GRID, BY_THREAD)),
    Entry("cuda.points.blocks", "a block takes a member, its threads share the work inside", (ON_GRID,)),
    Entry("cuda.points.threads", "the threads of a block share the members", (IN_BLOCK, BY_THREAD)),
    Entry("cuda.points.turns", "a block takes one member after another", (IN_BLOCK,)),
    Entry("cuda.points.serial", "one thread, one member after the other"),
)
CUDA_FOLDS = (
    Entry("cuda.reduce.block_arg_max", "the threads of a block, then their candidates", (IN_BLOCK, GREATEST)),
    Entry("cuda.reduce.block", "the threads of a block, warps first", (IN_BLOCK,)),
    Entry("cuda.reduce.thread_arg_max", "one thread", (GREATEST,)),
    Entry("cuda.reduce.thread", "one thread"),
)
CUDA_PRODUCTS = (
    Entry(
        "cuda.contract.simt_tile",
        "a block computes a tile from shared memory, sums in registers",
        parameters=(
            ("tile_m", 64, "with tile_n: each of 256 threads sums 4 x 4 elements in registers"),
            ("tile_n", 64, "as tile_m"),
            ("tile_k", 16, "two tiles of operands take under 20 KiB of shared memory"),
        ),
    ),
)
PRODUCT_SHARED_BYTES = 20 * 1024
"""Shared memory that a tile of a product needs, whatever its format."""

TABLES = (CPU_POINTS, CPU_FOLDS, CPU_PRODUCTS, CUDA_POINTS, CUDA_FOLDS, CUDA_PRODUCTS)


class Chooser:
    """Takes the first entry of a table whose needs are met, and keeps a record of it."""

    def __init__(self) -> None:
        self.choices: dict[str, Choice] = {}

    def take(self, stage: str, table: tuple[Entry, ...], situation: Situation) -> Implementation:
        """The implementation for a stage. The last entry of a table serves always, or the plan is wrong."""
        rejected: list[tuple[str, str]] = []
        for entry in table:
            refusal = entry.refusal(situation)
            if not refusal:
                self.choices[stage] = Choice(stage, entry, tuple(rejected))
                return entry.implementation
            rejected.append((entry.name, refusal))
        raise AssertionError(f"no implementation for {stage}")
