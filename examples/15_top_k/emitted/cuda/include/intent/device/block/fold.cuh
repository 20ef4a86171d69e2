// Reductions by a whole block.
#pragma once

#include <intent/combine.hpp>
#include <intent/device/shared.cuh>
#include <intent/device/warp/fold.cuh>

namespace intent {

namespace detail {
struct BlockPartials;
}

// One value of each thread, combined. The block has kThreads threads along x, all of which call.
// Valid in: every thread. Synchronises: the block, twice.
template <int kThreads, class T, class Combine>
__device__ __forceinline__ T block_combine(T value, Combine combine) {
    static_assert(kThreads % kWarpThreads == 0, "a block is made of whole warps");
    constexpr int kWarps = kThreads / kWarpThreads;
    T total = warp_combine(value, combine);
    if constexpr (kWarps > 1) {
        Words<T>* const partials = shared_array<detail::BlockPartials, Words<T>, kWarps>();
        if (threadIdx.x % kWarpThreads == 0) {
            partials[threadIdx.x / kWarpThreads] = to_words(total);
        }
        __syncthreads();  // all partials written
        total = from_words(partials[0]);
        #pragma unroll
        for (int warp = 1; warp < kWarps; ++warp) {
            total = combine(total, from_words(partials[warp]));
        }
        __syncthreads();  // all partials read: the next call may overwrite them
    }
    return total;
}

// combine over value(i), 0 <= i < count; the identity when count is 0. The result depends on kThreads, not on timing.
// The block has kThreads threads along x, all of which call. Valid in: every thread. Synchronises: the block, twice.
template <int kThreads, class Combine, class Value>
__device__ __forceinline__ auto block_fold(index_t count, Combine combine, Value value) {
    using T = std::decay_t<decltype(value(index_t{0}))>;
    T total = Combine::template identity<T>();
    for (index_t i = threadIdx.x; i < count; i += kThreads) {
        total = combine(total, value(i));
    }
    return block_combine<kThreads>(total, combine);
}

}  // namespace intent
