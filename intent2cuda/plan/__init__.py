"""Layer 4: from Kernel IR to a plan that decides everything the emitted program does."""
