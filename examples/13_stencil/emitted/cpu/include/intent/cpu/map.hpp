// Elementwise loops: out[i] = value(i), vectorised, on one thread or on all, streamed past the cache or not.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/stream.hpp>
#include <intent/integer.hpp>

#include <type_traits>

namespace intent {

namespace detail {

// The values from `begin` on.
template <class Value>
struct ValuesFrom {
    Value value;
    index_t begin;
    INTENT_INLINE_CALLS auto operator()(index_t i) const { return value(begin + i); }
};
template <class Value>
ValuesFrom(Value, index_t) -> ValuesFrom<Value>;

// target[i] = value(i) for 0 <= i < size. GCC vectorises stores of the 16-bit floats, which are classes, only in a loop
// without the OpenMP pragma: its copies of the temporaries are arrays, and arrays of classes stay in memory.
template <class T, class Value>
INTENT_HOST_DEVICE INTENT_INLINE_CALLS void store_values(T* target, index_t size, Value value) {
    if constexpr (std::is_class_v<T>) {
#if defined(__clang__)
        #pragma clang loop vectorize(assume_safety)
#else
        #pragma GCC ivdep
#endif
        for (index_t i = 0; i < size; ++i) {
            target[i] = static_cast<T>(value(i));
        }
    } else {
        #pragma omp simd
        for (index_t i = 0; i < size; ++i) {
            target[i] = static_cast<T>(value(i));
        }
    }
}

// fill(target, begin, size) leaves elements begin to begin + size of `out` in target[0] to target[size], for blocks
// that make up all of it. On this thread. With `stream` the caller ends with finish_streaming().
template <class T, class Fill>
inline void fill_row(T* out, index_t count, bool stream, Fill fill) {
    alignas(64) T staged[kStreamBlock<T>];
    index_t size = 0;
    for (index_t begin = 0; begin < count; begin += size) {
        size = least(kStreamBlock<T> - elements_into_line(out + begin), count - begin);
        fill(stream ? staged : out + begin, begin, size);
        if (stream) {
            copy_streaming(staged, out + begin, static_cast<std::size_t>(size) * sizeof(T));
        }
    }
}

// The same on all threads; outputs of more than kStreamBytes are streamed. Everything is visible to the caller on
// return.
template <class T, class Fill>
void fill(T* out, index_t count, Fill fill) {
    const bool stream = count * static_cast<index_t>(sizeof(T)) > kStreamBytes;
    const index_t ahead = elements_into_line(out);  // the first block is shorter, so that all end with a line
    #pragma omp parallel if (count >= kParallelWork)
    {
        #pragma omp for schedule(static) nowait
        for (index_t block = 0; block < ceil_div(ahead + count, kStreamBlock<T>); ++block) {
            const index_t first = most(0, block * kStreamBlock<T> - ahead);
            const index_t end = least(count, (block + 1) * kStreamBlock<T> - ahead);
            fill_row(out + first, end - first, stream,
                     [=](T* target, index_t begin, index_t size) { fill(target, first + begin, size); });
        }
        if (stream) {
            finish_streaming();
        }
    }
}

}  // namespace detail

// out[i] = value(i) for 0 <= i < count on this thread. With `stream` the caller ends with finish_streaming(). `value`
// may read out[i] and nothing else of `out`; iterations may run in any order, several at a time.
template <class T, class Value>
inline void map_row(T* out, index_t count, bool stream, Value value) {
    detail::fill_row(out, count, stream, [=](T* target, index_t begin, index_t size) {
        detail::store_values(target, size, detail::ValuesFrom{value, begin});
    });
}

// out[i] = value(i) for 0 <= i < count on all threads, under the conditions of map_row; outputs of more than
// kStreamBytes are streamed. Everything is visible to the caller on return.
template <class T, class Value>
void map(T* out, index_t count, Value value) {
    detail::fill(out, count, [=](T* target, index_t begin, index_t size) {
        detail::store_values(target, size, detail::ValuesFrom{value, begin});
    });
}

}  // namespace intent
