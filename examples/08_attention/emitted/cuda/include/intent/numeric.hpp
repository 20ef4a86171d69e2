// Values that every number type has under one name, and the comparisons that say what happens to NaN.
#pragma once

#include <intent/config.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__has_builtin) && !defined(__CUDACC__)
#if __has_builtin(__builtin_assoc_barrier)
#define INTENT_HAS_ASSOC_BARRIER 1
#endif
#endif

namespace intent {

// The same bytes as another type of equal size.
template <class To, class From>
INTENT_HOST_DEVICE To bit_cast(const From& from) noexcept {
    static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

// The number whose bytes these are, the lowest one first, wherever they lie and however the host orders its own.
template <class To, class... Bytes>
INTENT_HOST_DEVICE To from_bytes(Bytes... bytes) noexcept {
    static_assert(sizeof(To) == sizeof...(Bytes) && sizeof(To) <= sizeof(std::uint64_t));
    using Word = std::conditional_t<sizeof(To) == 2, std::uint16_t,
                                    std::conditional_t<sizeof(To) == 4, std::uint32_t, std::uint64_t>>;
    using Register = std::conditional_t<(sizeof(To) > 4), std::uint64_t, std::uint32_t>;
    Register word = 0;
    int place = 0;
    ((word |= static_cast<Register>(static_cast<std::uint8_t>(bytes)) << place, place += 8), ...);
    return bit_cast<To>(static_cast<Word>(word));
}

// The special values of T, for the four functions below; the 16-bit and 8-bit floats specialise it. Computed without
// <limits>, whose functions device code may not call.
template <class T>
struct Limits {
    static INTENT_HOST_DEVICE constexpr T infinity() noexcept { return static_cast<T>(__builtin_huge_val()); }
    static INTENT_HOST_DEVICE constexpr T quiet_nan() noexcept { return static_cast<T>(__builtin_nan("")); }
    static INTENT_HOST_DEVICE constexpr T lowest() noexcept {
        if constexpr (std::is_floating_point_v<T>) {
            return -infinity();
        } else {
            return static_cast<T>(-highest() - 1);  // 0 for unsigned types
        }
    }
    static INTENT_HOST_DEVICE constexpr T highest() noexcept {
        if constexpr (std::is_floating_point_v<T>) {
            return infinity();
        } else {
            using Unsigned = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<Unsigned>(~Unsigned{0}) >> (std::is_signed_v<T> ? 1 : 0));
        }
    }
};

template <>
struct Limits<bool> {
    static INTENT_HOST_DEVICE constexpr bool lowest() noexcept { return false; }
    static INTENT_HOST_DEVICE constexpr bool highest() noexcept { return true; }
};

// +inf of a floating-point type.
template <class T>
INTENT_HOST_DEVICE constexpr T infinity() noexcept {
    return Limits<T>::infinity();
}

// A quiet NaN of a floating-point type.
template <class T>
INTENT_HOST_DEVICE constexpr T quiet_nan() noexcept {
    return Limits<T>::quiet_nan();
}

// The identity of `maximum`: -inf, the least integer, or false.
template <class T>
INTENT_HOST_DEVICE constexpr T lowest() noexcept {
    return Limits<T>::lowest();
}

// The identity of `minimum`: +inf, the largest integer, or true.
template <class T>
INTENT_HOST_DEVICE constexpr T highest() noexcept {
    return Limits<T>::highest();
}

// True for NaN; false for every value of a type that has none.
template <class T>
INTENT_HOST_DEVICE constexpr bool is_nan(T x) noexcept {
    return x != x;
}

// `if_true` or `if_false`; both are already computed, so loops with it stay branch-free.
template <class T>
INTENT_HOST_DEVICE constexpr T select(bool condition, T if_true, T if_false) noexcept {
    return condition ? if_true : if_false;
}

// The larger value; NaN when either is NaN. The inner select is what `maxps` computes.
template <class T>
INTENT_HOST_DEVICE constexpr T maximum(T a, T b) noexcept {
    return select(a != a, a, select(a > b, a, b));  // b when either is NaN
}

// The smaller value; NaN when either is NaN.
template <class T>
INTENT_HOST_DEVICE constexpr T minimum(T a, T b) noexcept {
    return select(a != a, a, select(a < b, a, b));
}

// The larger value; the other one when exactly one is NaN.
template <class T>
INTENT_HOST_DEVICE constexpr T maximum_num(T a, T b) noexcept {
    return select(b != b, a, select(a > b, a, b));
}

// The smaller value; the other one when exactly one is NaN.
template <class T>
INTENT_HOST_DEVICE constexpr T minimum_num(T a, T b) noexcept {
    return select(b != b, a, select(a < b, a, b));
}

// x itself: the operation that made it is not fused with the one that takes it. Loops around it are still vectorised.
template <class T>
INTENT_HOST_DEVICE T rounded(T x) noexcept {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 8) {
        asm("" : "+d"(x));
    } else if constexpr (sizeof(T) == 4) {
        asm("" : "+f"(x));
    }
#elif defined(INTENT_HAS_ASSOC_BARRIER)
    if constexpr (std::is_floating_point_v<T>) {
        x = __builtin_assoc_barrier(x);
    }
#else
    if constexpr (std::is_floating_point_v<T>) {
        using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
        Bits zero = 0;
        asm("" : "+r"(zero));  // a zero that the compiler does not know, made once before the loop
        x = bit_cast<T>(bit_cast<Bits>(x) ^ zero);
    }
#endif
    return x;
}

// The bits of x as an unsigned integer of its size.
INTENT_HOST_DEVICE std::uint32_t to_bits(float x) noexcept { return bit_cast<std::uint32_t>(x); }
INTENT_HOST_DEVICE std::uint64_t to_bits(double x) noexcept { return bit_cast<std::uint64_t>(x); }

// The floating-point number with these bits.
INTENT_HOST_DEVICE float from_bits(std::uint32_t bits) noexcept { return bit_cast<float>(bits); }
INTENT_HOST_DEVICE double from_bits(std::uint64_t bits) noexcept { return bit_cast<double>(bits); }

}  // namespace intent
