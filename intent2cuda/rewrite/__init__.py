"""Layer 3: exact simplifications of Kernel IR that every later stage profits from; inspections for checked builds."""

from intent2cuda.rewrite.checking import checked
from intent2cuda.rewrite.passes import run

__all__ = ["checked", "run"]
