"""Layer 3: what can be known of a kernel without running it."""

from intent2cuda.analysis.check import check

__all__ = ["check"]
