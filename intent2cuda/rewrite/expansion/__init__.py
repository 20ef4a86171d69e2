"""Operations written out in simpler ones: the legal expansions that any target may take for what it has no form for."""

from intent2cuda.rewrite.expansion.expand import Choices, expand
from intent2cuda.rewrite.expansion.regions import in_one_piece

__all__ = ["Choices", "expand", "in_one_piece"]
