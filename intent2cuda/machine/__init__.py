"""Layer 2: a small C++/CUDA, the last form before text. It knows nothing of Kernel IR."""

from intent2cuda.machine.verify import Report, verify

__all__ = ["Report", "verify"]
