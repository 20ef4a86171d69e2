// One number all over an array.
#pragma once

#include <intent/config.hpp>

namespace intent {

// first[i] = value for 0 <= i < count on this thread.
template <class T, class Value>
void fill(T* first, index_t count, Value value) {
    #pragma omp simd
    for (index_t i = 0; i < count; ++i) {
        first[i] = static_cast<T>(value);
    }
}

}  // namespace intent
