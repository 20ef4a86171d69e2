// Combining one value of each lane of a warp.
#pragma once

#include <intent/device/device.cuh>

#include <string.h>
#include <type_traits>

namespace intent {

constexpr int kWarpThreads = 32;
constexpr unsigned kFullWarp = 0xffffffffu;

// The bits of a value, padding included, as words that all lanes and arrays can hold.
template <class T>
struct Words {
    static_assert(std::is_trivially_copyable_v<T>, "threads exchange bits");
    static constexpr int kCount = (static_cast<int>(sizeof(T)) + 3) / 4;

    unsigned words[kCount];
};

template <class T>
__device__ __forceinline__ Words<T> to_words(T value) {
    Words<T> result{};
    memcpy(result.words, &value, sizeof value);
    return result;
}

template <class T>
__device__ __forceinline__ T from_words(Words<T> words) {
    T value;
    memcpy(&value, words.words, sizeof value);
    return value;
}

// The value of the lane whose number differs by the bits of `lane_mask`. All lanes of the warp take part.
template <class T>
__device__ __forceinline__ T shuffle_xor(T value, int lane_mask) {
    Words<T> words = to_words(value);
    #pragma unroll
    for (int i = 0; i < Words<T>::kCount; ++i) {
        words.words[i] = __shfl_xor_sync(kFullWarp, words.words[i], lane_mask);
    }
    return from_words(words);
}

// All 32 values combined. Valid in: every lane. Synchronises: the warp, without ordering memory.
template <class T, class Combine>
__device__ __forceinline__ T warp_combine(T value, Combine combine) {
    #pragma unroll
    for (int distance = kWarpThreads / 2; distance > 0; distance /= 2) {
        value = combine(value, shuffle_xor(value, distance));
    }
    return value;
}

// combine over value(i), 0 <= i < count; the identity when count is 0. Valid in: every lane. Synchronises: the warp,
// without ordering memory.
template <class Combine, class Value>
__device__ __forceinline__ auto warp_fold(index_t count, Combine combine, Value value) {
    using T = std::decay_t<decltype(value(index_t{0}))>;
    T total = Combine::template identity<T>();
    for (index_t i = threadIdx.x % kWarpThreads; i < count; i += kWarpThreads) {
        total = combine(total, value(i));
    }
    return warp_combine(total, combine);
}

}  // namespace intent
