"""Layer 7: whether the helpers of generic reductions, scans and region operations obey the laws they declare."""
