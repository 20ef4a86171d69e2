"""Accesses that may meet: what they conflict with, what they order, what waits for them."""

from __future__ import annotations

import pytest

from intent2cuda.analysis import check
from intent2cuda.analysis.effects import Mode, access, effects, is_pure
from intent2cuda.base.diagnostics import Diagnostic, Severity
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import AtomicLoad, AtomicStore, AtomicUpdate, CompareExchange, Parallel, ScatterReduce
from intent2cuda.ir.reader import read
from intent2cuda.ir.verify import verify

HEAD = """\
kernel k(%x: In i32[N], %c: InOut i32[4], %d: InOut i32[N], %o: Out i32[N]) {
  %zero: index = constant 0
  %last: index = constant 3
  %one: i32 = constant 1
  %n: index = dim N
  %unit: index = constant 1
  %points: domain[0, N, 1] = domain %zero, %n, %unit
  parallel %points body(%i: index) {
    %mine: i32 = load %x[%i]
"""
TAIL = """\
    yield
  }
}
"""


def kernel(*rows: str) -> Kernel:
    return verify(read(HEAD + "".join(f"    {row}\n" for row in rows) + TAIL))


def found(*rows: str) -> list[tuple[str, str]]:
    return [(d.code, d.subject) for d in check(kernel(*rows))]


def one(*rows: str) -> Diagnostic:
    (finding,) = check(kernel(*rows))
    return finding


ADD = "%old: i32 = atomic_update.add %c[%zero], %one order=relaxed"
LOAD = "%seen: i32 = atomic_load %c[%zero] order=relaxed"
STORE = "atomic_store %c[%zero], %mine order=relaxed"
SWAP = "%was: i32, %done: bool = compare_exchange %c[%zero], %one, %mine order=relaxed"
SCATTER = "scatter_reduce.add %c[%zero], %mine"
PLAIN_READ = "%plain: i32 = load %c[%zero]"
PLAIN_WRITE = "store %c[%zero], %mine"
SHARED = (ADD, LOAD, STORE, SWAP, SCATTER)


@pytest.mark.req("L47", "L118", "L119")
@pytest.mark.parametrize("second", SHARED)
@pytest.mark.parametrize("first", SHARED)
def test_accesses_that_are_not_plain_may_meet(first: str, second: str) -> None:
    assert found(first) == [] and (first == second or found(first, second) == [])


@pytest.mark.req("L126")
@pytest.mark.parametrize("shared", [ADD, STORE, SWAP, SCATTER])
def test_a_plain_read_beside_an_update_is_a_race(shared: str) -> None:
    finding = one(shared, PLAIN_READ)
    assert (finding.code, finding.severity, finding.subject) == ("kir.race", Severity.ERROR, "c")
    assert "c[0]" in finding.message and "reads it plainly" in finding.message and "I.atomic.load" in finding.help


@pytest.mark.req("L126")
def test_a_plain_write_beside_an_atomic_load_is_a_race() -> None:
    guarded = ["%first: bool = eq %i, %zero", "if %first then_body {", f"  {PLAIN_WRITE}", "  yield"]
    finding = one(*guarded, "} else_body {", f"  {LOAD}", "  yield", "}")
    assert finding.code == "kir.race" and "writes it plainly" in finding.message


@pytest.mark.req("L47")
@pytest.mark.parametrize("shared", [ADD, SCATTER])
def test_other_elements_are_no_race(shared: str) -> None:
    assert found(shared, "%plain: i32 = load %c[%last]") == []
    own = shared.replace("%c[%zero]", "%d[%i]")
    assert found(own, "%plain: i32 = load %d[%i]") == []


@pytest.mark.req("L124", "L126")
def test_what_atomics_may_order_is_an_obligation() -> None:
    publish = [
        "store %d[%i], %mine",
        "%old: i32 = atomic_update.add %c[%zero], %one order=acq_rel",
        "%theirs: i32[N] = load %d[:]",
    ]
    finding = one(*publish)
    assert (finding.code, finding.severity) == ("kir.parallel.unproved", Severity.NOTE)
    assert "only atomics order" in finding.message
    relaxed = [row.replace("acq_rel", "relaxed") for row in publish]
    assert found(*relaxed) == [("kir.parallel.race", "d")]


def test_a_release_orders_nothing_that_stands_behind_it() -> None:
    rows = [
        "atomic_store %c[%zero], %one order=release",
        "%seen: i32 = atomic_load %c[%zero] order=acquire",
        "store %d[%zero], %mine",
    ]
    assert ("kir.parallel.race", "d") in found(*rows)


