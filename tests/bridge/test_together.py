"""What the arguments of one call must satisfy together: count, symbols, strides, overlap."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from intent2cuda import AliasError, ArgumentError, ShapeError, StrideError
from intent2cuda._bridge import Entry
from intent2cuda.project.interface import AliasRule, Parameter

MakeEntry = Callable[..., Entry]
F32 = np.float32


def test_count(axpy: Entry) -> None:
    x = np.zeros(2, F32)
    with pytest.raises(ArgumentError, match=re.escape("axpy takes 3 arguments (x, y, a); 2 given, `a` is missing")):
        axpy(x, x)
    with pytest.raises(ArgumentError, match=r"axpy takes 3 arguments .*; 4 given"):
        axpy(x, x, 1.0, x)
    with pytest.raises(ArgumentError, match="axpy takes positional arguments only"):
        axpy(x, x, stream=1)


def test_equal_symbols_are_equal_extents(softmax: Entry) -> None:
    with pytest.raises(ShapeError) as caught:
        softmax(np.zeros((3, 4), F32), np.zeros((3, 5), F32))
    assert str(caught.value) == "softmax: parameter `y` has extent 5 on axis 1; `N` is 4 (from `x`)"
    assert caught.value.diagnostics[0].code == "call.shape"
    assert isinstance(caught.value, ValueError)


def test_fixed_extents_and_symbols_within_one_array(entry: MakeEntry) -> None:
    square = entry("copy1", Parameter("x", "in", "u8", ("N", "N")), Parameter("y", "out", "u8", (4,)))
    with pytest.raises(ShapeError, match="`x` has extent 3 on axis 1; `N` is 2"):
        square(np.zeros((2, 3), np.uint8), np.zeros(4, np.uint8))
    with pytest.raises(ShapeError, match="`y` has extent 5 on axis 0; it takes 4"):
        square(np.zeros((2, 2), np.uint8), np.zeros(5, np.uint8))


def test_stride_constraints(entry: MakeEntry) -> None:
    rows = entry(
        "softmax",
        Parameter("x", "in", "f32", ("M", "N"), ("pitch", 1)),
        Parameter("y", "out", "f32", ("M", "N"), ("pitch", None)),
    )
    memory = np.zeros((4, 12), F32)
    rows(memory[:, :5], np.zeros((4, 12), F32)[:, :5])
    with pytest.raises(StrideError, match="`x` has stride 2 on axis 1; it takes 1"):
        rows(memory[:, ::2], np.zeros((4, 6), F32))
    with pytest.raises(StrideError, match=r"`y` has stride 5 on axis 0; `pitch` is 12 \(from `x`\)"):
        rows(memory[:, :5], np.zeros((4, 5), F32))
    rows(memory[:1, :1], np.zeros((1, 1), F32))  # nothing is stepped over


def test_same_array_or_disjoint(axpy: Entry) -> None:
    memory = np.ones(12, F32)
    axpy(memory, memory, 1.0)
    axpy(memory[:6], memory[6:], 1.0)
    axpy(memory[::2], memory[1::2], 1.0)
    with pytest.raises(AliasError, match="`y` partly overlaps the memory of parameter `x`"):
        axpy(memory[:6], memory[1:7], 1.0)
    with pytest.raises(AliasError, match="`y` partly overlaps"):
        axpy(memory[::-1], memory, 1.0)
    with pytest.raises(AliasError, match="`y` partly overlaps"):
        axpy(memory[:6:2], memory[:3], 1.0)


def test_disjoint(entry: MakeEntry) -> None:
    apart = entry(
        "softmax",
        Parameter("x", "in", "f32", ("M", "N")),
        Parameter("y", "out", "f32", ("M", "N")),
        rules=(AliasRule("y", "x", "disjoint"),),
    )
    memory = np.zeros((8, 8), F32)
    with pytest.raises(AliasError, match="softmax: parameter `y` overlaps the memory of parameter `x`"):
        apart(memory, memory)
    apart(memory[:, :4], memory[:, 4:])
    apart(memory[::2], memory[1::2])
    apart(memory[:4, ::-1], memory[4:])
    apart(memory[:0], memory[:0])
    with pytest.raises(AliasError):
        apart(memory[:, :5], memory[:, 3:])


@pytest.mark.parametrize("seed", range(4))
def test_overlap_agrees_with_numpy(entry: MakeEntry, seed: int) -> None:
    apart = entry(
        "copy1",
        Parameter("x", "in", "u8", ("A", "B", "C")),
        Parameter("y", "out", "u8", (0,)),
        Parameter("z", "inout", "u16", ("D", "E")),
        rules=(AliasRule("z", "x", "disjoint"),),
    )
    random = np.random.default_rng(seed)
    memory = np.zeros((6, 10, 8), np.uint8)
    nothing = np.zeros(0, np.uint8)
    shared = 0
    for _ in range(300):
        x = memory[tuple(_some_slice(random, extent) for extent in memory.shape)]
        pairs = memory.view(np.uint16)
        z = pairs[random.integers(6)][tuple(_some_slice(random, extent) for extent in pairs.shape[1:])]
        expected = np.shares_memory(x, z)
        shared += expected
        if expected:
            with pytest.raises(AliasError):
                apart(x, nothing, z)
        else:
            apart(x, nothing, z)
    assert 0 < shared < 300


def _some_slice(random: np.random.Generator, extent: int) -> slice:
    start, stop = sorted(int(i) for i in random.integers(0, extent + 1, 2))
    step = int(random.integers(1, 4))
    return slice(start, stop, step) if random.integers(2) else slice(stop or None, start, -step)


def test_noalias_is_about_byte_spans(entry: MakeEntry) -> None:
    alone = entry("copy1", Parameter("x", "in", "u8", ("N",), noalias=True), Parameter("y", "out", "u8", ("N",)))
    memory = np.zeros(8, np.uint8)
    alone(memory[:4], memory[4:])
    with pytest.raises(AliasError, match="`y` may not overlap the memory of parameter `x`"):
        alone(memory[::2], memory[1::2])


def test_alias_groups_are_a_permission(entry: MakeEntry) -> None:
    grouped = entry(
        "copy1", Parameter("x", "in", "u8", ("N",), alias="pool"), Parameter("y", "out", "u8", ("N",), alias="pool")
    )
    memory = np.arange(8, dtype=np.uint8)
    grouped(memory[:4], memory[4:])
    assert memory.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    apart = np.zeros(4, np.uint8)
    grouped(memory[:4], apart)
    assert apart.tolist() == [0, 1, 2, 3]


def test_nothing_runs_before_everything_is_checked(axpy: Entry) -> None:
    y = np.ones(3, F32)
    with pytest.raises(TypeError):
        axpy(y, y, "a")
    assert y.tolist() == [1, 1, 1]
