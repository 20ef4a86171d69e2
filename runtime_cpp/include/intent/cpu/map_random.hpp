// The elementwise loops of map.hpp whose elements take the random bits of consecutive counters: those of a block of
// elements are made at once.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/map.hpp>
#include <intent/cpu/philox_row.hpp>
#include <intent/line.hpp>

namespace intent {

// For element i the bits of counter first + i under the key `seed`.
struct PhiloxRow {
    std::uint64_t seed;
    std::uint64_t first;
};

namespace detail {

// target[i] = value(begin + i, bits) for 0 <= i < size, which is at most kStreamBlock<T>.
template <class T, bool kDense, class Value>
inline void store_random(Line<T, kDense> target, index_t begin, index_t size, PhiloxRow row, Value value) {
    alignas(64) std::uint32_t bits[kStreamBlock<T>];
    philox_row(row.seed, row.first + static_cast<std::uint64_t>(begin), size, bits);
    const std::uint32_t* const from = bits;
    if constexpr (kDense) {
        store_values(target.data, size, [=](index_t i) { return value(begin + i, from[i]); });
    } else {
        for (index_t i = 0; i < size; ++i) {
            target[i] = static_cast<T>(value(begin + i, from[i]));
        }
    }
}

}  // namespace detail

// out[i] = value(i, bits) for 0 <= i < count on all threads. `value` may read out[i] and nothing else of `out`; outputs
// of more than kStreamBytes are streamed when they are dense.
template <class T, bool kDense, class Value>
void map_random(Line<T, kDense> out, index_t count, PhiloxRow row, Value value) {
    if constexpr (kDense) {
        detail::fill(out.data, count, [=](T* target, index_t begin, index_t size) {
            detail::store_random(Line<T, true>{target, 1}, begin, size, row, value);
        });
    } else {
        #pragma omp parallel for schedule(static) if (count >= kParallelWork)
        for (index_t begin = 0; begin < count; begin += kStreamBlock<T>) {
            detail::store_random(Line<T, false>{out.data + begin * out.stride, out.stride}, begin,
                                 least(kStreamBlock<T>, count - begin), row, value);
        }
    }
}

// out[i] = value(i, bits) for 0 <= i < count on this thread. With `stream` a dense line goes past the caches, and the
// caller ends with finish_streaming().
template <class T, bool kDense, class Value>
void map_random_row(Line<T, kDense> out, index_t count, bool stream, PhiloxRow row, Value value) {
    if constexpr (kDense) {
        detail::fill_row(out.data, count, stream, [=](T* target, index_t begin, index_t size) {
            detail::store_random(Line<T, true>{target, 1}, begin, size, row, value);
        });
    } else {
        for (index_t begin = 0; begin < count; begin += kStreamBlock<T>) {
            detail::store_random(Line<T, false>{out.data + begin * out.stride, out.stride}, begin,
                                 least(kStreamBlock<T>, count - begin), row, value);
        }
    }
}

}  // namespace intent
