// Atomic accesses to global or shared memory, for every type that kernels store. The order holds for the whole device.
#pragma once

#include <intent/combine.hpp>
#include <intent/device/device.cuh>
#include <intent/order.hpp>

#include <string.h>
#include <type_traits>

namespace intent {

namespace detail {

// The unsigned integer of the size of T: what the machine exchanges.
template <class T>
using AtomicWord =
    std::conditional_t<sizeof(T) == 1, unsigned char,
                       std::conditional_t<sizeof(T) == 2, unsigned short,
                                          std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>>;

template <class T>
__device__ __forceinline__ AtomicWord<T> word_of(T value) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "an element of a kernel");
    AtomicWord<T> word;
    memcpy(&word, &value, sizeof word);
    return word;
}
template <class T>
__device__ __forceinline__ T value_of(AtomicWord<T> word) {
    T value;
    memcpy(&value, &word, sizeof value);
    return value;
}

// Writes `desired` where the word is `expected`; returns what it was. Devices exchange no single bytes: the four around
// one are exchanged until the others have stood still.
template <class Word>
__device__ __forceinline__ Word compare_and_swap(Word* address, Word expected, Word desired) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(Word) == 1) {
        const auto place = reinterpret_cast<unsigned long long>(address);
        unsigned* const four = reinterpret_cast<unsigned*>(place & ~3ull);
        const unsigned shift = 8u * static_cast<unsigned>(place & 3ull);
        const unsigned mask = 0xffu << shift;
        unsigned seen = *static_cast<volatile unsigned*>(four);
        for (;;) {
            const Word found = static_cast<Word>(seen >> shift & 0xffu);
            if (found != expected) {
                return found;
            }
            const unsigned before = seen;
            seen = atomicCAS(four, before, (before & ~mask) | static_cast<unsigned>(desired) << shift);
            if (seen == before) {
                return found;
            }
        }
    } else
#endif
    {
        return atomicCAS(address, expected, desired);
    }
}

// What the order asks of accesses before, and of those behind.
template <Order kOrder>
__device__ __forceinline__ void fence_before() {
    if constexpr (releases(kOrder)) {
        __threadfence();
    }
}
template <Order kOrder>
__device__ __forceinline__ void fence_behind() {
    if constexpr (acquires(kOrder)) {
        __threadfence();
    }
}

}  // namespace detail

// Writes `desired` where the element has the bits of `expected`.
template <Order kOrder, class T>
__device__ __forceinline__ Exchanged<T> atomic_compare_exchange(T* element, T expected, T desired) {
    using Word = detail::AtomicWord<T>;
    detail::fence_before<kOrder>();
    const Word wanted = detail::word_of(expected);
    const Word old = detail::compare_and_swap(reinterpret_cast<Word*>(element), wanted, detail::word_of(desired));
    detail::fence_behind<kOrder>();
    return {detail::value_of<T>(old), old == wanted};
}

// The element. Order: relaxed or acquire.
template <Order kOrder, class T>
__device__ __forceinline__ std::remove_const_t<T> atomic_load(T* element) {
    using Value = std::remove_const_t<T>;
    const Value none = detail::value_of<Value>(0);  // replaced by itself where it stands
    return atomic_compare_exchange<kOrder>(const_cast<Value*>(element), none, none).old_value;
}

// element = update(element), however often others come between; returns what it was.
template <Order kOrder, class T, class Update>
__device__ __forceinline__ T atomic_update(T* element, Update update) {
    using Word = detail::AtomicWord<T>;
    detail::fence_before<kOrder>();
    Word* const word = reinterpret_cast<Word*>(element);
    Word seen = detail::compare_and_swap(word, Word{0}, Word{0});  // reads: 0 is replaced by 0
    for (;;) {
        const Word expected = seen;
        const T next = static_cast<T>(update(detail::value_of<T>(expected)));
        seen = detail::compare_and_swap(word, expected, detail::word_of(next));
        if (seen == expected) {
            break;
        }
    }
    detail::fence_behind<kOrder>();
    return detail::value_of<T>(seen);
}

// Writes the element; returns what it was.
template <Order kOrder, class T>
__device__ __forceinline__ T atomic_exchange(T* element, T value) {
    using Word = detail::AtomicWord<T>;
    if constexpr (sizeof(T) < 4) {
        return atomic_update<kOrder>(element, [=](T) { return value; });
    } else {
        detail::fence_before<kOrder>();
        const Word old = atomicExch(reinterpret_cast<Word*>(element), detail::word_of(value));
        detail::fence_behind<kOrder>();
        return detail::value_of<T>(old);
    }
}

// Writes the element. Order: relaxed or release.
template <Order kOrder, class T>
__device__ __forceinline__ void atomic_store(T* element, T value) {
    atomic_exchange<kOrder>(element, value);
}

// Adds to the element; returns what it was. Integers wrap; 16-bit floats round each time.
template <Order kOrder, class T>
__device__ __forceinline__ T atomic_add(T* element, T value) {
    if constexpr (sizeof(T) < 4) {
        return atomic_update<kOrder>(element, [=](T old) { return Add{}(old, value); });
    } else {
        detail::fence_before<kOrder>();
        T old;
        if constexpr (std::is_integral_v<T>) {
            using Word = detail::AtomicWord<T>;
            old = static_cast<T>(atomicAdd(reinterpret_cast<Word*>(element), static_cast<Word>(value)));
        } else {
            old = atomicAdd(element, value);
        }
        detail::fence_behind<kOrder>();
        return old;
    }
}

// The larger, the smaller of the element and the value replaces it, NaN before all; returns what it was.
template <Order kOrder, class T>
__device__ __forceinline__ T atomic_max(T* element, T value) {
    return atomic_update<kOrder>(element, [=](T old) { return maximum(old, value); });
}
template <Order kOrder, class T>
__device__ __forceinline__ T atomic_min(T* element, T value) {
    return atomic_update<kOrder>(element, [=](T old) { return minimum(old, value); });
}

// The bits of the element and of the value, combined; returns what it was.
template <Order kOrder, class T>
__device__ __forceinline__ T atomic_and(T* element, T value) {
    return atomic_update<kOrder>(element, [=](T old) { return static_cast<T>(old & value); });
}
template <Order kOrder, class T>
__device__ __forceinline__ T atomic_or(T* element, T value) {
    return atomic_update<kOrder>(element, [=](T old) { return static_cast<T>(old | value); });
}
template <Order kOrder, class T>
__device__ __forceinline__ T atomic_xor(T* element, T value) {
    return atomic_update<kOrder>(element, [=](T old) { return static_cast<T>(old ^ value); });
}

}  // namespace intent
