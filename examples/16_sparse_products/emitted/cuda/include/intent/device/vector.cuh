// Loads and stores of several neighbours at once: one 16-byte access where the elements fill it.
#pragma once

#include <intent/device/device.cuh>

#include <stdint.h>

namespace intent {

// kCount neighbours that lie at a multiple of their common size.
template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Vector {
    T elements[kCount];
};

// How many elements of T fill a 16-byte access.
template <class T>
constexpr int kVectorElements = 16 / static_cast<int>(sizeof(T));

// True when `pointer` is a multiple of 16 bytes: what the accesses below need when their elements fill 16 bytes.
template <class T>
INTENT_HOST_DEVICE bool is_vector_aligned(const T* pointer) {
    return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

// Copies kCount neighbours at `source`, a multiple of their common size, to `elements`.
template <int kCount, class T>
__device__ __forceinline__ void load_vector(const T* source, T* elements) {
    const auto vector = *reinterpret_cast<const Vector<T, kCount>*>(source);
    #pragma unroll
    for (int i = 0; i < kCount; ++i) {
        elements[i] = vector.elements[i];
    }
}

// Copies `elements` to kCount neighbours at `destination`, a multiple of their common size.
template <int kCount, class T>
__device__ __forceinline__ void store_vector(T* destination, const T* elements) {
    Vector<T, kCount> vector;
    #pragma unroll
    for (int i = 0; i < kCount; ++i) {
        vector.elements[i] = elements[i];
    }
    *reinterpret_cast<Vector<T, kCount>*>(destination) = vector;
}

}  // namespace intent
