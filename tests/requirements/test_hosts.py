"""What lies around kernels is ordinary Python: allocation, order, state, several kernels behind one function."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import intent2cuda as intent
from intent2cuda.ir.notation import op_classes

from ..parse.texts import HEAD

ROOT = Path(__file__).resolve().parents[2]

KERNELS = """
@intent.kernel
def softmax(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        weight = I.exp(x[m, :] - I.reduce.max(x[m, :], axis=0))
        y[m, :] = weight / I.reduce.sum(weight, axis=0)


@intent.kernel
def peaks(x: I.In[I.f32, ("M", "N")], peak: I.Out[I.f32, ("M",)]):
    peak[:] = I.reduce.max(x[:, :], axis=1)


@intent.kernel
def weights(x: I.In[I.f32, ("M", "N")], peak: I.In[I.f32, ("M",)], weight: I.Out[I.f32, ("M", "N")]):
    weight[:, :] = I.exp(x[:, :] - peak[:, None])


@intent.kernel
def normalised(weight: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    y[:, :] = weight[:, :] / I.reduce.sum(weight[:, :], axis=1)[:, None]


@intent.kernel
def added(x: I.InOut[I.f32, ("N",)], amount: I.f32):
    x[:] = x[:] + amount


@intent.kernel
def multiplied(x: I.InOut[I.f32, ("N",)], factor: I.f32):
    x[:] = x[:] * factor
"""
NAMES = tuple(re.findall(r"^def (\w+)", KERNELS, re.M))
PARTS = ("peaks", "weights", "normalised")


@pytest.fixture
def kernels(tmp_path: Path) -> dict[str, intent.Kernel]:
    path = tmp_path / "kernels.py"
    path.write_text(HEAD + KERNELS)
    return {name: intent.load(f"{path}:{name}") for name in NAMES}


def recorded(kernels: dict[str, intent.Kernel], names: tuple[str, ...], target: str = "cpu") -> list[dict[str, Any]]:
    """What the manifest of a project of the named kernels says about each."""
    return json.loads(intent.emit([kernels[name] for name in names], target)["MANIFEST.json"])["kernels"]


@pytest.mark.req("K12", "K13", "K16", "K17")
@pytest.mark.parametrize("target", ["reference", intent.ReferenceTarget()])
def test_one_kernel_or_three_behind_one_function(kernels: dict[str, intent.Kernel], target: object) -> None:
    """The caller gives an array and gets one; how many kernels there are, and what lies between, is not his matter."""
    whole = intent.compile(kernels["softmax"], target)
    first, second, third = intent.compile([kernels[name] for name in PARTS], target)

    def in_parts(x: np.ndarray) -> np.ndarray:
        peak, weight, y = np.empty(x.shape[0], np.float32), np.empty_like(x), np.empty_like(x)
        first(x, peak)
        second(x, peak, weight)
        third(weight, y)
        return y

    x = np.random.default_rng(0).normal(size=(7, 33)).astype(np.float32)
    np.testing.assert_array_equal(in_parts(x), whole.run(x))


@pytest.mark.req("K17")
def test_a_call_allocates_no_output(kernels: dict[str, intent.Kernel]) -> None:
    artifact = intent.compile(kernels["softmax"], "reference")
    with pytest.raises(intent.ArgumentError, match="y"):
        artifact(np.ones((2, 3), np.float32))


@pytest.mark.req("K14", "K15")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_every_inner_interface_is_recorded_and_nothing_else(kernels: dict[str, intent.Kernel], target: str) -> None:
    found = recorded(kernels, PARTS, target)
    assert [kernel["name"] for kernel in found] == list(PARTS)
    assert [[(p["name"], p["kind"], p["extents"]) for p in kernel["parameters"]] for kernel in found] == [
        [("x", "in", ["M", "N"]), ("peak", "out", ["M"])],
        [("x", "in", ["M", "N"]), ("peak", "in", ["M"]), ("weight", "out", ["M", "N"])],
        [("weight", "in", ["M", "N"]), ("y", "out", ["M", "N"])],
    ]


@pytest.mark.req("K20")
def test_a_kernel_does_not_depend_on_its_company(kernels: dict[str, intent.Kernel]) -> None:
    together = recorded(kernels, PARTS)
    alone = [recorded(kernels, (name,))[0] for name in PARTS]
    assert [kernel["digests"] for kernel in together] == [kernel["digests"] for kernel in alone]


@pytest.mark.req("K18", "K19")
def test_the_host_orders_calls_and_owns_state(kernels: dict[str, intent.Kernel]) -> None:
    add, multiply = (intent.compile(kernels[name], "reference") for name in ("added", "multiplied"))
    state, swapped = np.ones(3, np.float32), np.ones(3, np.float32)
    for _ in range(2):
        add(state, 2.0)
        multiply(state, 10.0)
        multiply(swapped, 10.0)
        add(swapped, 2.0)
    assert state.tolist() == [320.0] * 3
    assert swapped.tolist() == [122.0] * 3


@pytest.mark.req("K18", "K50")
def test_a_launch_waits_for_nobody_and_goes_where_the_caller_says(kernels: dict[str, intent.Kernel]) -> None:
    """What happens to one allocation at a time is between the calls: kernels go to the caller's stream."""
    files = intent.emit([kernels[name] for name in NAMES], "cuda")
    launchers = [text for path, text in files.items() if path.startswith("src/") and path.endswith(".cu")]
    assert len(launchers) == len(NAMES)
    for text in launchers:
        assert re.search(r"cudaStream_t stream\)", text) and re.search(r"intent::launch\([^;]*\bstream,", text)
        assert not re.search(r"cuda(?:Device|Stream|Event)Synchronize|cudaEvent|cudaStreamCreate|cudaMemcpy", text)


@pytest.mark.req("K21")
def test_compiling_and_launching_are_no_operations_of_a_kernel() -> None:
    names = {op.__name__.lower() for op in op_classes()}
    assert names and not [n for n in names if re.search(r"compile|launch|emit|artifact|stream|device|host|call", n)]
