// Conditions that only a running kernel can decide.
#pragma once

#include <intent/config.hpp>
#include <intent/device/device.cuh>

#include <cstdio>
#include <cstdlib>

namespace intent {

// Ends the kernel with an error when two extents differ: the next call of CUDA reports it, the simulator aborts.
__device__ __forceinline__ void device_require_equal(index_t a, index_t b, const char* message) {
    if (a != b) {
        printf("%s: %lld and %lld\n", message, static_cast<long long>(a), static_cast<long long>(b));
#if defined(__CUDACC__)
        __trap();
#else
        std::abort();
#endif
    }
}

}  // namespace intent
