"""Layer 3: what can be known of a kernel without running it."""
