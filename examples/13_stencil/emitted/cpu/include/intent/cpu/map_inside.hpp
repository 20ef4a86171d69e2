// An elementwise loop over a part of a line that begins anywhere, such as all of a row but its border.
#pragma once

#include <intent/cpu/map.hpp>
#include <intent/cpu/vector.hpp>
#include <intent/line.hpp>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

// out[i] = value(i) for begin <= i < end on this thread. `value` may read out[i] and nothing else of `out`. Of a dense
// line, single elements come first, so that no vector is stored to two lines of the cache.
template <class T, bool kDense, class Value>
INTENT_INLINE_CALLS void map_inside(Line<T, kDense> out, index_t begin, index_t end, Value value) {
    if constexpr (kDense) {
        constexpr index_t kFewest = 8 * kVectorBytes / static_cast<index_t>(sizeof(T));  // of fewer, they take longer
        const index_t single = end - begin >= kFewest ? end : begin;
        index_t i = begin;
        for (; i < single && reinterpret_cast<std::uintptr_t>(out.data + i) % kVectorBytes != 0; ++i) {
            out[i] = static_cast<T>(value(i));
        }
        detail::store_values(out.data + i, end - i, detail::ValuesFrom{value, i});
    } else {
        #pragma omp simd
        for (index_t i = begin; i < end; ++i) {
            out[i] = static_cast<T>(value(i));
        }
    }
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
