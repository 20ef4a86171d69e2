"""Kernels that look at themselves while they run: what is not proved becomes an inspection."""

from intent2cuda.rewrite.checking.checked import checked

__all__ = ["checked"]
