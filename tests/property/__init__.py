"""Random kernels, run by the interpreter and by a second, naive reading of the language."""
