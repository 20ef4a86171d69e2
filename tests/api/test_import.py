"""`import intent2cuda` is quick: what is heavy loads on first use."""

from __future__ import annotations

import subprocess
import sys

import pytest

import intent2cuda

HEAVY = ("numpy", "libcst", "jinja2", "ml_dtypes", "subprocess", "ctypes", "pybind11", "intent2cuda._bridge")


def test_heavy_modules_are_not_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    child = f"""
import sys, time
started = time.perf_counter()
import intent2cuda
print(time.perf_counter() - started)
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    answer = subprocess.run([sys.executable, "-P", "-c", child], capture_output=True, text=True, check=True)
    seconds, loaded = answer.stdout.splitlines()
    with capsys.disabled():
        print(f"\nimport intent2cuda: {float(seconds) * 1e3:.0f} ms")
    assert loaded == "[]"


def test_a_package_that_is_not_compiled_says_so() -> None:
    """As in the source folder, which Python finds before the installed package."""
    child = "import sys; sys.modules['intent2cuda._bridge'] = None; import intent2cuda; intent2cuda.compile"
    answer = subprocess.run([sys.executable, "-P", "-c", child], capture_output=True, text=True, check=False)
    assert answer.returncode == 1 and "start it in another folder" in answer.stderr


def test_every_public_name_is_there() -> None:
    for name in intent2cuda.__all__:
        assert getattr(intent2cuda, name) is not None
    assert sorted(intent2cuda.__all__) == list(intent2cuda.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(intent2cuda, "noth" + "ing")
