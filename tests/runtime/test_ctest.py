"""The C++ runtime passes its own tests, compiled with -O1.

Where there is time, as shipped, as plain C++ and for the widest vectors too: kernels of other tests are compiled for
the vectors of this machine anyway.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from intent2cuda.project import toolchain

THOROUGH = "INTENT2CUDA_TEST_EFFORT" in os.environ
OTHERS = ("plain", "wide")
ROOT = Path(__file__).resolve().parents[2]


def run(*command: str, timeout: int = 1200) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)


def chosen(ninja: str, folder: Path) -> list[str]:
    """The targets to build: the others only where there is time."""
    if THOROUGH:
        return ["all"]
    listed = run(ninja, "-C", str(folder), "-t", "targets", "all").stdout.splitlines()
    programs = [line.partition(":")[0] for line in listed if "_LINKER__" in line]
    return [program for program in programs if not program.endswith(OTHERS)]


def test_ctest(tmp_path: Path) -> None:
    cmake, ninja = str(toolchain.cmake().path), str(toolchain.ninja().path)
    source = ("-S", str(ROOT / "runtime_cpp"), "-B", str(tmp_path), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}")
    optimisation = () if THOROUGH else ("-DINTENT_OPTIMISATION=-O1",)
    configured = run(cmake, *source, "-DINTENT_RUNTIME_TESTS=ON", *optimisation)
    assert configured.returncode == 0, configured.stdout[-4000:] + configured.stderr[-4000:]
    built = run(cmake, "--build", str(tmp_path), "--target", *chosen(ninja, tmp_path))
    assert built.returncode == 0, built.stdout[-6000:]
    ctest = str(Path(cmake).with_name("ctest"))
    left_out = () if THOROUGH else ("-E", f"/({'|'.join(OTHERS)})$")
    done = run(ctest, "--test-dir", str(tmp_path), "--output-on-failure", "-j", str(os.cpu_count() or 2), *left_out)
    assert done.returncode == 0, done.stdout[-6000:]
    assert "No tests were found" not in done.stdout + done.stderr
