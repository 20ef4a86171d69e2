// IEEE half precision and bfloat16 as storage types: two bytes, arithmetic in f32, one rounding to nearest even.
//
// The conversions are branch-free bit code that compilers vectorise; device code uses the instructions of the GPU.
#pragma once

#include <intent/config.hpp>
#include <intent/numeric.hpp>

#include <type_traits>

namespace intent {

namespace detail {

// The float nearest to x toward zero, with its last bit set when x lies beyond it: rounding that to a narrower type
// rounds x itself, exactly once.
INTENT_HOST_DEVICE float round_to_odd(double x) noexcept {
    const float nearest = static_cast<float>(x);
    const double back = static_cast<double>(nearest);
    const bool inexact = back != x && x == x;
    const bool beyond = (back < 0 ? -back : back) > (x < 0 ? -x : x);
    const std::uint32_t toward_zero = to_bits(nearest) - (inexact && beyond ? 1u : 0u);
    return from_bits(toward_zero | (inexact ? 1u : 0u));
}

// The double that keeps an integer exactly, or with its last bit set when more than 53 bits are in use.
template <class Integer>
INTENT_HOST_DEVICE double integer_to_odd(Integer x) noexcept {
    if constexpr (sizeof(Integer) < 8) {
        return static_cast<double>(x);
    } else {
        constexpr Integer kExact = Integer{1} << 53;
        const bool exact = x <= kExact && (std::is_unsigned_v<Integer> || x >= static_cast<Integer>(-kExact));
        const Integer shifted = static_cast<Integer>((x >> 11) | ((x & 0x7ff) != 0 ? 1 : 0));
        return exact ? static_cast<double>(x) : static_cast<double>(shifted) * 2048.0;
    }
}

INTENT_HOST_DEVICE std::uint16_t half_from_float(float x) noexcept {
#if defined(__CUDA_ARCH__)
    std::uint16_t half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
    return half;
#else
    // The addition rounds: beside a number whose last bit is that of the result, the bits below it are lost, to nearest
    // even. The first product sends what is too large to infinity, the second undoes the rest of it.
    const std::uint32_t doubled = to_bits(x) << 1;  // without the sign
    const std::uint32_t sign = to_bits(x) & 0x80000000u;
    const float scaled = from_bits(doubled >> 1) * 0x1p+112f * 0x1p-110f;
    const std::uint32_t exponent = doubled & 0xff000000u;
    const std::uint32_t bounded = exponent > 0x71000000u ? exponent : 0x71000000u;  // that of the smallest normal half
    const std::uint32_t rounded = to_bits(from_bits((bounded >> 1) + 0x07800000u) + scaled);
    const std::uint32_t half = ((rounded >> 13) & 0x7c00u) + (rounded & 0x0fffu);
    return static_cast<std::uint16_t>((doubled > 0xff000000u ? 0x7e00u : half) | (sign >> 16));
#endif
}

INTENT_HOST_DEVICE float float_from_half(std::uint16_t half) noexcept {
#if defined(__CUDA_ARCH__)
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(half));
    return x;
#else
    const std::uint32_t bits = half;
    const std::uint32_t magnitude = (bits & 0x7fffu) << 13;
    const std::uint32_t normal = magnitude + (112u << 23);
    // One more step of the bias makes the missing leading bit of a subnormal explicit; the subtraction removes it.
    const std::uint32_t subnormal = to_bits(from_bits(magnitude + (113u << 23)) - 0x1p-14f);
    const std::uint32_t special = magnitude | (255u << 23) | (magnitude > (31u << 23) ? 1u << 22 : 0u);  // quiet NaN
    const std::uint32_t finite = magnitude < (1u << 23) ? subnormal : normal;
    return from_bits((magnitude >= (31u << 23) ? special : finite) | ((bits & 0x8000u) << 16));
#endif
}

INTENT_HOST_DEVICE std::uint16_t bfloat_from_float(float x) noexcept {
    const std::uint32_t bits = to_bits(x);
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const std::uint32_t nan = (bits >> 16) | 0x40u;
    return static_cast<std::uint16_t>((bits & 0x7fffffffu) > (255u << 23) ? nan : rounded);
}

INTENT_HOST_DEVICE float float_from_bfloat(std::uint16_t bits) noexcept {
    return from_bits(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace detail

// Half precision: 5 bits of exponent, 10 of significand.
struct f16 {
    std::uint16_t bits;

    f16() = default;
    INTENT_HOST_DEVICE explicit f16(float x) noexcept : bits(detail::half_from_float(x)) {}
    INTENT_HOST_DEVICE explicit f16(double x) noexcept : bits(detail::half_from_float(detail::round_to_odd(x))) {}
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
    INTENT_HOST_DEVICE explicit f16(Integer x) noexcept : f16(detail::integer_to_odd(x)) {}

    INTENT_HOST_DEVICE operator float() const noexcept { return detail::float_from_half(bits); }
};

// bfloat16: the upper half of a float.
struct bf16 {
    std::uint16_t bits;

    bf16() = default;
    INTENT_HOST_DEVICE explicit bf16(float x) noexcept : bits(detail::bfloat_from_float(x)) {}
    INTENT_HOST_DEVICE explicit bf16(double x) noexcept : bits(detail::bfloat_from_float(detail::round_to_odd(x))) {}
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
    INTENT_HOST_DEVICE explicit bf16(Integer x) noexcept : bf16(detail::integer_to_odd(x)) {}

    INTENT_HOST_DEVICE operator float() const noexcept { return detail::float_from_bfloat(bits); }
};

// True for the 16-bit storage types, whose functions are computed in f32.
template <class T>
constexpr bool kIsFloat16 = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

template <class T>
using IfFloat16 = std::enable_if_t<kIsFloat16<T>, T>;

// Arithmetic: in f32, rounded once to the storage type. Comparisons convert to f32, exactly.
template <class T>
INTENT_HOST_DEVICE IfFloat16<T> operator+(T a, T b) noexcept {
    return T(static_cast<float>(a) + static_cast<float>(b));
}
template <class T>
INTENT_HOST_DEVICE IfFloat16<T> operator-(T a, T b) noexcept {
    return T(static_cast<float>(a) - static_cast<float>(b));
}
template <class T>
INTENT_HOST_DEVICE IfFloat16<T> operator*(T a, T b) noexcept {
    return T(static_cast<float>(a) * static_cast<float>(b));
}
template <class T>
INTENT_HOST_DEVICE IfFloat16<T> operator/(T a, T b) noexcept {
    return T(static_cast<float>(a) / static_cast<float>(b));
}
template <class T>
INTENT_HOST_DEVICE IfFloat16<T> operator-(T a) noexcept {
    return bit_cast<T>(static_cast<std::uint16_t>(a.bits ^ 0x8000u));
}
template <class T>
INTENT_HOST_DEVICE IfFloat16<T>& operator+=(T& a, T b) noexcept {
    return a = a + b;
}
template <class T>
INTENT_HOST_DEVICE IfFloat16<T>& operator-=(T& a, T b) noexcept {
    return a = a - b;
}
template <class T>
INTENT_HOST_DEVICE IfFloat16<T>& operator*=(T& a, T b) noexcept {
    return a = a * b;
}
template <class T>
INTENT_HOST_DEVICE IfFloat16<T>& operator/=(T& a, T b) noexcept {
    return a = a / b;
}

// Selects the bits: a select of objects would be one of addresses, which no compiler vectorises.
INTENT_HOST_DEVICE f16 select(bool condition, f16 if_true, f16 if_false) noexcept {
    return bit_cast<f16>(condition ? if_true.bits : if_false.bits);
}
INTENT_HOST_DEVICE bf16 select(bool condition, bf16 if_true, bf16 if_false) noexcept {
    return bit_cast<bf16>(condition ? if_true.bits : if_false.bits);
}

namespace detail {

template <class T, std::uint16_t kInfinityBits, std::uint16_t kNanBits>
struct Limits16 {
    static INTENT_HOST_DEVICE T infinity() noexcept { return bit_cast<T>(kInfinityBits); }
    static INTENT_HOST_DEVICE T quiet_nan() noexcept { return bit_cast<T>(kNanBits); }
    static INTENT_HOST_DEVICE T lowest() noexcept { return -infinity(); }
    static INTENT_HOST_DEVICE T highest() noexcept { return infinity(); }
};

}  // namespace detail

template <>
struct Limits<f16> : detail::Limits16<f16, 0x7c00, 0x7e00> {};

template <>
struct Limits<bf16> : detail::Limits16<bf16, 0x7f80, 0x7fc0> {};

}  // namespace intent
