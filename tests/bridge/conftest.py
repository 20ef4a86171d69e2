"""A library of kernels written by hand, and entries into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from intent2cuda._bridge import Entry
from intent2cuda.api.errors import call_error
from intent2cuda.api.signature import signature_of
from intent2cuda.project import process, toolchain
from intent2cuda.project.interface import AliasRule, Interface, Parameter
from intent2cuda.project.runtime import runtime_directory

MakeEntry = Callable[..., Entry]


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled library."""
    folder = tmp_path_factory.mktemp("probe")
    source = Path(__file__).parent / "sources" / "probe.cpp"
    compiler = str(toolchain.cxx_compiler().path)
    include = f"-I{runtime_directory() / 'include'}"
    command = [compiler, "-std=c++17", "-O1", "-shared", "-fPIC", include, str(source), "-o", "probe.so"]
    process.run(command, directory=folder, seconds=60)
    return folder / "probe.so"


@pytest.fixture
def entry(probe: Path) -> MakeEntry:
    """Makes the entry of a kernel of the library."""

    def make(
        name: str,
        *parameters: Parameter,
        rules: tuple[AliasRule, ...] = (),
        on_device: bool = False,
        has_stream: bool = False,
    ) -> Entry:
        interface = Interface(name, parameters, rules, f"probe_{name}_call", "probe_last_error")
        signature = signature_of(interface, on_device=on_device, has_stream=has_stream)
        return Entry(signature, call_error, str(probe), interface.symbol, interface.last_error_symbol)

    return make


@pytest.fixture
def axpy(entry: MakeEntry) -> Entry:
    """y += a * x, where y may be x but not overlap it otherwise."""
    return entry(
        "axpy",
        Parameter("x", "in", "f32", ("N",)),
        Parameter("y", "inout", "f32", ("N",)),
        Parameter("a", "scalar", "f32"),
        rules=(AliasRule("y", "x", "same_or_disjoint"),),
    )


@pytest.fixture
def softmax(entry: MakeEntry) -> Entry:
    """y = softmax of the rows of x."""
    return entry("softmax", Parameter("x", "in", "f32", ("M", "N")), Parameter("y", "out", "f32", ("M", "N")))
