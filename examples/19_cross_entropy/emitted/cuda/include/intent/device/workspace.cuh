// Device memory that the caller provides: arrays lie one after the other, once for each block of the grid.
#pragma once

#include <intent/check.hpp>
#include <intent/config.hpp>
#include <intent/device/device.cuh>

#include <cstddef>
#include <cstdint>

namespace intent {

constexpr std::size_t kWorkspaceAlignment = 256;

// Throws CapacityError when a kernel needs a workspace of `bytes` and there is none, or one that is not aligned.
inline void require_workspace(const void* workspace, std::size_t bytes, const char* message) {
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(workspace) % kWorkspaceAlignment == 0;
    if (bytes > 0 && (workspace == nullptr || !is_aligned)) {
        const char* const found = workspace == nullptr ? ": it is null, and " : ": it is not aligned, and ";
        const auto needed = static_cast<index_t>(bytes);
        throw CapacityError((Message() << message << found << needed << " bytes are needed").text());
    }
}

// Bytes of an array of `count` elements in a workspace, rounded up so that the next one is aligned.
template <class T>
INTENT_HOST_DEVICE constexpr index_t workspace_bytes(index_t count) noexcept {
    constexpr auto kAlignment = static_cast<index_t>(kWorkspaceAlignment);
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
