"""Layer 0: source places, diagnostics, integer expressions, canonical text and digests."""
