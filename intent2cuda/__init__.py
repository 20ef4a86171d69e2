"""intent2cuda: kernels written once, emitted as readable C++ and CUDA."""
