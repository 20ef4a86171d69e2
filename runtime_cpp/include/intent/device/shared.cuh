// Shared memory of the block, as kernels and runtime headers ask for it. The simulator's twin is in
// sim/instructions.hpp.
#pragma once

#include <intent/device/device.cuh>

#if defined(__CUDACC__)
#include <cuda_runtime.h>

namespace intent {

// The block's dynamic shared memory: as many bytes as the launch asked for, aligned to 1024.
template <class T>
__device__ __forceinline__ T* shared_memory() {
    extern __shared__ __align__(1024) unsigned char intent_dynamic_shared[];
    return reinterpret_cast<T*>(intent_dynamic_shared);
}

// `kCount` elements of static shared memory, the same for every caller that names the same `Tag`, type and count.
template <class Tag, class T, int kCount>
__device__ __forceinline__ T* shared_array() {
    __shared__ __align__(16) T storage[kCount];
    return storage;
}

}  // namespace intent
#endif
