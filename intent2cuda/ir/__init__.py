"""Layer 2: Kernel IR, the typed and target-free form of a kernel."""
