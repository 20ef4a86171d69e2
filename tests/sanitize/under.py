"""Run a command whose emitted C++ is compiled with a sanitizer: `under.py address COMMAND...`, `thread` or `memory`.

address: the address and the undefined-behaviour sanitizer. thread: the thread sanitizer, with every parallel region on
four threads however small its work, and an OpenMP whose synchronisation the sanitizer sees. memory: no sanitizer, but
kernels find no memory for their scratch, in parallel regions as under thread.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parents[1] / "runtime_cpp" / "include"
THRESHOLD = "kParallelWork = 32768;"
CHECKS = {
    "address": "-O1 -g1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all",
    "thread": "-O1 -g1 -fsanitize=thread",
    "memory": "-O1",
}
LIBRARIES = {"address": ("libasan.so", "libstdc++.so"), "thread": ("libtsan.so", "libstdc++.so"), "memory": ()}
OPTIONS = {
    # Python does not free all that it has; the tests of the runtime look for leaks.
    "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "OPENBLAS_NUM_THREADS": "1",  # NumPy's own threads order their work unseen by the sanitizer
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=66:second_deadlock_stack=1",
}


def environment(sanitizer: str, folder: Path) -> dict[str, str]:
    """The variables under which Python loads libraries built with the sanitizer; what they need is made in `folder`."""
    flags = CHECKS[sanitizer]
    made: dict[str, str] = {}
    preloaded = [_library(name) for name in LIBRARIES[sanitizer]]
    if sanitizer != "address":
        flags += f" -I{always_parallel(folder)}"
    if sanitizer == "thread":
        made["SANITIZER_OPENMP"] = str(compiled(folder, "openmp.cpp", shlex.split(flags)))
    if sanitizer == "memory":
        made["OMP_NUM_THREADS"] = "4"
        preloaded.append(str(compiled(folder, "scarce.cpp", [])))
    return {
        **os.environ,
        **OPTIONS,
        **made,
        "CXX": str(HERE / "cxx"),
        "SANITIZER_FLAGS": flags,
        "INTENT2CUDA_CACHE_DIR": str(folder / "cache"),
        "LD_PRELOAD": " ".join(preloaded),
    }


def always_parallel(folder: Path) -> Path:
    """An include folder whose parallel.hpp finds any work large enough for all threads."""
    text = (HEADERS / "intent/cpu/parallel.hpp").read_text()
    assert THRESHOLD in text
    changed = folder / "include/intent/cpu/parallel.hpp"
    changed.parent.mkdir(parents=True)
    changed.write_text(text.replace(THRESHOLD, "kParallelWork = 0;"))
    return folder / "include"


def compiled(folder: Path, source: str, flags: list[str]) -> Path:
    """A file of this folder as a shared library."""
    library = folder / f"lib{Path(source).stem}.so"
    options = ["-std=c++17", *flags, "-Wall", "-Wextra", "-fPIC", "-shared"]
    subprocess.run(["g++", *options, str(HERE / source), "-o", str(library)], check=True)
    return library


def command_line(command: list[str]) -> list[str]:
    """The thread sanitizer's runtime wants memory where it looks for it: no random addresses."""
    return ["setarch", platform.machine(), "--addr-no-randomize", *command]


def _library(name: str) -> str:
    done = subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main() -> int:
    sanitizer, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(sanitizer, Path(folder))
        return subprocess.run(command_line(command), env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
