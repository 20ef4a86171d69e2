"""Layer 8: what a program imports: kernels as objects, compile, emit, artifacts, typed errors."""
