// 1 / sqrt(x) without branches.
#pragma once

#include <intent/config.hpp>
#include <intent/numeric.hpp>

namespace intent {

#if defined(__AVX512F__)

namespace detail {

// 1 / root for a square root below infinity. With 512 bits a division takes as long as all else and would wait for the
// unit that has just taken the root. The guess from the bits is at most 5 % off; a step of second order and one of third
// leave 2^-28, if the last residual is exact. Zeros overflow on their way and become the infinities of their sign.
INTENT_HOST_DEVICE float reciprocal_of_root(float root) noexcept {
    constexpr std::uint32_t kNegated = 0x7ef31032u;  // minus the exponent; the guess is as often too large as too small
    constexpr float kMiddle = 1.0013f;               // not 1: so is what comes of it
    const float guess = from_bits(kNegated - to_bits(root));
    const float closer = guess + guess * (kMiddle - root * guess);
    const float residual = __builtin_fmaf(-root, closer, 1.0f);
    return closer + closer * (residual * residual + residual);
}

}  // namespace detail

// 1 / sqrt(x); at most 1.6 ULP off: the root is rounded too. At a zero the infinity of its sign, NaN below.
INTENT_HOST_DEVICE float rsqrt(float x) noexcept {
    const float y = detail::reciprocal_of_root(__builtin_sqrtf(x));
    return x == infinity<float>() ? 0.0f : y;
}

#else

// 1 / sqrt(x); at most 1.5 ULP off: the root is rounded too. At a zero the infinity of its sign, NaN below.
INTENT_HOST_DEVICE float rsqrt(float x) noexcept { return 1.0f / __builtin_sqrtf(x); }

#endif

INTENT_HOST_DEVICE double rsqrt(double x) noexcept { return 1.0 / __builtin_sqrt(x); }

}  // namespace intent
