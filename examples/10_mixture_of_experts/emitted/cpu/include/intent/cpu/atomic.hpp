// Indivisible accesses to plain memory, for every element type of the language, with the order that the author states.
//
// C++17 has atomics only as objects of their own; the builtins of GCC and Clang act on elements of arrays.
#pragma once

#include <intent/combine.hpp>
#include <intent/config.hpp>
#include <intent/float16.hpp>
#include <intent/numeric.hpp>
#include <intent/order.hpp>

#include <type_traits>

namespace intent {

namespace detail {

// The unsigned integer of the size of T: what the machine exchanges.
template <class T>
using AtomicWord =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

// The element's memory as that integer.
template <class T>
struct WordAt {
    typedef AtomicWord<T> Type __attribute__((may_alias));
};
template <class T>
typename WordAt<T>::Type* word_at(T* element) noexcept {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0);
    return reinterpret_cast<typename WordAt<T>::Type*>(element);
}

// The order as the builtins name it.
constexpr int memory_order(Order order) noexcept {
    if (acquires(order)) {
        return releases(order) ? __ATOMIC_ACQ_REL : __ATOMIC_ACQUIRE;
    }
    return releases(order) ? __ATOMIC_RELEASE : __ATOMIC_RELAXED;
}

// The order of the load inside `order`: what a compare_exchange has when it fails.
constexpr int load_order(Order order) noexcept {
    return acquires(order) ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
}

}  // namespace detail

// The element. Order: relaxed or acquire.
template <Order kOrder, class T>
std::remove_const_t<T> atomic_load(T* element) noexcept {
    static_assert(kOrder == Order::kRelaxed || kOrder == Order::kAcquire);
    using Value = std::remove_const_t<T>;
    return bit_cast<Value>(__atomic_load_n(detail::word_at(const_cast<Value*>(element)), detail::memory_order(kOrder)));
}

// Writes the element. Order: relaxed or release.
template <Order kOrder, class T>
void atomic_store(T* element, T value) noexcept {
    static_assert(kOrder == Order::kRelaxed || kOrder == Order::kRelease);
    __atomic_store_n(detail::word_at(element), bit_cast<detail::AtomicWord<T>>(value), detail::memory_order(kOrder));
}

// Writes the element; returns what it was.
template <Order kOrder, class T>
T atomic_exchange(T* element, T value) noexcept {
    return bit_cast<T>(__atomic_exchange_n(detail::word_at(element), bit_cast<detail::AtomicWord<T>>(value),
                                           detail::memory_order(kOrder)));
}

// Writes `desired` where the element has the bits of `expected`. A failure orders as the load that is part of the
// order.
template <Order kOrder, class T>
Exchanged<T> atomic_compare_exchange(T* element, T expected, T desired) noexcept {
    using Word = detail::AtomicWord<T>;
    Word old = bit_cast<Word>(expected);
    const bool success = __atomic_compare_exchange_n(detail::word_at(element), &old, bit_cast<Word>(desired), false,
                                                     detail::memory_order(kOrder), detail::load_order(kOrder));
    return {bit_cast<T>(old), success};
}

// element = update(element), in one step whatever other threads do; returns what it was. `update` may be called several
// times. Nothing is written where that changes and orders nothing.
template <Order kOrder, class T, class Update>
T atomic_update(T* element, Update update) noexcept {
    using Word = detail::AtomicWord<T>;
    auto* const word = detail::word_at(element);
    Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
        const Word wanted = bit_cast<Word>(static_cast<T>(update(bit_cast<T>(old))));
        if ((kOrder == Order::kRelaxed && wanted == old) ||
            __atomic_compare_exchange_n(word, &old, wanted, true, detail::memory_order(kOrder),
                                        detail::load_order(kOrder))) {
            return bit_cast<T>(old);
        }
    }
}

// Adds to the element; returns what it was. Integers wrap, f16 and bf16 are rounded once.
template <Order kOrder, class T>
T atomic_add(T* element, T value) noexcept {
    if constexpr (std::is_integral_v<T>) {
        return bit_cast<T>(__atomic_fetch_add(detail::word_at(element), bit_cast<detail::AtomicWord<T>>(value),
                                              detail::memory_order(kOrder)));
    } else {
        return atomic_update<kOrder>(element, [=](T old) { return Add{}(old, value); });
    }
}

// The larger, the smaller of the element and the value replaces it, NaN before all; returns what it was.
template <Order kOrder, class T>
T atomic_max(T* element, T value) noexcept {
    return atomic_update<kOrder>(element, [=](T old) { return maximum(old, value); });
}
template <Order kOrder, class T>
T atomic_min(T* element, T value) noexcept {
    return atomic_update<kOrder>(element, [=](T old) { return minimum(old, value); });
}

// The bits of the element and of the value, combined; returns what it was.
template <Order kOrder, class T>
T atomic_and(T* element, T value) noexcept {
    static_assert(std::is_integral_v<T>);
    return bit_cast<T>(
        __atomic_fetch_and(detail::word_at(element), bit_cast<detail::AtomicWord<T>>(value), detail::memory_order(kOrder)));
}
template <Order kOrder, class T>
T atomic_or(T* element, T value) noexcept {
    static_assert(std::is_integral_v<T>);
    return bit_cast<T>(
        __atomic_fetch_or(detail::word_at(element), bit_cast<detail::AtomicWord<T>>(value), detail::memory_order(kOrder)));
}
template <Order kOrder, class T>
T atomic_xor(T* element, T value) noexcept {
    static_assert(std::is_integral_v<T>);
    return bit_cast<T>(
        __atomic_fetch_xor(detail::word_at(element), bit_cast<detail::AtomicWord<T>>(value), detail::memory_order(kOrder)));
}

}  // namespace intent
