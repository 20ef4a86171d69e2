// erf and erfc. Single precision has no branches and is vectorised in loops.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/math/exponential.hpp>
#include <intent/numeric.hpp>

namespace intent {

// The error function; at most 2 ULP off, odd, never beyond 1.
INTENT_HOST_DEVICE float erf(float x) noexcept {
    const float a = x < 0 ? -x : x;
    const float s = x * x;

    // Near zero: x + x P(x^2).
    float inner = -5.96761703e-4f * s + 4.99119423e-3f;
    inner = inner * s - 2.67681349e-2f;
    inner = inner * s + 1.12819925e-1f;
    inner = inner * s - 3.76125336e-1f;
    inner = inner * s + 1.28379166e-1f;
    inner = inner * a + a;

    // Farther out: 1 - exp(Q(|x|)).
    const float even = -1.72853470e-5f * a + 3.83197126e-4f;
    const float odd = -3.88396438e-3f * a + 2.42546219e-2f;
    float outer = even * s + odd;
    outer = outer * a - 1.06777877e-1f;
    outer = outer * a - 6.34846687e-1f;
    outer = outer * a - 1.28717512e-1f;
    outer = outer * a - a;
    const float far = 1.0f - exp(outer);

    const float reached = a > 4.0f ? 1.0f : far;             // erf(4) rounds to 1; Q is not defined much beyond
    const float positive = a > 0.921875f ? reached : inner;  // NaN goes through `inner`
    return from_bits(to_bits(positive) | (to_bits(x) & 0x80000000u));
}

// 1 - erf(x) without cancellation; at most 1 ULP off, gradual underflow. Computed in double precision:
// erfc(a) = exp(-a^2) P((a - 4) / (a + 4)) / (1 + 2 a).
INTENT_HOST_DEVICE float erfc(float x) noexcept {
    const double a = static_cast<double>(x < 0 ? -x : x);
    const double bounded = a < 11.0 ? a : 11.0;  // erfc(11) is zero in f32
    const double v = (bounded - 4.0) / (bounded + 4.0);
    const double v2 = v * v;
    const double v4 = v2 * v2;
    const double c01 = -0x1.1df1af0168e08p-3 * v + 0x1.3ba5916f496dbp+0;
    const double c23 = 0x1.16edc4ab20ce4p-4 * v + 0x1.f7f59fe0bf538p-7;
    const double c45 = 0x1.7fe1f867d6652p-4 * v - 0x1.9dd9a0a1a0d06p-4;
    const double c67 = 0x1.30e73676b38b9p-5 * v - 0x1.0fcb83432b314p-4;
    const double c89 = 0x1.4b1e82154c732p-8 * v - 0x1.067f9092a1e3ep-6;
    const double cab = -0x1.4f638a5fb7560p-11 * v - 0x1.27e9eec53bc43p-10;
    const double p = ((cab * v2 + c89) * v4 + (c67 * v2 + c45)) * v4 + (c23 * v2 + c01);
    const double tail = exp(-bounded * bounded) * p / (1.0 + 2.0 * bounded);
    const float result = static_cast<float>(x < 0 ? 2.0 - tail : tail);
    return x != x ? x : result;
}

// The C library's functions.
INTENT_HOST_DEVICE double erf(double x) noexcept { return __builtin_erf(x); }
INTENT_HOST_DEVICE double erfc(double x) noexcept { return __builtin_erfc(x); }

}  // namespace intent
