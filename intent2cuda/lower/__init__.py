"""Layer 6: from a concrete plan to the machine program. Nothing is decided here: what the plan says is spelled out."""

from intent2cuda.lower.unit import LowerOptions, lower

__all__ = ["LowerOptions", "lower"]
