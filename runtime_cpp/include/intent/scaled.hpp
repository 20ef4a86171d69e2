// The encodings of scaled operands: four-bit numbers, two a byte, and powers of two in a byte.
#pragma once

#include <intent/config.hpp>
#include <intent/float8.hpp>
#include <intent/numeric.hpp>

namespace intent {

// The number of an E2M1 code, the low four bits of `code`: 0, 0.5, 1, 1.5, 2, 3, 4 or 6, bit 3 is the sign.
INTENT_HOST_DEVICE float float_from_e2m1(std::uint32_t code) noexcept {
    const float magnitude = detail::small_float_value<1, 0>(code & 7u);
    return from_bits(to_bits(magnitude) | (code & 8u) << 28);
}

// Member `place` (0: the low half, 1: the high one) of a byte of two E2M1 codes.
INTENT_HOST_DEVICE float float_from_e2m1_pair(std::uint8_t pair, index_t place) noexcept {
    return float_from_e2m1(static_cast<std::uint32_t>(pair) >> (4 * static_cast<std::uint32_t>(place)));
}

// The E2M1 code of the number nearest to x, ties to even. Beyond 6, and for NaN, that of 6 with the sign of x.
INTENT_HOST_DEVICE std::uint8_t e2m1_from_float(float x) noexcept {
    const std::uint32_t bits = to_bits(x);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t bounded = magnitude < to_bits(6.0f) ? magnitude : to_bits(6.0f);
    return static_cast<std::uint8_t>(detail::small_float_magnitude<1, 0>(from_bits(bounded)) | (bits >> 28 & 8u));
}

// The scale of an E8M0 code: 2^(code - 127), NaN for 255.
INTENT_HOST_DEVICE float float_from_e8m0(std::uint8_t code) noexcept {
    const std::uint32_t exponent = static_cast<std::uint32_t>(code);
    const std::uint32_t normal = exponent << 23;
    const std::uint32_t finite = exponent == 0 ? 0x00400000u : normal;  // 2^-127 is subnormal
    return from_bits(exponent == 255 ? 0x7fc00000u : finite);
}

// The E8M0 code of the largest power of two not above |x|, at least 2^-127; 255 for infinity and NaN.
INTENT_HOST_DEVICE std::uint8_t e8m0_from_float(float x) noexcept {
    return static_cast<std::uint8_t>(to_bits(x) >> 23 & 255u);
}

}  // namespace intent
