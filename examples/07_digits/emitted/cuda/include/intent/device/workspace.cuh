// Device memory that the caller provides: every block has a slice of its own, every array of a block a part of it.
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

// The array that begins `offset` bytes after the start of this block's slice; slices are `block_bytes` long.
template <class T>
__device__ __forceinline__ T* workspace_array(void* workspace, index_t block_bytes, index_t offset) {
    const index_t plane = static_cast<index_t>(blockIdx.z) * gridDim.y + blockIdx.y;
    const index_t block = plane * gridDim.x + blockIdx.x;
    return reinterpret_cast<T*>(static_cast<unsigned char*>(workspace) + block * block_bytes + offset);
}

}  // namespace intent
