"""Layer 2: a small C++/CUDA, the last form before text. It knows nothing of Kernel IR."""
