"""Clang compiles every example without a warning, vectorises what is meant to be vectors, and clang-tidy is content.

Clang warns of a loop with an OpenMP directive that it could not vectorise, so warnings cover that too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = sorted(ROOT.glob("examples/*/emitted/cpu"))
THOROUGH = "INTENT2CUDA_TEST_EFFORT" in os.environ
TIDIED = PROJECTS if THOROUGH else PROJECTS[:1]  # half a minute each
RUNTIME = ROOT / "runtime_cpp" / "include"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
SHIPPED = ("-O3", "-march=x86-64-v3", "-mprefer-vector-width=512", "-fopenmp",
           "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast")  # fmt: skip
F32 = ("exp", "exp2", "log", "log1p", "sin", "cos", "asin", "tanh", "sigmoid", "erf", "erfc", "rsqrt", "sqrt", "floor")
F64 = ("exp", "exp2", "log", "log1p", "tanh", "sigmoid", "rsqrt", "sqrt", "floor")  # the others: the C library


def tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not on this machine")
    return path


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


def shown(project: Path) -> str:
    return project.parents[1].name


@pytest.mark.parametrize("project", PROJECTS if THOROUGH else PROJECTS[::2], ids=shown)
def test_example_compiles_without_a_warning(project: Path, tmp_path: Path) -> None:
    clang, include = tool("clang++"), f"-I{project / 'include'}"
    for source in map(str, sorted((project / "src").glob("*.cpp"))):
        run(clang, "-std=c++17", *SHIPPED, *WARNINGS, include, "-c", source, "-o", str(tmp_path / "object.o"))
        run(clang, "-std=c++20", *SHIPPED, *WARNINGS, include, "-fsyntax-only", source)


@pytest.mark.parametrize(("element", "functions"), [("float", F32), ("double", F64)])
def test_functions_are_vectorised(element: str, functions: tuple[str, ...], tmp_path: Path) -> None:
    loops = "".join(
        f"void map_{name}({element}* y, const {element}* x, long n) {{\n    #pragma omp simd\n"
        f"    for (long i = 0; i < n; ++i) {{\n        y[i] = intent::{name}(x[i]);\n    }}\n}}\n"
        for name in functions
    )
    source = tmp_path / "loops.cpp"
    source.write_text(f"#include <intent/cpu/math.hpp>\n{loops}")
    said = run(tool("clang++"), "-std=c++17", *SHIPPED, "-Werror", "-Rpass=loop-vectorize", f"-I{RUNTIME}", "-c",
               str(source), "-o", str(tmp_path / "loops.o"))  # fmt: skip
    assert said.count("loops.cpp") >= said.count("remark: vectorized loop") == len(functions)


@pytest.mark.parametrize("compiler", ["clang++", "g++"])
@pytest.mark.parametrize(("processor", "divided"), [("x86-64-v3", True), ("x86-64-v4", False)])
def test_reciprocal_roots_are_divided_for_where_that_is_fast(
    compiler: str, processor: str, divided: bool, tmp_path: Path
) -> None:
    source, text = tmp_path / "loop.cpp", tmp_path / "loop.s"
    source.write_text(
        "#include <intent/cpu/math.hpp>\nvoid map_rsqrt(float* y, const float* x, long n) {\n    #pragma omp simd\n"
        "    for (long i = 0; i < n; ++i) {\n        y[i] = intent::rsqrt(x[i]);\n    }\n}\n"
    )
    flags = (*SHIPPED, f"-march={processor}", "-Werror", f"-I{RUNTIME}")
    run(tool(compiler), "-std=c++17", *flags, "-S", str(source), "-o", str(text))
    assembly = text.read_text()
    assert "vsqrtps" in assembly
    assert ("vdivps" in assembly) == divided


@pytest.mark.parametrize("project", TIDIED, ids=shown)
def test_tidy_is_content(project: Path) -> None:
    tidy, sources = tool("clang-tidy"), sorted((project / "src").glob("*.cpp"))
    flags = ("-std=c++17", *SHIPPED, f"-I{project / 'include'}")
    run(tidy, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", *map(str, sources), "--", *flags)
