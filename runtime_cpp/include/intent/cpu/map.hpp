// Elementwise loops: out[i] = value(i), vectorised, on one thread or on all, streamed past the cache or not.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/stream.hpp>

namespace intent {

// out[i] = value(i) for 0 <= i < count on this thread. With `stream` the caller ends with finish_streaming(). `value`
// may read out[i] and nothing else of `out`; iterations may run in any order, several at a time.
template <class T, class Value>
inline void map_row(T* out, index_t count, bool stream, Value value) {
    alignas(64) T staged[kStreamBlock<T>];
    for (index_t begin = 0; begin < count; begin += kStreamBlock<T>) {
        const index_t size = least(kStreamBlock<T>, count - begin);
        T* const target = stream ? staged : out + begin;
        #pragma omp simd
        for (index_t i = 0; i < size; ++i) {
            target[i] = static_cast<T>(value(begin + i));
        }
        if (stream) {
            copy_streaming(staged, out + begin, static_cast<std::size_t>(size) * sizeof(T));
        }
    }
}

// out[i] = value(i) for 0 <= i < count on all threads, under the conditions of map_row; outputs of more than
// kStreamBytes are streamed. Everything is visible to the caller on return.
template <class T, class Value>
void map(T* out, index_t count, Value value) {
    const bool stream = count * static_cast<index_t>(sizeof(T)) > kStreamBytes;
    #pragma omp parallel for schedule(static) if (count >= kParallelWork)
    for (index_t begin = 0; begin < count; begin += kStreamBlock<T>) {
        map_row(out + begin, least(kStreamBlock<T>, count - begin), stream, [=](index_t i) { return value(begin + i); });
        if (stream) {
            finish_streaming();
        }
    }
}

}  // namespace intent
