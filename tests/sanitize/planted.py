"""Compile planted.cpp as kernels are compiled and call one of its functions: `planted.py FOLDER FUNCTION`.

The function `element` reads the number behind an array that lies as those of the conformance cases do.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parents[1]
SOURCE = Path(__file__).with_name("planted.cpp")


def main() -> int:
    folder, function = Path(sys.argv[1]), sys.argv[2]
    compiler, product, library = os.environ["CXX"], str(folder / "planted.o"), str(folder / "planted.so")
    subprocess.run([compiler, "-O3", "-fopenmp", "-fPIC", "-c", str(SOURCE), "-o", product], check=True)
    subprocess.run([compiler, "-shared", "-fopenmp", product, "-o", library], check=True)
    called = getattr(ctypes.CDLL(library), function)
    if function != "element":
        return called(1000)
    sys.path[0] = str(TESTS)
    from conformance.guard import Memory

    memory = Memory()
    array = memory.place({"numbers": np.zeros(10, np.int32)})["numbers"]
    with memory.fenced():
        return called(ctypes.c_void_p(array.ctypes.data), 9) + called(ctypes.c_void_p(array.ctypes.data), 10)


if __name__ == "__main__":
    sys.exit(main())
