"""The reference meaning of Kernel IR: `run` executes a kernel on NumPy arrays."""

from __future__ import annotations

from intent2cuda.interpret.run import run

__all__ = ["run"]
