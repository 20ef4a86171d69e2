"""Layer 2: a small C++/CUDA, the last form before text. It knows nothing of Kernel IR."""

from intent2cuda.machine.verify import Verified, verified, verify

__all__ = ["Verified", "verified", "verify"]
