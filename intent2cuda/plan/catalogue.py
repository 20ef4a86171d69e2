"""The implementations that stages can be bound to: what each does and what it needs, best first for each kind of
stage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Parallel, RegionFold, RegionScan
from intent2cuda.plan.stage import Fold, Loop, Points, Product, Stage
from intent2cuda.plan.time_tiles import TIME_TILES, Obstacle
from intent2cuda.plan.writing_out import Open


@dataclass(frozen=True)
class Situation:
    """What the choice depends on. `axes`: loop axes left to bind; the other fields are facts about stage and
    surroundings.
    """

    axes: int = 1
    team: bool = False  # a loop around is shared by the threads of a cpu already
    straight: bool = False  # the body has no loop, branch or sweep
    one_store: bool = False  # the body is a single store
    contiguous: bool = False  # that store runs along the last axis of its memory, from its first element on
    inside: bool = False  # it stores one part of a line of contiguous memory, from behind its first element on
    write_only: bool = False  # nothing in the kernel reads what it stores, and it has a format that can be streamed
    ragged: bool = False  # it reduces, in each member, a part whose size the data say
    from_data: bool = False  # the number of members of the sweep is read from memory
    by_parts: bool = False  # the threads share the loop around by such parts
    alone: bool = False  # all sweeps beside it are over such parts too
    random: bool = False  # its members take random bits of consecutive counters
    scatter: bool = False  # the body adds to a place that the data choose along the first axis of memory
    greatest: bool = False  # the sweep looks for the position of the greatest member
    abreast: bool = False  # lanes can reduce for neighbouring members, each for its own
    columns: bool = False  # the sweep or scan runs for many columns at once
    grid: bool = False  # blocks may share the loop
    by_thread: bool = False  # all that belongs to a member is one thread's work
    inside_thread: bool = False  # one thread runs the code around
    rounds_apart: Obstacle | None = None  # why rounds of a loop must not run together


@dataclass(frozen=True)
class Need:
    """A condition, and the sentence that says it is not met."""

    otherwise: str
    holds: Callable[[Situation], bool] = field(compare=False)


@dataclass(frozen=True)
class Row:
    """Parameters that go together: (name, value, reason) of each. `shared_bytes`: what a block needs for them."""

    parameters: tuple[tuple[str, int, str], ...] = ()
    shared_bytes: int = 0

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value, _ in self.parameters)


@dataclass(frozen=True)
class Entry:
    """`realises`: the kind of stage that it runs, or of operation that it writes out. `rows`: its parameters, best
    first. `version` changes when the code that comes of it changes its meaning or shape.
    """

    name: str
    realises: type[Stage | Op]
    does: str
    needs: tuple[Need, ...] = ()
    rows: tuple[Row, ...] = (Row(),)
    version: str = "1"

    def refusal(self, situation: Situation) -> str:
        """Why the entry does not serve; empty when it does."""
        return next((need.otherwise for need in self.needs if not need.holds(situation)), "")


def sized(name: str, value: int, reason: str) -> Row:
    """A row of one parameter."""
    return Row(((name, value, reason),))


OUTERMOST = Need("a loop around is shared by the threads already", lambda s: not s.team)
INNER = Need("no loop around is shared by the threads yet", lambda s: s.team)
ONE_AXIS = Need("it has more than one axis", lambda s: s.axes == 1)
STRAIGHT = Need(
    "its body is not element work alone: it has a loop, a branch, a sweep, an atomic access or a check",
    lambda s: s.straight,
)
ONE_STORE = Need("its body is not one store alone", lambda s: s.one_store)
CONTIGUOUS = Need(
    "the store does not run along contiguous memory from its first element on, or not for every member",
    lambda s: s.contiguous,
)
WRITE_ONLY = Need(
    "the kernel reads what it stores, or that is no array of f32 that the caller gave", lambda s: s.write_only
)
INSIDE = Need(
    "it does not store one part of contiguous memory that begins behind the first element", lambda s: s.inside
)
RANDOM = Need("its members take no random bits of one seed and consecutive counters", lambda s: s.random)
SCATTER = Need(
    "its body is not one scatter alone, of members from 0 on, to places along the first axis of memory",
    lambda s: s.scatter,
)
RAGGED = Need(
    "no reduction directly in its body is over parts that data say, one behind the other from member 0 on",
    lambda s: s.ragged,
)
FROM_DATA = Need("the number of its members is not read from memory", lambda s: s.from_data)
BY_PARTS = Need("the threads do not share the loop around by parts of its members", lambda s: s.by_parts)
PART = Need("it is no reduction along one axis to one element over the part of a member around", lambda s: s.ragged)
ALONE = Need("another sweep stands beside it: one thread runs all that belongs to a member", lambda s: s.alone)
GREATEST = Need("it combines members, it does not look for one", lambda s: s.greatest)
COMBINES = Need("it looks for the position of a member", lambda s: not s.greatest)
COLUMNS = Need("it reduces to one element for each member around", lambda s: s.columns)
ABREAST = Need(
    "it is not one reduction for each member, with members that lie side by side and no long axis but its first",
    lambda s: s.abreast,
)
ON_GRID = Need("blocks do not share it: a block that gets here runs all of it", lambda s: s.grid)
BY_THREAD = Need("a member has sweeps or storage that a whole block shares", lambda s: s.by_thread)
IN_BLOCK = Need("one thread runs the code around", lambda s: not s.inside_thread)
TOGETHER = tuple(Need(each.value, lambda s, each=each: s.rounds_apart is not each) for each in Obstacle)

CPU_POINTS = (
    Entry(
        "cpu.random.map",
        Points,
        "all threads, vector lanes, random bits made for a block of members, large outputs past the caches",
        (OUTERMOST, ONE_AXIS, STRAIGHT, ONE_STORE, CONTIGUOUS, RANDOM),
    ),
    Entry(
        "cpu.pointwise.map",
        Points,
        "all threads, vector lanes, large outputs past the caches",
        (OUTERMOST, ONE_AXIS, STRAIGHT, ONE_STORE, CONTIGUOUS),
    ),
    Entry("cpu.scatter.add", Points, "all threads, with sums or places of their own: no atomics", (OUTERMOST, SCATTER)),
    Entry("cpu.pointwise.team_simd", Points, "all threads, vector lanes", (OUTERMOST, ONE_AXIS, STRAIGHT)),
    Entry(
        "cpu.points.ragged",
        Points,
        "the threads share the parts of all members, however different in size",
        (OUTERMOST, ONE_AXIS, RAGGED),
    ),
    Entry("cpu.points.team", Points, "the threads share the members", (OUTERMOST,)),
    Entry(
        "cpu.random.map_row",
        Points,
        "one thread, vector lanes, random bits made for a block of members, large outputs past the caches",
        (INNER, ONE_AXIS, STRAIGHT, ONE_STORE, CONTIGUOUS, WRITE_ONLY, RANDOM),
    ),
    Entry(
        "cpu.pointwise.map_row",
        Points,
        "one thread, vector lanes, large outputs past the caches",
        (INNER, ONE_AXIS, STRAIGHT, ONE_STORE, CONTIGUOUS, WRITE_ONLY),
    ),
    Entry(
        "cpu.pointwise.map_inside",
        Points,
        "one thread, vector lanes whose stores lie in one line of the cache each",
        (INNER, ONE_AXIS, STRAIGHT, INSIDE),
    ),
    Entry("cpu.pointwise.simd", Points, "one thread, vector lanes", (INNER, ONE_AXIS, STRAIGHT)),
    Entry("cpu.points.abreast", Points, "one thread, a reduction in each vector lane", (INNER, ONE_AXIS, ABREAST)),
    Entry("cpu.points.serial", Points, "one thread, one member after the other"),
)
CPU_FOLDS = (
    Entry("cpu.reduce.arg_max_columns", Fold, "row after row, lanes that remember the rows", (GREATEST, COLUMNS)),
    Entry("cpu.reduce.arg_max", Fold, "one thread, lanes that remember their place", (GREATEST,)),
    Entry(
        "cpu.reduce.ragged",
        Fold,
        "one thread, or all threads where the part of a member is long",
        (COMBINES, FROM_DATA, BY_PARTS, PART, ALONE),
    ),
    Entry("cpu.reduce.abreast", Fold, "one member after the other, in each of the lanes around", (COMBINES, ABREAST)),
    Entry("cpu.reduce.columns", Fold, "row after row, all columns in vector lanes", (COMBINES, COLUMNS)),
    Entry(
        "cpu.reduce.team",
        Fold,
        "all threads, in blocks of fixed size that are combined in order",
        (COMBINES, OUTERMOST),
    ),
    Entry("cpu.reduce.lanes", Fold, "one thread, independent vector lanes"),
)
CPU_SCANS = (
    Entry("cpu.scan.columns", Loop, "row after row, all columns around in vector lanes", (COLUMNS,)),
    Entry("cpu.scan.line", Loop, "all threads, in blocks of fixed size whose totals are handed on", (OUTERMOST,)),
    Entry("cpu.scan.row", Loop, "one thread, vector lanes"),
)
CPU_SEARCHES = (Entry("cpu.loop.search", Loop, "vector lanes look ahead for the next member that does anything"),)
CPU_ROUNDS = (
    Entry(TIME_TILES, Loop, "several rounds at a time while rows are in the caches, all threads", TOGETHER),
    Entry("cpu.loop.rounds", Loop, "one round after the other"),
)
CPU_SWEEPS = (Entry("cpu.points.tiles", Points, "the threads share tiles of rows, for several rounds at a time"),)
CPU_PRODUCTS = (Entry("cpu.contract.fma_tile", Product, "packed panels, sums in registers"),)

CUDA_POINTS = (
    Entry("cuda.points.lanes", Points, "each thread of the grid takes members of its own", (ON_GRID, BY_THREAD)),
    Entry("cuda.points.blocks", Points, "a block takes a member, its threads share the work inside", (ON_GRID,)),
    Entry("cuda.points.threads", Points, "the threads of a block share the members", (IN_BLOCK, BY_THREAD)),
    Entry("cuda.points.turns", Points, "a block takes one member after another", (IN_BLOCK,)),
    Entry("cuda.points.serial", Points, "one thread, one member after the other"),
)
CUDA_FOLDS = (
    Entry("cuda.reduce.block_arg_max", Fold, "the threads of a block, then their candidates", (IN_BLOCK, GREATEST)),
    Entry("cuda.reduce.block", Fold, "the threads of a block, warps first", (IN_BLOCK,)),
    Entry("cuda.reduce.thread_arg_max", Fold, "one thread", (GREATEST,)),
    Entry("cuda.reduce.thread", Fold, "one thread"),
)
CUDA_PRODUCTS = (
    Entry(
        "cuda.contract.simt_tile",
        Product,
        "a block computes a tile from shared memory, sums in registers",
        rows=(
            Row(
                (
                    ("tile_m", 64, "with tile_n: each of 256 threads sums 4 x 4 elements in registers"),
                    ("tile_n", 64, "as tile_m"),
                    ("tile_k", 16, "two tiles of operands take under 20 KiB of shared memory"),
                ),
                shared_bytes=20 * 1024,
            ),
        ),
    ),
)

CLOSE = "products inside fill lanes and tiles, and what they leave stays close"
FEW_MERGES = "deep products, seldom merged, and what they leave stays close"
CPU_FOLD_SEGMENTS = (
    Entry(
        "cpu.fold.segments_serial", RegionFold, "one segment after another", rows=(sized("segment", 256, FEW_MERGES),)
    ),
)
CPU_SCAN_SEGMENTS = (
    Entry("cpu.scan.segments_serial", RegionScan, "one segment after another", rows=(sized("segment", 64, CLOSE),)),
)
CPU_ROW_BLOCKS = (
    Entry(
        "cpu.rows.blocks", Parallel, "blocks in any order", rows=(sized("rows", 256, "what a block keeps stays close"),)
    ),
)
CUDA_FOLD_SEGMENTS = (
    Entry("cuda.fold.segments_serial", RegionFold, "one segment after another", rows=(sized("segment", 64, CLOSE),)),
)
CUDA_SCAN_SEGMENTS = (
    Entry("cuda.scan.segments_serial", RegionScan, "one segment after another", rows=(sized("segment", 64, CLOSE),)),
)
CUDA_ROW_BLOCKS = (
    Entry(
        "cuda.rows.blocks",
        Parallel,
        "blocks in any order",
        rows=(sized("rows", 64, "a tile of a product has as many"),),
    ),
)

CPU_SIZES = {Open.FOLD: CPU_FOLD_SEGMENTS, Open.SCAN: CPU_SCAN_SEGMENTS, Open.ROWS: CPU_ROW_BLOCKS}
CUDA_SIZES = {Open.FOLD: CUDA_FOLD_SEGMENTS, Open.SCAN: CUDA_SCAN_SEGMENTS, Open.ROWS: CUDA_ROW_BLOCKS}

TABLES = (
    CPU_POINTS, CPU_FOLDS, CPU_SCANS, CPU_SEARCHES, CPU_ROUNDS, CPU_SWEEPS, CPU_PRODUCTS, *CPU_SIZES.values(),
    CUDA_POINTS, CUDA_FOLDS, CUDA_PRODUCTS, *CUDA_SIZES.values(),
)  # fmt: skip
