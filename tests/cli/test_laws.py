"""`laws`: right helpers hold; a wrong one is reported by the author's names with the smallest inputs that show it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from intent2cuda.cli import laws

from .conftest import HEAD, Cli

SOFTMAX = """
@intent.fn
def summarize(x):
    peak = I.reduce.max(x, axis=0)
    return I.record(peak=peak, mass=I.reduce.sum(I.exp(x - peak), axis=0))


@intent.fn
def merge(a, b):
    peak = I.maximum(a.peak, b.peak)
    return I.record(peak=peak, mass=a.mass * I.exp(a.peak - peak) + b.mass * I.exp(b.peak - peak))


@intent.kernel
def rows(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M",)]):
    nothing = I.record(peak=I.cast(LOWEST, I.f32), mass=I.cast(0.0, I.f32))
    for row in I.parallel(I.domain(0, x.shape[0])):
        s = I.region_fold(x[row, :], axis=0, summarize=summarize, combine=merge, identity=nothing)
        y[row] = s.peak + I.log(s.mass)
"""

RECURRENCE = """
@intent.fn
def compose(f, g):
    return I.record(a=f.a * g.a, b=f.b * g.a + g.b)


@intent.fn
def prefixes(a, b):
    unit = I.record(a=I.cast(1, I.i32), b=I.cast(0, I.i32))
    return I.scan(I.record(a=a, b=b), 0, unit, compose, inclusive=True)


@intent.fn
def multiply(x, y):
    return x * y


@intent.fn
def summarize(a, b):
    one = I.cast(1, I.i32)
    after = I.scan(a, axis=0, identity=one, combine=multiply, inclusive=False, reverse=True)
    return I.record(a=I.reduce(a, axis=0, identity=one, combine=multiply), b=I.reduce.sum(b * after, axis=0))


@intent.fn
def advance(transition, state):
    return APPLY


@intent.fn
def emit(a, b, state):
    prefix = prefixes(a, b)
    return EMIT


@intent.kernel
def recur(a: I.In[I.i32, ("N",)], b: I.In[I.i32, ("N",)], start: I.i32, y: I.Out[I.i32, ("N",)]):
    y[:], _ = I.region_scan(
        source=(a[:], b[:]),
        axis=0,
        summarize=summarize,
        combine=compose,
        identity=I.record(a=I.cast(1, I.i32), b=I.cast(0, I.i32)),
        initial_state=start,
        apply=advance,
        emit=emit,
    )
"""
ADVANCE, EMITTED = "transition.a * state + transition.b", "prefix.a * state + prefix.b"


def recurrence(apply: str = ADVANCE, emit: str = EMITTED) -> str:
    return RECURRENCE.replace("APPLY", apply).replace("EMIT", emit)


def reduction(combine: str, identity: str = "0.0", operands: str = "") -> str:
    """A reduction of the rows of f32 by a combination of a and b, and of `scale` where it is an operand."""
    return f"""
@intent.fn
def join(a, b{", scale" if operands else ""}):
    return {combine}


@intent.kernel
def rows(x: I.In[I.f32, ("M", "N")], scale: I.f32, y: I.Out[I.f32, ("M",)]):
    for row in I.parallel(I.domain(0, x.shape[0])):
        y[row] = I.reduce(x[row, :], 0, {identity}, join{operands})
"""


def written(folder: Path, body: str) -> Path:
    path = folder / "kernel.py"
    path.write_text(f"{HEAD}\n{body}")
    return path


LATEST = """
@intent.fn
def later(a, b):
    ahead = b.place > a.place
    return I.record(place=I.maximum(a.place, b.place), value=I.select(ahead, b.value, a.value))


@intent.fn
def latest(x, place):
    identity = I.record(place=I.cast(-1, I.index), value=I.cast(0, I.i32))
    return I.reduce(I.record(place=place, value=x), 0, identity, later)


@intent.kernel
def last(x: I.In[I.i32, ("N",)], y: I.Out[I.i32, ()]):
    nothing = I.record(place=I.cast(-1, I.index), value=I.cast(0, I.i32))
    places = I.indices(I.domain(0, x.shape[0]))
    y[()] = I.region_fold((x[:], places), 0, latest, later, nothing).value
"""
"""Its reduction may be reordered because no two members have one place, which only the operation around it knows."""


@pytest.mark.req("L67", "L68", "L78", "L79", "L80")
@pytest.mark.parametrize(
    "body",
    [
        SOFTMAX.replace("LOWEST", "-1.0e30"),
        recurrence(),
        reduction("a + b"),
        reduction("I.maximum(a, b)", "-I.inf"),
        reduction("I.select(scale > 0.0, a + b, b + a)", operands=", (scale,)"),
        LATEST,
    ],
    ids=["softmax", "recurrence", "sum", "maximum", "captured", "latest"],
)
def test_right_helpers_hold(cli: Cli, tmp_path: Path, body: str) -> None:
    said = cli("laws", written(tmp_path, body), "--examples", "40")
    assert (said.status, said.err) == (0, "")
    assert "VIOLATED" not in said.out and "not tried" not in said.out
    assert "holds on 40 inputs" in said.out


@dataclass(frozen=True)
class Wrong:
    """A kernel with a helper that breaks a law: the law, its equation, and what shrinking leaves."""

    body: str
    law: str
    equation: str
    inputs: dict[str, str]
    left: str
    right: str


WRONG = {
    "not associative": Wrong(
        reduction("(a + b) * 0.5"),
        "any grouping",
        "join(join(x, y), z) = join(x, join(y, z))",
        {"x": "0", "y": "0", "z": "1"},
        "0.5",
        "0.25",
    ),
    "not commutative": Wrong(
        reduction("I.select(b == 0.0, a, b)"),
        "any order",
        "join(x, y) = join(y, x)",
        {"x": "1", "y": "-1"},
        "-1",
        "1",
    ),
    "not neutral": Wrong(
        reduction("a + b", identity="1.0"),
        "the identity is neutral on the left",
        "join(identity, x) = x",
        {"identity": "1", "x": "identity = 1"},
        "2",
        "1",
    ),
    "a captured value matters": Wrong(
        reduction("a + b + scale", operands=", (scale,)"),
        "the identity is neutral on the right",
        "join(x, identity) = x",
        {"identity": "0", "x": "identity = 0", "scale": "1"},
        "1",
        "0",
    ),
    "identity makes NaN": Wrong(
        SOFTMAX.replace("LOWEST", "-I.inf"),
        "the identity is neutral on the left",
        "merge(nothing, x) = x",
        {"nothing": "(peak=-inf, mass=0)", "x": "nothing = (peak=-inf, mass=0)"},
        "(peak=-inf, mass=nan)",
        "(peak=-inf, mass=0)",
    ),
    "summary depends on the cut": Wrong(
        SOFTMAX.replace("LOWEST", "-1.0e30").replace("b.mass * I.exp(b.peak - peak)", "b.mass"),
        "any cut",
        "summarize(a ++ b) = merge(summarize(a), summarize(b))",
        {"a": "(x=[0])", "b": "(x=[-1])"},
        "(peak=0, mass=1.367879)",
        "(peak=0, mass=2)",
    ),
    "identity changes the state": Wrong(
        recurrence(apply="transition.a * state + transition.b + 1"),
        "the identity changes no state",
        "advance(identity, s) = s",
        {"identity": "(a=1, b=0)", "s": "1"},
        "2",
        "1",
    ),
    "states in the wrong order": Wrong(
        recurrence(apply="transition.a * (state + transition.b)"),
        "states follow one another",
        "advance(compose(x, y), s) = advance(y, advance(x, s))",
        {"s": "1", "x": "summarize(a=[0], b=[0]) = (a=0, b=0)", "y": "summarize(a=[1], b=[1]) = (a=1, b=1)"},
        "0",
        "1",
    ),
    "emission without the state": Wrong(
        recurrence(emit="prefix.b + 0 * state"),
        "any cut of the emission",
        "emit(a ++ b, s) = emit(a, s) ++ emit(b, advance(summarize(a), s))",
        {"a": "(a=[0], b=[1])", "b": "(a=[1], b=[0])", "s": "1"},
        "[1, 1]",
        "[1, 0]",
    ),
}


@pytest.mark.req("L67", "L68", "L71", "L78", "L79", "L80")
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_wrong_helper_is_found_and_shrunk(cli: Cli, tmp_path: Path, wrong: Wrong) -> None:
    said = cli("laws", written(tmp_path, wrong.body), "--json", "--examples", "40")
    assert said.status == 1
    (kernel,) = said.json["kernels"].values()
    verdict = next(law for operation in kernel for law in operation["laws"] if law["law"] == wrong.law)
    assert verdict["equation"] == wrong.equation
    assert verdict["violation"] == {"inputs": wrong.inputs, "left": wrong.left, "right": wrong.right}


def test_report_of_a_violation(cli: Cli, tmp_path: Path) -> None:
    path = written(tmp_path, reduction("a - b"))
    said = cli("laws", path)
    assert (said.status, said.err) == (1, "")
    line = path.read_text().splitlines().index("        y[row] = I.reduce(x[row, :], 0, 0.0, join)") + 1
    lines = said.out.splitlines()
    assert lines[0].endswith(f"kernel.py:{line}:18: I.reduce in rows")
    assert lines[1:7] == [
        "  the identity is neutral on the left: VIOLATED",
        "    join(identity, x) = x",
        "      identity = 0",
        "      x = 1",
        "      left side:  -1",
        "      right side: 1",
    ]
    assert cli("laws", path) == said


def test_other_than_finite_numbers_are_a_note(cli: Cli, tmp_path: Path) -> None:
    path = written(tmp_path, SOFTMAX.replace("LOWEST", "-1.0e30"))
    assert "    note: not for NaN or infinities: a = (x=[0]); b = (x=[-inf])\n" in cli("laws", path).out
    said = cli("laws", path, "--json")
    assert said.status == 0
    cut = said.json["kernels"]["rows"][0]["laws"][0]
    assert cut["violation"] is None and cut["with_special_values"]["inputs"] == {"a": "(x=[0])", "b": "(x=[-inf])"}


def test_compile_time_values_and_number_of_examples(cli: Cli, tmp_path: Path) -> None:
    body = reduction("a + b + I.cast(EXTRA, I.f32)", operands=", (EXTRA,)").replace(
        "scale: I.f32", "EXTRA: I.Constexpr[int]"
    )
    path = written(tmp_path, body.replace("scale", "EXTRA"))
    assert cli("laws", path, "--constexpr", "EXTRA=1").status == 1
    said = cli("laws", f"{path}:rows", "--constexpr", "EXTRA=0", "--examples", "10")
    assert said.status == 0 and "holds on 10 inputs" in said.out


def test_kernel_without_helpers(cli: Cli, one: Path) -> None:
    said = cli("laws", one)
    assert (said.status, said.out) == (0, "scaled: no operation whose laws are the author's\n")


def test_law_that_no_input_reaches(cli: Cli, tmp_path: Path) -> None:
    said = cli("laws", written(tmp_path, SOFTMAX.replace("LOWEST", "-1.0e30").replace('"N"', "1")))
    assert said.status == 0
    assert "  any cut: not tried\n" in said.out and "note: no random input reaches it" in said.out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--examples", "0"], "--examples is a positive number, not 0"),
        (["--constexpr", "EXTRA=1"], "EXTRA"),
    ],
)
def test_bad_input(cli: Cli, tmp_path: Path, arguments: list[str], text: str) -> None:
    said = cli("laws", written(tmp_path, reduction("a + b")), *arguments)
    assert said.status == 2 and text in said.err


def test_hypothesis_is_an_extra(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "find_spec", lambda name: None)
    said = cli("laws", written(tmp_path, reduction("a + b")))
    assert said.status == 2
    assert "error[cli.usage]: the law tester needs hypothesis" in said.err and "intent2cuda[laws]" in said.err
