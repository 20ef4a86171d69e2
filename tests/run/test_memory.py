"""Memory that runs out inside a parallel region: the call raises, and the process goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CHILD = """
import resource
import sys
import numpy as np
import intent2cuda as intent

which, path = sys.argv[1:]
called = intent.compile(intent.load(path), "cpu")
if which == "rows":  # each thread keeps a row of 64 MiB
    def arguments(size):
        return np.ones((2, size), np.float32), np.empty((2, size), np.float32)
else:  # each round of the loop takes 256 rows of 256 KiB
    def arguments(size):
        q, k, v = (np.ones(shape, np.float32) for shape in ((2, 256, 1), (2, 64, 1), (2, 64, size >> 8)))
        return q, k, v, 1.0, np.empty((2, 256, size >> 8), np.float32)
small, large = arguments(1 << 14), arguments(1 << 24)
called(*small)  # the threads are there
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (8 << 20), resource.RLIM_INFINITY))
try:
    called(*large)
except intent.ExecutionError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
called(*large)
print("done", large[-1].min() > 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the size of the process is read from /proc")
@pytest.mark.parametrize(
    ("which", "kernel"), [("rows", "04_softmax/kernel.py:softmax"), ("rounds", "08_attention/kernel.py:attention")]
)
def test_memory_that_runs_out_is_an_error_of_the_call(which: str, kernel: str, tmp_path: Path) -> None:
    path = str(EXAMPLES / kernel)
    command = [sys.executable, "-c", CHILD, which, path]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    message, end = done.stdout.splitlines()
    assert "bad_alloc" in message and end == "done True"
