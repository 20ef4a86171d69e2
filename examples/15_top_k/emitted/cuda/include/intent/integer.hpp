// Integer arithmetic with one meaning on every target: floor division, two's complement, no undefined overflow.
#pragma once

#include <intent/config.hpp>

#include <type_traits>

namespace intent {

namespace detail {

// Unsigned and at least as wide as int: narrower types would be promoted to int, whose overflow is undefined.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;

template <class T>
INTENT_HOST_DEVICE constexpr Wrapping<T> wrapping(T x) noexcept {
    return static_cast<Wrapping<T>>(x);
}

}  // namespace detail

// a + b modulo 2^bits.
template <class T>
INTENT_HOST_DEVICE constexpr T wrap_add(T a, T b) noexcept {
    return static_cast<T>(detail::wrapping(a) + detail::wrapping(b));
}

// a - b modulo 2^bits.
template <class T>
INTENT_HOST_DEVICE constexpr T wrap_sub(T a, T b) noexcept {
    return static_cast<T>(detail::wrapping(a) - detail::wrapping(b));
}

// a * b modulo 2^bits.
template <class T>
INTENT_HOST_DEVICE constexpr T wrap_mul(T a, T b) noexcept {
    return static_cast<T>(detail::wrapping(a) * detail::wrapping(b));
}

// -a modulo 2^bits: the minimum is its own negative.
template <class T>
INTENT_HOST_DEVICE constexpr T wrap_neg(T a) noexcept {
    return static_cast<T>(detail::wrapping(T{0}) - detail::wrapping(a));
}

// |a| modulo 2^bits: the minimum is its own absolute value.
template <class T>
INTENT_HOST_DEVICE constexpr T wrap_abs(T a) noexcept {
    if constexpr (std::is_unsigned_v<T>) {
        return a;
    } else {
        return a < T{0} ? wrap_neg(a) : a;
    }
}

// The largest integer not above a / b. A divisor of zero gives 0; minimum / -1 wraps to the minimum: neither traps.
template <class T>
INTENT_HOST_DEVICE constexpr T floor_div(T a, T b) noexcept {
    if (b == T{0}) {
        return T{0};
    }
    if constexpr (std::is_unsigned_v<T>) {
        return static_cast<T>(a / b);
    } else {
        if (b == T{-1}) {
            return wrap_neg(a);
        }
        const bool toward_zero_is_above = a % b != 0 && (a < 0) != (b < 0);
        return static_cast<T>(a / b - (toward_zero_is_above ? 1 : 0));
    }
}

// a - floor_div(a, b) * b: zero or of the divisor's sign. A divisor of zero gives 0.
template <class T>
INTENT_HOST_DEVICE constexpr T floor_mod(T a, T b) noexcept {
    if (b == T{0}) {
        return T{0};
    }
    if constexpr (std::is_unsigned_v<T>) {
        return static_cast<T>(a % b);
    } else {
        if (b == T{-1}) {
            return T{0};
        }
        const T remainder = static_cast<T>(a % b);
        return remainder != 0 && (remainder < 0) != (b < 0) ? static_cast<T>(remainder + b) : remainder;
    }
}

// The smallest integer not below a / b, for b > 0 and any a: the number of blocks of b that cover a.
template <class T>
INTENT_HOST_DEVICE constexpr T ceil_div(T a, T b) noexcept {
    return static_cast<T>(a / b + (a % b > 0 ? 1 : 0));
}

// a * 2^amount modulo 2^bits, 0 <= amount < bits.
template <class T, class Amount>
INTENT_HOST_DEVICE constexpr T shift_left(T a, Amount amount) noexcept {
    return static_cast<T>(detail::wrapping(a) << amount);
}

// floor(a / 2^amount), 0 <= amount < bits: keeps the sign of signed types.
template <class T, class Amount>
INTENT_HOST_DEVICE constexpr T shift_right(T a, Amount amount) noexcept {
    return static_cast<T>(a >> amount);
}

}  // namespace intent
