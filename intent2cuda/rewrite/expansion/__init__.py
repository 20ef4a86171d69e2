"""Operations written out in simpler ones: the legal expansions that any target may take for what it has no form for."""

from intent2cuda.rewrite.expansion.expand import Choices, expand
from intent2cuda.rewrite.expansion.regions import axis_extent, in_one_piece, part_of

__all__ = ["Choices", "axis_extent", "expand", "in_one_piece", "part_of"]
