// Atomic read-modify-write on global or shared memory, for every type that kernels store. Relaxed: it orders nothing.
#pragma once

#include <intent/combine.hpp>
#include <intent/device/device.cuh>

#include <string.h>
#include <type_traits>

namespace intent {

// Replaces the value at `address` by `update` of it, however often others come between; returns what was replaced.
template <class T, class Update>
__device__ __forceinline__ T atomic_update(T* address, Update update) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "atomics work on 2, 4 or 8 bytes");
    using Word = std::conditional_t<sizeof(T) == 2, unsigned short,
                                    std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>;
    Word* const word = reinterpret_cast<Word*>(address);
    Word seen = atomicCAS(word, Word{0}, Word{0});  // reads: 0 is replaced by 0
    for (;;) {
        const Word expected = seen;
        T value;
        memcpy(&value, &expected, sizeof value);
        const T next = update(value);
        Word desired;
        memcpy(&desired, &next, sizeof next);
        seen = atomicCAS(word, expected, desired);
        if (seen == expected) {
            return value;
        }
    }
}

// Adds `value`; returns what was there before. Integers wrap; 16-bit floats round each time.
template <class T>
__device__ __forceinline__ T atomic_add(T* address, T value) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
        return atomicAdd(address, value);
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 4) {
        return static_cast<T>(atomicAdd(reinterpret_cast<unsigned*>(address), static_cast<unsigned>(value)));
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        return static_cast<T>(
            atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value)));
    } else {
        return atomic_update(address, [=](T before) { return Add{}(before, value); });
    }
}

// The larger of both, NaN before all; returns what was there before.
template <class T>
__device__ __forceinline__ T atomic_max(T* address, T value) {
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, unsigned>) {
        return atomicMax(address, value);
    } else {
        return atomic_update(address, [=](T before) { return maximum(before, value); });
    }
}

// The smaller of both, NaN before all; returns what was there before.
template <class T>
__device__ __forceinline__ T atomic_min(T* address, T value) {
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, unsigned>) {
        return atomicMin(address, value);
    } else {
        return atomic_update(address, [=](T before) { return minimum(before, value); });
    }
}

}  // namespace intent
