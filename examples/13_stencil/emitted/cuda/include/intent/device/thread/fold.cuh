// Reductions by a single thread: the inner loop of code whose other loops are spread over threads.
#pragma once

#include <intent/combine.hpp>
#include <intent/device/block/arg_max.cuh>

namespace intent {

// combine over value(i), 0 <= i < count, in order; the identity when count is 0.
// Valid in: the calling thread. Synchronises: nothing.
template <class Combine, class Value>
__device__ __forceinline__ auto thread_fold(index_t count, Combine combine, Value value) {
    using T = std::decay_t<decltype(value(index_t{0}))>;
    T total = Combine::template identity<T>();
    #pragma unroll 4
    for (index_t i = 0; i < count; ++i) {
        total = combine(total, value(i));
    }
    return total;
}

// The largest value(i) and its lowest index; NaN counts as larger than everything, and the lowest NaN is reported.
// Nothing folded: {lowest<T>(), largest index}. Valid in: the calling thread. Synchronises: nothing.
template <class Value>
__device__ __forceinline__ auto thread_arg_max(index_t count, Value value) {
    using T = std::decay_t<decltype(value(index_t{0}))>;
    Indexed<T> best{lowest<T>(), highest<index_t>()};
    for (index_t i = 0; i < count; ++i) {
        best = detail::LargerThenEarlier{}(best, Indexed<T>{value(i), i});
    }
    return best;
}

}  // namespace intent
