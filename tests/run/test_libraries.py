"""Emitted projects as static and as shared libraries: what they export, and the version of an installed package."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .conftest import Emit, compiled

KERNEL = """

@intent.kernel
def scale(x: I.In[I.f32, ("N",)], factor: I.f32, y: I.Out[I.f32, ("N",)]):
    y[:] = factor * x[:]
"""

CALL = """#include <scale/scale.hpp>

extern "C" float OUTER(float number) {
    float result = 0;
    scale::scale({&number, {1}, {1}}, 2.0f, {&result, {1}, {1}});
    return result;
}
"""

HEAD = "cmake_minimum_required(VERSION 3.21)\nproject(outer LANGUAGES CXX)\n"


def build(folder: Path, *options: str) -> None:
    compiled(["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options])
    compiled(["cmake", "--build", folder / "build"])


def exported(library: Path) -> set[str]:
    rows = compiled(["nm", "-D", "--defined-only", library]).splitlines()
    return {row.split()[-1] for row in rows}


def test_a_shared_library_does_not_export_what_it_takes_in(emit: Emit, tmp_path: Path) -> None:
    emit(KERNEL, file="scale.py", out="scale")
    (tmp_path / "outer.cpp").write_text(CALL.replace("OUTER", "outer"))
    lists = "add_subdirectory(scale)\nadd_library(outer SHARED outer.cpp)\ntarget_link_libraries(outer PRIVATE scale)\n"
    visible = "set_target_properties(outer PROPERTIES VISIBILITY_INLINES_HIDDEN ON)\n"
    (tmp_path / "CMakeLists.txt").write_text(HEAD + lists + visible)
    build(tmp_path)
    found = exported(tmp_path / "build" / "libouter.so")
    assert "outer" in found
    assert not [name for name in found if "scale" in name]


def test_an_installed_shared_library_of_some_version(emit: Emit, tmp_path: Path) -> None:
    project, prefix = emit(KERNEL, file="scale.py", out="scale"), tmp_path / "prefix"
    build(project, "-DBUILD_SHARED_LIBS=ON", "-DSCALE_PYTHON=OFF", "-DSCALE_PACKAGE_VERSION=2.1.0")
    compiled(["cmake", "--install", project / "build", "--prefix", prefix])
    assert {"scale_run", "scale_last_error"} <= exported(prefix / "lib" / "libscale.so")
    consumer = tmp_path / "consumer"
    consumer.mkdir()
    main = "\nint main() { return outer(3.0f) == 6.0f ? 0 : 1; }\n"
    (consumer / "main.cpp").write_text(CALL.replace("OUTER", "outer") + main)
    lists = "find_package(scale ${WANTED} REQUIRED)\nadd_executable(main main.cpp)\n"
    (consumer / "CMakeLists.txt").write_text(f"{HEAD}{lists}target_link_libraries(main PRIVATE scale::scale)\n")
    build(consumer, f"-DCMAKE_PREFIX_PATH={prefix}", "-DWANTED=2.0")
    compiled([consumer / "build" / "main"])
    again = ["cmake", "-S", consumer, "-B", consumer / "again", f"-DCMAKE_PREFIX_PATH={prefix}", "-DWANTED=3.0"]
    done = subprocess.run(list(map(str, again)), capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "2.1.0" in done.stderr
