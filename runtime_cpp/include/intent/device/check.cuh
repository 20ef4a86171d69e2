// Conditions that only a running kernel can decide.
#pragma once

#include <intent/device/device.cuh>

#include <cstdio>
#include <cstdlib>

namespace intent {

// Ends the kernel with an error when `holds` is false: the next call of CUDA reports it, the simulator aborts.
__device__ __forceinline__ void device_require(bool holds, const char* message) {
    if (!holds) {
        printf("%s\n", message);
#if defined(__CUDACC__)
        __trap();
#else
        std::abort();
#endif
    }
}

}  // namespace intent
