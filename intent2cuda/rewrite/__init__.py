"""Layer 3: exact simplifications of Kernel IR that every later stage profits from."""

from intent2cuda.rewrite.passes import run

__all__ = ["run"]
