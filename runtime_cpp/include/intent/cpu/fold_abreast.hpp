// Reductions of neighbouring members, each in a vector lane of its own.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/fold.hpp>

namespace intent {

// combine over value(i), 0 <= i < kCount, in this order; kCount is at least 1 and small. It is straight code.
template <int kCount, class Combine, class Value>
INTENT_INLINE_CALLS inline FoldType<Value> fold_few(Combine combine, Value value) {
    FoldType<Value> found = value(0);
    #pragma GCC unroll 32
    for (int i = 1; i < kCount; ++i) {
        found = combine(found, value(i));
    }
    return found;
}

namespace detail {

// The same for the members begin to begin + kWidth; `store` is called for those from `first` on.
template <int kWidth, class Combine, class Value, class Store>
INTENT_INLINE_CALLS inline void fold_lanes_abreast(
    index_t begin, index_t first, index_t count, Combine combine, Value value, Store store) {
    using T = std::decay_t<decltype(value(index_t{0}, index_t{0}))>;
    FoldLanes<T, kWidth> lanes;
    #pragma omp simd
    for (int lane = 0; lane < kWidth; ++lane) {
        lanes.set(lane, Combine::template identity<T>());
    }
    for (index_t i = 0; i < count; ++i) {
        #pragma omp simd
        for (int lane = 0; lane < kWidth; ++lane) {
            lanes.set(lane, combine(lanes.get(lane), value(begin + lane, i)));
        }
    }
    #pragma omp simd
    for (int lane = static_cast<int>(first - begin); lane < kWidth; ++lane) {
        store(begin + lane, lanes.get(lane));
    }
}

}  // namespace detail

// store(member, combine over value(member, i), 0 <= i < count) for 0 <= member < members: each reduction in the order
// of i, vectorised over the members; where these are too few for that, as by `fold`. On this thread. `value` may be
// called again for a member that is stored already, and what it gives then counts for nothing.
template <class Combine, class Value, class Store>
INTENT_INLINE_CALLS inline void fold_abreast(
    index_t members, index_t count, Combine combine, Value value, Store store) {
    using T = std::decay_t<decltype(value(index_t{0}, index_t{0}))>;
    constexpr int kWide = 2 * kRegisterLanes<T>;
    constexpr int kFew = kRegisterLanes<T> / 2;
    index_t member = 0;
    for (; member + kWide <= members; member += kWide) {
        detail::fold_lanes_abreast<kWide>(member, member, count, combine, value, store);
    }
    for (; member + kFew <= members; member += kFew) {
        detail::fold_lanes_abreast<kFew>(member, member, count, combine, value, store);
    }
    if (member < members && members >= kFew) {
        detail::fold_lanes_abreast<kFew>(members - kFew, member, count, combine, value, store);
    } else {
        for (; member < members; ++member) {
            store(member, fold(count, combine, [=](index_t i) { return value(member, i); }));
        }
    }
}

}  // namespace intent
