"""Each pass on small kernels in text form."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.printer import text
from intent2cuda.ir.reader import read
from intent2cuda.ir.verify import verify
from intent2cuda.rewrite import dead_code, repeated, run, selection, shapes, unread_buffers

HEAD = """\
kernel k(
  %x: In f32[M, N],
  %y: InOut f32[M, N],
  %column: index
) {
"""


def lines(body: str) -> list[str]:
    return [line.strip() for line in body.strip().splitlines()]


def after(rewrite: Callable[[Kernel], Kernel], body: str) -> list[str]:
    """The ops of the rewritten body, one a line; the rewritten kernel is verified."""
    kernel = verify(rewrite(verify(read(f"{HEAD}{body}\n}}\n"))))
    return lines(text(kernel).removeprefix(HEAD).rstrip().removesuffix("}"))


def test_unused_pure_ops_go() -> None:
    body = """
    %0: index = dim M
    %1: index = dim N
    %2: f32 = load %x[%0, %1]
    %3: f32 = exp %2
    store %y[%0, %1], %2
    """
    kept = ["%0: index = dim M", "%1: index = dim N", "%2: f32 = load %x[%0, %1]", "store %y[%0, %1], %2"]
    assert after(dead_code.run, body) == kept


def test_a_scalar_in_an_extent_is_used() -> None:
    body = """
    %0: index = dim 0
    %1: index = dim M - 1
    %2: f32[%1] = load %x[%0 +: %1, %0]
    store %y[%0 +: %1, %0], %2
    """
    assert after(dead_code.run, body) == lines(body)


def test_loops_without_effects_go_and_their_inputs_too() -> None:
    body = """
    %0: index = constant 0
    %1: index = constant 4
    %2: index = constant 1
    %3: domain[0, 4, 1] = domain %0, %1, %2
    %4: f32 = constant 0.0
    %5: f32 = for %3 initial=(%4) body(%i: index, %carry: f32) {
      %6: f32 = add %carry, %carry
      yield %6
    }
    """
    assert after(dead_code.run, body) == []


def test_promises_and_checks_stay() -> None:
    body = """
    assume_in_bounds %column, %x axis=1
    require_equal M rhs=N text="M == N"
    """
    assert after(dead_code.run, body) == lines(body)


def test_equal_scalars_merge_also_in_extents() -> None:
    body = """
    %n: index = dim N
    %0: index = dim N
    %1: index = add %n, %column
    %2: index = add %0, %column
    %3: index = constant 0
    %4: f32[%2] = load %x[%3, %3 +: %2]
    store %y[%3, %3 +: %1], %4
    """
    assert after(repeated.run, body.replace("store %y[%3, %3 +: %1], %4", "")) == [
        "%n: index = dim N",
        "%0: index = add %n, %column",
        "%1: index = constant 0",
        "%2: f32[%0] = load %x[%1, %1 +: %0]",
    ]


def test_other_author_names_are_kept() -> None:
    body = """
    %rows: index = dim M
    %height: index = dim M
    %0: index = dim M
    %1: f32 = load %x[%rows, %height]
    store %y[%0, %0], %1
    """
    assert after(repeated.run, body) == [
        "%rows: index = dim M",
        "%height: index = dim M",
        "%0: f32 = load %x[%rows, %height]",
        "store %y[%height, %height], %0",
    ]


READS = """
    %0: f32 = load %x[%column, %column]
    {between}
    %1: f32 = load %x[%column, %column]
    %2: f32 = mul %0, %1
    store %y[%column, %column], %2
"""


def test_equal_reads_merge() -> None:
    assert "%1: f32 = mul %0, %0" in after(repeated.run, READS.format(between=""))


@pytest.mark.req("L113")
@pytest.mark.parametrize("resource", ["%x", "%y"])
def test_a_write_keeps_reads_apart(resource: str) -> None:
    """A write to another view too: the two may overlap."""
    body = READS.format(between=f"store {resource}[%column, %column], %0")
    head = HEAD.replace("%x: In", "%x: InOut")
    kernel = verify(repeated.run(read(f"{head}{body}\n}}\n")))
    assert "mul %0, %1" in text(kernel)


def test_a_write_in_a_loop_keeps_reads_of_other_turns_apart() -> None:
    body = """
    %0: f32 = load %y[%column, %column]
    %1: index = constant 0
    %2: index = constant 1
    %3: domain[0, M, 1] = domain %1, %column, %2
    for %3 initial=() body(%i: index) {
      %4: f32 = load %y[%column, %column]
      %5: f32 = add %0, %4
      store %y[%column, %column], %5
      yield
    }
    """.replace("domain[0, M, 1]", "domain[0, %column, 1]")
    assert after(repeated.run, body) == lines(body)


def test_shapes_compose() -> None:
    body = """
    %row: f32[N] = load %x[%column, :]
    %0: f32[1, N] = broadcast %row axes=(none, 0)
    %1: f32[M, N] = broadcast %0 axes=(0, 1)
    %2: f32[N, M] = transpose %1 permutation=(1, 0)
    %3: f32[M, N] = transpose %2 permutation=(1, 0)
    %4: f32[M*N] = reshape %3
    %5: f32[M, N] = reshape %4
    store %y[:, :], %5
    """
    assert after(lambda kernel: dead_code.run(shapes.run(kernel)), body) == [
        "%row: f32[N] = load %x[%column, :]",
        "%0: f32[M, N] = broadcast %row axes=(none, 0)",
        "store %y[:, :], %0",
    ]


def test_size_one_axes_that_a_call_decides_do_not_compose() -> None:
    body = """
    %row: f32[N] = load %x[%column, :]
    %0: f32[M, N] = broadcast %row axes=(none, 0)
    %1: f32[%column, N] = broadcast %0 axes=(0, 1) guarded=(0)
    """
    assert after(shapes.run, body) == lines(body)


def selected(body: str) -> list[str]:
    return after(lambda kernel: dead_code.run(selection.run(kernel)), body)


def test_an_element_of_a_row_is_read_alone() -> None:
    body = """
    %row: f32[N] = load %x[%column, :]
    %value: f32 = gather %row[%column]
    store %y[%column, %column], %value
    """
    assert selected(body) == ["%value: f32 = load %x[%column, %column]", "store %y[%column, %column], %value"]


def test_offsets_add_up() -> None:
    body = """
    %0: index = constant 2
    %part: f32[M - 2, N] = load %x[%0 +: M - 2, :]
    %value: f32[N] = gather %part[%column, :]
    store %y[%column, :], %value
    """
    assert selected(body) == [
        "%0: index = dim %column + 2",
        "%value: f32[N] = load %x[%0, :]",
        "store %y[%column, :], %value",
    ]


@pytest.mark.req("L111")
def test_a_gather_of_a_gather_is_one() -> None:
    body = """
    %whole: f32[M, N] = load %x[:, :]
    %other: f32[M, N] = exp %whole
    %row: f32[N] = gather %other[%column, :]
    %value: f32 = gather %row[%column]
    store %y[%column, %column], %value
    """
    assert "%value: f32 = gather %other[%column, %column]" in selected(body)


@pytest.mark.parametrize(
    "use",
    [
        "%s: f32 = reduce.add %row axes=(0)",
        "store %y[%column, :], %row",
    ],
)
def test_a_part_with_other_uses_is_read_once(use: str) -> None:
    body = f"""
    %row: f32[N] = load %x[%column, :]
    {use}
    %value: f32 = gather %row[%column]
    store %y[%column, %column], %value
    """
    assert any(line.startswith("%row") for line in after(selection.run, body))
    assert any("gather %row" in line for line in after(selection.run, body))


@pytest.mark.req("L120")
def test_a_write_in_between_keeps_the_snapshot() -> None:
    body = """
    %row: f32[N] = load %y[%column, :]
    %value: f32 = gather %row[%column]
    store %y[%column, %column], %value
    %later: f32 = gather %row[%column]
    store %y[%column, %column], %later
    """
    assert selected(body) == lines(body)


def test_all_passes_together() -> None:
    body = """
    %0: index = dim N
    %1: index = dim N
    %row: f32[N] = load %x[%column, :]
    %value: f32 = gather %row[%column]
    %2: f32 = load %x[%column, %column]
    %3: f32 = add %value, %2
    store %y[%column, %column], %3
    """
    assert after(run, body) == [
        "%value: f32 = load %x[%column, %column]",
        "%0: f32 = add %value, %value",
        "store %y[%column, %column], %0",
    ]


ORDERED = """
    %0: i32 = constant 1
    %c: buffer i32[M] = allocate init=%0
    %row: f32[N] = load %x[%column, :]
    %1: i32 = atomic_update.add %c[%column], %0 order={order}
    %value: f32 = gather %row[%column]
    %2: i32 = atomic_update.add %c[%column], %0 order={order}
    store %y[%column, %column], %value
"""


def ordered(order: str, rewrite: Callable[[Kernel], Kernel]) -> str:
    return "\n".join(after(rewrite, ORDERED.format(order=order)))


@pytest.mark.req("L113", "L124")
@pytest.mark.parametrize("order", ["acquire", "release", "acq_rel"])
def test_reads_keep_their_place_before_and_behind_atomics_that_order(order: str) -> None:
    assert "gather %row" in ordered(order, selection.run)
    assert ordered(order, run).count(f"order={order}") == 2


@pytest.mark.req("L124")
def test_reads_pass_relaxed_atomics_of_other_memory() -> None:
    assert "gather" not in ordered("relaxed", selection.run)


@pytest.mark.req("L124")
@pytest.mark.parametrize(("order", "reads"), [("acquire", 2), ("relaxed", 1)])
def test_a_read_behind_an_acquire_is_made_again(order: str, reads: int) -> None:
    merged = "\n".join(after(run, READS.format(between=f"%4: f32 = atomic_load %y[%column, %column] order={order}")))
    assert merged.count("= load") == reads and merged.count("atomic_load") == 1


FOLD = """
    %row: f32[N] = load %x[%column, :]
    %0: f32 = constant 0.0
    %1: f32 = constant 0.0
    %total: f32 = region_fold %row axis=0 identity=(%0) summarize(%size: index, %part: f32[%size]) {
      %2: f32 = reduce.add %part axes=(0)
      %3: f32 = gather %row[%column]
      %4: f32 = mul %2, %3
      %unused: f32 = exp %4
      yield %4
    } combine(%a: f32, %b: f32) {
      %6: index = dim N
      %7: index = dim N
      %8: index = mul %6, %7
      %9: f32 = cast %8
      %10: f32 = add %a, %b
      %11: f32 = mul %10, %9
      yield %11
    }
    store %y[%column, %column], %total
"""


def test_what_a_fold_calls_is_tidied_and_reads_no_memory() -> None:
    tidied = "\n".join(after(run, FOLD))
    assert "%row: f32[N] = load" in tidied and "gather %row[%column]" in tidied
    assert "unused" not in tidied and tidied.count("dim N") == 1


def test_an_operation_whose_result_nobody_reads_goes_with_its_regions() -> None:
    assert after(run, FOLD.replace("store %y[%column, %column], %total", "")) == []


@pytest.mark.req("L120", "L123")
@pytest.mark.parametrize("between", ["store %y[%column, %column], %0", ""])
def test_a_write_of_another_view_keeps_the_snapshot_too(between: str) -> None:
    """The two views may be one memory."""
    body = f"""
    %0: f32 = constant 5.0
    %row: f32[N] = load %x[%column, :]
    {between}
    %value: f32 = gather %row[%column]
    store %y[%column, %column], %value
    """
    assert any("gather %row" in line for line in selected(body)) is bool(between)


def test_a_buffer_that_nothing_reads_goes_with_what_is_computed_for_it() -> None:
    body = """
    %0: index = dim M
    %1: index = dim N
    %kept: buffer f32[N] = allocate
    %lost: buffer f32[N] = allocate
    %2: f32 = load %x[%0, %1]
    store %kept[%1], %2
    %3: f32 = load %kept[%1]
    store %y[%0, %1], %3
    %4: f32 = exp %2
    store %lost[%1], %4
    """
    gone = ("%lost", "%4")
    assert after(unread_buffers.run, body) == [line for line in lines(body) if not any(name in line for name in gone)]


def test_a_buffer_that_an_atomic_access_reads_stays() -> None:
    body = """
    %0: index = constant 0
    %1: f32 = constant 0.0
    %found: buffer f32[4] = allocate
    store %found[%0], %1
    %2: f32 = atomic_load %found[%0] order=relaxed
    store %y[%0, %column], %2
    """
    assert after(unread_buffers.run, body) == lines(body)
