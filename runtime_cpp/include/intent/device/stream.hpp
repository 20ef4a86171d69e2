// `cudaStream_t` for headers that host code includes; a simulated build has no CUDA and no streams.
#pragma once

#if defined(INTENT_SIMULATED)
using cudaStream_t = void*;
#else
#include <cuda_runtime_api.h>
#endif
