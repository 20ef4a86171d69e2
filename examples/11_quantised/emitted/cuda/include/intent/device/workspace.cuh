// Device memory that the caller provides: arrays lie one after the other, once for each block of the grid.
#pragma once

#include <intent/config.hpp>
#include <intent/device/device.cuh>

namespace intent {

// Bytes of an array of `count` elements in a workspace, rounded up so that the next one is aligned.
template <class T>
INTENT_HOST_DEVICE constexpr index_t workspace_bytes(index_t count) noexcept {
    constexpr index_t kAlignment = 256;
    const index_t bytes = (count > 0 ? count : 0) * static_cast<index_t>(sizeof(T));
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// This block's array of `count` elements; `workspace` moves on, behind the arrays of all blocks.
template <class T>
__device__ __forceinline__ T* workspace_array(void*& workspace, index_t count) {
    const index_t plane = static_cast<index_t>(blockIdx.z) * gridDim.y + blockIdx.y;
    const index_t block = plane * gridDim.x + blockIdx.x;
    const index_t blocks = static_cast<index_t>(gridDim.x) * gridDim.y * gridDim.z;
    const index_t bytes = workspace_bytes<T>(count);
    auto* const first = static_cast<unsigned char*>(workspace);
    workspace = first + blocks * bytes;
    return reinterpret_cast<T*>(first + block * bytes);
}

}  // namespace intent