TICKET = ["%old: i32 = atomic_update.add %c[%zero], %one order=relaxed", "store %d[%old], %mine"]
SCALED = """
%old: i32 = atomic_update.add %c[%zero], %one order=relaxed
%at: index = cast %old
%two: index = constant 2
%even: index = mul %at, %two
store %d[%even], %mine
"""
THE_FIRST = """
%old: i32 = atomic_update.add %c[%zero], %one order=relaxed
%0: i32 = constant 0
%first: bool = eq %old, %0
if %first then_body {
  store %d[%zero], %mine
  yield
} else_body {
  yield
}
"""


@pytest.mark.req("L117", "L119")
@pytest.mark.parametrize(
    "rows",
    [
        TICKET,
        SCALED.splitlines(),
        [*TICKET, "%more: i32 = atomic_update.add %c[%zero], %one order=relaxed"],
        THE_FIRST.splitlines(),
    ],
    ids=["ticket", "scaled", "two draw", "the first alone"],
)
def test_a_ticket_names_an_element_of_its_own(rows: list[str]) -> None:
    assert found(*rows) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("update.add", "update.max"),
        ("%c[%zero], %one", "%c[%zero], %mine"),
        ("%c[%zero], %one", "%c[%i], %one"),
        ("store", "atomic_store %c[%zero], %mine order=relaxed\nstore"),
    ],
    ids=["no addition", "perhaps of nothing", "many counters", "set back"],
)
def test_what_may_come_twice_is_no_ticket(old: str, new: str) -> None:
    rows = "\n".join(TICKET).replace(old, new, 1).split("\n")
    assert ("kir.parallel.unproved", "d") in found(*rows)


def test_views_of_one_allocation_are_one_object() -> None:
    text = HEAD.replace("%d: InOut i32[N]", '%d: InOut i32[N] alias="pool"').replace(
        "%x: In i32[N]", '%x: In i32[N] alias="pool"'
    )
    (finding,) = check(verify(read(text + "    store %d[%i], %mine\n" + TAIL)))
    assert finding.code == "kir.parallel.unproved" and "x lies in the same allocation" in finding.message


@pytest.mark.req("L117")
def test_a_scatter_into_what_nobody_wrote_is_undefined() -> None:
    finding = one("scatter_reduce.add %o[%i], %mine")
    assert finding.code == "kir.view.undefined" and "scatter" in finding.message
    assert found("store %o[%i], %one", "scatter_reduce.add %o[%i], %mine") == []


@pytest.mark.req("L109", "L119")
def test_effects_of_accesses_that_are_not_plain() -> None:
    made = kernel(*SHARED)
    by_kind: dict[type[Op], Op] = {type(op): op for op in walk(made.body)}
    modes = {
        AtomicLoad: Mode.READ,
        AtomicStore: Mode.WRITE,
        AtomicUpdate: Mode.UPDATE,
        CompareExchange: Mode.UPDATE,
        ScatterReduce: Mode.UPDATE,
    }
    for kind, mode in modes.items():
        found_access = access(by_kind[kind])
        assert found_access is not None and found_access.mode is mode and not found_access.is_plain
        assert not is_pure(by_kind[kind])
    assert not effects(by_kind[Parallel]).orders
    ordered = kernel(LOAD.replace("relaxed", "acquire"))
    assert effects(ordered.body.ops[-1]).orders


def waiting(*body: str) -> list[tuple[str, str]]:
    rows = ["%first: i32 = atomic_load %c[%zero] order=acquire", "%end: i32 = while %first test(%a: i32) {"]
    rows += ["  %go: bool = ne %a, %one", "  yield %go", "} body(%b: i32) {", *(f"  {row}" for row in body), "}"]
    return [pair for pair in found(*rows) if pair[0] == "kir.spin_wait"]


@pytest.mark.req("L127")
@pytest.mark.parametrize(
    "body",
    [
        ("%next: i32 = atomic_load %c[%zero] order=acquire", "yield %next"),
        (
            "%free: i32 = constant 0",
            "%next: i32, %done: bool = compare_exchange %c[%zero], %free, %one order=acquire",
            "yield %next",
        ),
        ("%next: i32 = atomic_update.exchange %c[%zero], %one order=acquire", "yield %next"),
    ],
    ids=["flag", "lock", "exchange"],
)
def test_loops_that_wait_are_warned_of(body: tuple[str, ...]) -> None:
    assert waiting(*body) == [("kir.spin_wait", "c")]


@pytest.mark.parametrize(
    "body",
    [
        ("%next: i32, %done: bool = compare_exchange %c[%zero], %b, %mine order=relaxed", "yield %next"),
        ("%next: i32 = atomic_update.add %c[%zero], %one order=relaxed", "yield %next"),
        ("%at: index = cast %b", "%next: i32 = atomic_load %c[%at] order=relaxed", "yield %next"),
    ],
    ids=["another try", "a ticket", "a walk"],
)
def test_loops_that_get_on_by_themselves_are_not(body: tuple[str, ...]) -> None:
    assert waiting(*body) == []
