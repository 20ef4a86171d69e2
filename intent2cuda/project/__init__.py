"""Layer 7: emitted files on disk, compilers and their cache, runtime headers."""
