// What one thread does for its block, and tells it.
#pragma once

#include <intent/device/device.cuh>

#include <type_traits>

namespace intent {

// The value of act(), which only the first thread calls, after everything that the block did before.
// Valid in: every thread. Synchronises: the block, three times.
template <class Act>
__device__ __forceinline__ auto block_once(Act act) {
    using T = std::decay_t<decltype(act())>;
    __shared__ T told;
    __syncthreads();
    if (threadIdx.x == 0) {
        told = act();
    }
    __syncthreads();
    const T value = told;
    __syncthreads();  // nobody tells anything else before all have read it
    return value;
}

}  // namespace intent
