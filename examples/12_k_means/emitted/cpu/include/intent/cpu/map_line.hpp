// The elementwise loops of map.hpp over a line of a view: as there when it is dense, element by element when it is not.
#pragma once

#include <intent/cpu/map.hpp>
#include <intent/line.hpp>

namespace intent {

// out[i] = value(i) for 0 <= i < count on this thread. With `stream` a dense line goes past the caches, and the caller
// ends with finish_streaming().
template <class T, bool kDense, class Value>
INTENT_INLINE_CALLS void map_row(Line<T, kDense> out, index_t count, bool stream, Value value) {
    if constexpr (kDense) {
        map_row(out.data, count, stream, value);
    } else {
        #pragma omp simd
        for (index_t i = 0; i < count; ++i) {
            out[i] = static_cast<T>(value(i));
        }
    }
}

// out[i] = value(i) for 0 <= i < count on all threads. `value` may read out[i] and nothing else of `out`.
template <class T, bool kDense, class Value>
void map(Line<T, kDense> out, index_t count, Value value) {
    if constexpr (kDense) {
        map(out.data, count, value);
    } else {
        #pragma omp parallel for schedule(static) if (count >= kParallelWork)
        for (index_t begin = 0; begin < count; begin += kStreamBlock<T>) {
            const Line<T, kDense> here{out.data + begin * out.stride, out.stride};
            map_row(here, least(kStreamBlock<T>, count - begin), false, detail::ValuesFrom{value, begin});
        }
    }
}

}  // namespace intent
