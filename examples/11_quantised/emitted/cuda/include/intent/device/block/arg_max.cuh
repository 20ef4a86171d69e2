// The place of the largest value, found by a whole block.
#pragma once

#include <intent/device/block/fold.cuh>

namespace intent {

// A value and where it was found.
template <class T>
struct Indexed {
    T value;
    index_t index;
};

namespace detail {

// The larger value; NaN is larger than everything; of equals the one found earlier.
struct LargerThenEarlier {
    template <class T>
    __device__ __forceinline__ Indexed<T> operator()(Indexed<T> a, Indexed<T> b) const {
        const bool a_nan = is_nan(a.value);
        const bool b_nan = is_nan(b.value);
        const bool equal = a_nan == b_nan && (a_nan || a.value == b.value);
        const bool b_larger = !a_nan && (b_nan || b.value > a.value);
        return b_larger || (equal && b.index < a.index) ? b : a;
    }
};

}  // namespace detail

// The largest value(i) and its lowest index; NaN counts as larger than everything, and the lowest NaN is reported.
// Nothing folded: {lowest<T>(), largest index}. The block has kThreads threads along x, all of which call.
// Valid in: every thread. Synchronises: the block, twice.
template <int kThreads, class Value>
__device__ __forceinline__ auto block_arg_max(index_t count, Value value) {
    using T = std::decay_t<decltype(value(index_t{0}))>;
    Indexed<T> best{lowest<T>(), highest<index_t>()};
    for (index_t i = threadIdx.x; i < count; i += kThreads) {
        best = detail::LargerThenEarlier{}(best, Indexed<T>{value(i), i});
    }
    return block_combine<kThreads>(best, detail::LargerThenEarlier{});
}

}  // namespace intent
