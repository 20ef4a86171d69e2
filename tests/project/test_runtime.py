"""Which runtime headers a project gets."""

from __future__ import annotations

import pytest

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.project.runtime import runtime_directory, runtime_headers, simulator_sources


def test_only_what_is_included_directly_or_not() -> None:
    headers = runtime_headers(['#include <intent/check.hpp>\n#include <vector>\n#include "p/p.hpp"\n'])
    assert {"include/intent/check.hpp", "include/intent/status.h", "include/intent/view.hpp"} <= headers.keys()
    assert "include/intent/float16.hpp" not in headers
    assert list(headers) == sorted(headers)
    assert headers["include/intent/status.h"] == (runtime_directory() / "include/intent/status.h").read_text()


def test_nothing_for_nothing() -> None:
    assert runtime_headers(["// #include nothing\n"]) == {}


def test_spelling_of_includes() -> None:
    for line in ("  #  include <intent/status.h>", '#include "intent/status.h"  // C', "#include<intent/status.h>"):
        assert list(runtime_headers([f"int x;\n{line}\n"])) == ["include/intent/status.h"]


def test_the_simulator_is_only_for_simulation() -> None:
    text = "#include <intent/device/device.cuh>\n"
    for_device, for_host = runtime_headers([text]), runtime_headers([text], simulation=True)
    assert not any("/sim/" in path for path in for_device)
    assert any("/sim/" in path for path in for_host)
    assert for_device.keys() < for_host.keys()


def test_unknown_headers() -> None:
    with pytest.raises(InternalError, match=r"there is no runtime header intent/nothing\.hpp"):
        runtime_headers(["#include <intent/nothing.hpp>"])


def test_simulator_sources() -> None:
    assert "sim/runtime.cpp" in simulator_sources()


def test_every_runtime_header_finds_what_it_includes() -> None:
    include = runtime_directory() / "include"
    paths = sorted(p for p in include.rglob("*") if p.suffix in (".h", ".hpp", ".cuh"))
    assert len(paths) > 10
    for path in paths:
        runtime_headers([path.read_text()], simulation=True)


@pytest.mark.parametrize("name", ["intent/python/device_array.hpp", "intent/device/block/fold.cuh"])
def test_nothing_is_shipped_for_element_types_and_instructions_that_no_text_names(name: str) -> None:
    shipped = {path.removeprefix("include/intent/") for path in runtime_headers([f"#include <{name}>\n"])}
    assert shipped.isdisjoint({"float8.hpp", "float16.hpp", "device/instructions.cuh"})
