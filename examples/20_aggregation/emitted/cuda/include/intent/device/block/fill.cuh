// One number all over an array, written by the threads of a block.
#pragma once

#include <intent/config.hpp>
#include <intent/device/device.cuh>

namespace intent {

// first[i] = value for 0 <= i < count. The block has kThreads threads along x, all of which call; thread t writes the
// elements t, t + kThreads, ... Does not synchronise.
template <int kThreads, class T, class Value>
__device__ __forceinline__ void block_fill(T* first, index_t count, Value value) {
    for (index_t i = threadIdx.x; i < count; i += kThreads) {
        first[i] = static_cast<T>(value);
    }
}

// matrix[i * columns + j] = value for 0 <= i < rows and 0 <= j < columns; each row is shared out as above.
template <int kThreads, class T, class Value>
__device__ __forceinline__ void block_fill(T* matrix, index_t rows, index_t columns, Value value) {
    for (index_t i = 0; i < rows; ++i) {
        block_fill<kThreads>(matrix + i * columns, columns, value);
    }
}

}  // namespace intent
