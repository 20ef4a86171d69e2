// The two 8-bit floats of machine learning as storage types: convert to float, compute there, convert back once.
#pragma once

#include <intent/config.hpp>
#include <intent/float16.hpp>
#include <intent/numeric.hpp>

#include <type_traits>

namespace intent {

namespace detail {

// x rounded to nearest even as sign, exponent and `kSignificand` bits with the smallest normal exponent `kMinExponent`;
// infinity and overflow are the caller's business. The result counts units of the smallest subnormal's format.
template <int kSignificand, int kMinExponent>
INTENT_HOST_DEVICE std::uint32_t small_float_magnitude(float magnitude) noexcept {
    constexpr int kShift = 23 - kSignificand;
    constexpr std::uint32_t kBias = static_cast<std::uint32_t>(127 + kMinExponent - 1) << 23;
    const std::uint32_t bits = to_bits(magnitude);
    const std::uint32_t normal = (bits + ((1u << (kShift - 1)) - 1u) + ((bits >> kShift) & 1u) - kBias) >> kShift;
    // Adding 2^(kMinExponent + kShift) leaves the subnormal's bits, rounded, at the end of the significand.
    constexpr std::uint32_t kMagic = static_cast<std::uint32_t>(127 + kMinExponent + kShift) << 23;
    const std::uint32_t subnormal = to_bits(magnitude + from_bits(kMagic)) - kMagic;
    return bits < kBias + (1u << 23) ? subnormal : normal;
}

// The float with these exponent and significand bits, all finite.
template <int kSignificand, int kMinExponent>
INTENT_HOST_DEVICE float small_float_value(std::uint32_t magnitude) noexcept {
    constexpr std::uint32_t kBias = static_cast<std::uint32_t>(127 + kMinExponent - 1) << 23;
    const std::uint32_t shifted = magnitude << (23 - kSignificand);
    const float subnormal = from_bits(shifted + kBias + (1u << 23)) - from_bits(kBias + (1u << 23));
    return shifted < (1u << 23) ? subnormal : from_bits(shifted + kBias);
}

INTENT_HOST_DEVICE std::uint8_t e4m3fn_from_float(float x) noexcept {
    const std::uint32_t bits = to_bits(x);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t rounded = small_float_magnitude<3, -6>(from_bits(magnitude));
    const bool beyond = magnitude > to_bits(464.0f);  // halfway between 448 and the next step; ties go to the even 448
    return static_cast<std::uint8_t>((beyond ? 0x7fu : rounded) | ((bits >> 24) & 0x80u));
}

INTENT_HOST_DEVICE std::uint8_t e5m2_from_float(float x) noexcept {
    const std::uint32_t bits = to_bits(x);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t rounded = small_float_magnitude<2, -14>(from_bits(magnitude));
    const std::uint32_t bounded = magnitude >= to_bits(61440.0f) ? 0x7cu : rounded;
    return static_cast<std::uint8_t>((magnitude > (255u << 23) ? 0x7eu : bounded) | ((bits >> 24) & 0x80u));
}

INTENT_HOST_DEVICE float float_from_e4m3fn(std::uint8_t bits) noexcept {
    const std::uint32_t magnitude = bits & 0x7fu;
    const float value = magnitude == 0x7fu ? quiet_nan<float>() : small_float_value<3, -6>(magnitude);
    return from_bits(to_bits(value) | (static_cast<std::uint32_t>(bits & 0x80u) << 24));
}

INTENT_HOST_DEVICE float float_from_e5m2(std::uint8_t bits) noexcept {
    const std::uint32_t magnitude = bits & 0x7fu;
    const float special = magnitude == 0x7cu ? infinity<float>() : quiet_nan<float>();
    const float value = magnitude >= 0x7cu ? special : small_float_value<2, -14>(magnitude);
    return from_bits(to_bits(value) | (static_cast<std::uint32_t>(bits & 0x80u) << 24));
}

}  // namespace detail

// 4 bits of exponent, 3 of significand, no infinity: overflow and NaN become the one NaN. Largest value 448.
struct f8e4m3fn {
    std::uint8_t bits;

    f8e4m3fn() = default;
    INTENT_HOST_DEVICE explicit f8e4m3fn(float x) noexcept : bits(detail::e4m3fn_from_float(x)) {}
    INTENT_HOST_DEVICE explicit f8e4m3fn(double x) noexcept : f8e4m3fn(detail::round_to_odd(x)) {}
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
    INTENT_HOST_DEVICE explicit f8e4m3fn(Integer x) noexcept : f8e4m3fn(detail::integer_to_odd(x)) {}

    INTENT_HOST_DEVICE operator float() const noexcept { return detail::float_from_e4m3fn(bits); }
};

// 5 bits of exponent, 2 of significand, with infinities: the upper byte of f16.
struct f8e5m2 {
    std::uint8_t bits;

    f8e5m2() = default;
    INTENT_HOST_DEVICE explicit f8e5m2(float x) noexcept : bits(detail::e5m2_from_float(x)) {}
    INTENT_HOST_DEVICE explicit f8e5m2(double x) noexcept : f8e5m2(detail::round_to_odd(x)) {}
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
    INTENT_HOST_DEVICE explicit f8e5m2(Integer x) noexcept : f8e5m2(detail::integer_to_odd(x)) {}

    INTENT_HOST_DEVICE operator float() const noexcept { return detail::float_from_e5m2(bits); }
};

template <>
struct Limits<f8e4m3fn> {
    static INTENT_HOST_DEVICE f8e4m3fn quiet_nan() noexcept { return bit_cast<f8e4m3fn>(std::uint8_t{0x7f}); }
    static INTENT_HOST_DEVICE f8e4m3fn lowest() noexcept { return bit_cast<f8e4m3fn>(std::uint8_t{0xfe}); }
    static INTENT_HOST_DEVICE f8e4m3fn highest() noexcept { return bit_cast<f8e4m3fn>(std::uint8_t{0x7e}); }
};

template <>
struct Limits<f8e5m2> {
    static INTENT_HOST_DEVICE f8e5m2 infinity() noexcept { return bit_cast<f8e5m2>(std::uint8_t{0x7c}); }
    static INTENT_HOST_DEVICE f8e5m2 quiet_nan() noexcept { return bit_cast<f8e5m2>(std::uint8_t{0x7e}); }
    static INTENT_HOST_DEVICE f8e5m2 lowest() noexcept { return bit_cast<f8e5m2>(std::uint8_t{0xfc}); }
    static INTENT_HOST_DEVICE f8e5m2 highest() noexcept { return infinity(); }
};

}  // namespace intent
