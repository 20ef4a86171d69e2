// CUDA's atomic functions for the host compiler: really atomic, because blocks run on several threads.
#pragma once

#include <intent/sim/language.hpp>

#include <type_traits>

namespace intent::sim {

// Copies `bytes` (1, 2, 4 or 8) from `address` atomically, acquiring.
void atomic_load(const void* address, void* value, int bytes);

// The same for a first guess that no result depends on.
void peek(const void* address, void* value, int bytes);

// Writes `bytes` (1, 2, 4 or 8) to `address` atomically, releasing.
void atomic_store(void* address, const void* value, int bytes);

// True when `address` held `expected` and now holds `desired`; else `expected` becomes what it holds.
bool atomic_compare_exchange(void* address, void* expected, const void* desired, int bytes);

// Replaces the value at `address` by `update` of it; returns what was there before.
template <class T, class Update>
T atomic_update(T* address, Update update) {
    T before;
    peek(address, &before, sizeof(T));
    for (;;) {
        const T after = update(before);
        if (atomic_compare_exchange(address, &before, &after, sizeof(T))) {
            return before;
        }
    }
}

}  // namespace intent::sim

template <class T>
__forceinline__ T atomicAdd(T* address, std::type_identity_t<T> value) {
    return intent::sim::atomic_update(address, [=](T before) { return static_cast<T>(before + value); });
}
template <class T>
__forceinline__ T atomicSub(T* address, std::type_identity_t<T> value) {
    return intent::sim::atomic_update(address, [=](T before) { return static_cast<T>(before - value); });
}
template <class T>
__forceinline__ T atomicMin(T* address, std::type_identity_t<T> value) {
    return intent::sim::atomic_update(address, [=](T before) { return value < before ? value : before; });
}
template <class T>
__forceinline__ T atomicMax(T* address, std::type_identity_t<T> value) {
    return intent::sim::atomic_update(address, [=](T before) { return before < value ? value : before; });
}
template <class T>
__forceinline__ T atomicExch(T* address, std::type_identity_t<T> value) {
    return intent::sim::atomic_update(address, [=](T) { return value; });
}
template <class T>
__forceinline__ T atomicAnd(T* address, std::type_identity_t<T> value) {
    return intent::sim::atomic_update(address, [=](T before) { return static_cast<T>(before & value); });
}
template <class T>
__forceinline__ T atomicOr(T* address, std::type_identity_t<T> value) {
    return intent::sim::atomic_update(address, [=](T before) { return static_cast<T>(before | value); });
}
template <class T>
__forceinline__ T atomicXor(T* address, std::type_identity_t<T> value) {
    return intent::sim::atomic_update(address, [=](T before) { return static_cast<T>(before ^ value); });
}
template <class T>
__forceinline__ T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
    T seen = expected;
    intent::sim::atomic_compare_exchange(address, &seen, &value, sizeof(T));
    return seen;
}
