"""Layer 1: what values are, without saying how they are stored."""
