"""Layer 2: what planning may assume of a target, as data."""
