// Loops whose rounds mostly do nothing: vector lanes look ahead for the next member that matters.
#pragma once

#include <intent/config.hpp>

namespace intent {

namespace detail {

// Members that are looked at together: enough for independent vectors, few enough that one that matters costs little.
constexpr index_t kLookAhead = 64;

}  // namespace detail

// visit(i) for begin <= i < end in order, where matters(i) holds when the turn of i has come. matters has no effects and
// may be called for any member at any time; what it depends on is changed by visit alone.
template <class Matters, class Visit>
INTENT_INLINE_CALLS inline void for_each_where(index_t begin, index_t end, Matters matters, Visit visit) {
    index_t i = begin;
    for (; i + detail::kLookAhead <= end; i += detail::kLookAhead) {
        int count = 0;
        #pragma omp simd reduction(+ : count)
        for (index_t k = 0; k < detail::kLookAhead; ++k) {
            count += matters(i + k) ? 1 : 0;
        }
        if (count == 0) {
            continue;
        }
        for (index_t k = 0; k < detail::kLookAhead; ++k) {
            if (matters(i + k)) {
                visit(i + k);
            }
        }
    }
    for (; i < end; ++i) {
        if (matters(i)) {
            visit(i);
        }
    }
}

}  // namespace intent
