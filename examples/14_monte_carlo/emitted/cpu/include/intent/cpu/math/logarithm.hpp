// log, log1p and pow without branches. Single-precision log1p and pow are computed in double precision.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/math/exponential.hpp>
#include <intent/numeric.hpp>

namespace intent {

namespace detail {

// x = 2^exponent * significand with the significand between sqrt(1/2) and sqrt(2), for positive normal x.
struct Decomposed {
    double exponent;
    double significand;
};

INTENT_HOST_DEVICE Decomposed decompose(double x) noexcept {
    constexpr std::uint64_t kOne = 0x3ff0000000000000u;
    constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdu;
    const std::uint64_t shifted = to_bits(x) + (kOne - kSqrtHalf);
    // The biased exponent becomes a double through the significand of 2^52: AVX2 cannot convert 64-bit integers.
    const double biased = from_bits((shifted >> 52) | 0x4330000000000000u);
    return {biased - (0x1p+52 + 1023.0), from_bits((shifted & 0x000fffffffffffffu) + kSqrtHalf)};
}

// log(1 + f) for sqrt(1/2) - 1 <= f <= sqrt(2) - 1, relative error 2^-45.
INTENT_HOST_DEVICE double log1p_reduced(double f) noexcept {
    const double s = f / (2.0 + f);
    const double t = s * s;
    const double t2 = t * t;
    const double low = 0x1.999996aa6e171p-2 * t + 0x1.555555561dc85p-1;
    const double high = 0x1.91140976b31a1p-3 * t2 + (0x1.c62b3396aecc8p-3 * t + 0x1.24941182c7089p-2);
    return 2.0 * s + s * t * (high * t2 + low);
}

// log(2^exponent * (1 + f) + correction) to about 1 ULP; the scheme and the constants of FreeBSD's e_log.c.
INTENT_HOST_DEVICE double log_assembled(double exponent, double f, double correction) noexcept {
    constexpr double kLn2High = 6.93147180369123816490e-01;
    constexpr double kLn2Low = 1.90821492927058770002e-10;
    const double half_square = 0.5 * f * f;
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double w = z * z;
    const double even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd =
        z * (6.666666666666735130e-01 +
             w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    const double tail = s * (half_square + (even + odd)) + (exponent * kLn2Low + correction);
    return exponent * kLn2High - ((half_square - tail) - f);
}

// Puts the values at the ends of the domain right: `result` where zero < x < inf, with `zero` the pole.
template <class T>
INTENT_HOST_DEVICE T log_specials(T x, T zero, T result) noexcept {
    const T at_pole = x == zero ? -infinity<T>() : quiet_nan<T>();
    const T below = x > zero ? result : at_pole;
    return x < infinity<T>() ? below : x;  // inf and NaN
}

}  // namespace detail

// Natural logarithm; at most 1 ULP off. -inf at 0, NaN below.
INTENT_HOST_DEVICE float log(float x) noexcept {
    constexpr std::uint32_t kSqrtHalf = 0x3f3504f3u;
    const bool subnormal = x < 0x1p-126f;
    const std::uint32_t shifted = to_bits(subnormal ? x * 0x1p+23f : x) - kSqrtHalf;
    const float exponent = static_cast<float>(static_cast<std::int32_t>(shifted) >> 23) - (subnormal ? 23.0f : 0.0f);
    const float f = from_bits((shifted & 0x007fffffu) + kSqrtHalf) - 1.0f;
    const float f2 = f * f;
    const float c01 = -0x1.ffffeep-3f * f + 0x1.555546p-2f;
    const float c23 = -0x1.5562b4p-3f * f + 0x1.99a4dap-3f;
    const float c45 = -0x1.fb4ffap-4f * f + 0x1.2339dep-3f;
    const float c67 = -0x1.e28948p-4f * f + 0x1.e5ff00p-4f;
    const float high = (0x1.1b7bd2p-4f * f2 + c67) * f2 + c45;
    const float p = (high * f2 + c23) * f2 + c01;
    const float tail = f * (f2 * p) + exponent * 0x1.7f7d1cp-20f;
    const float result = exponent * 0x1.62e400p-1f + (f - (0.5f * f2 - tail));
    return detail::log_specials(x, 0.0f, result);
}

INTENT_HOST_DEVICE double log(double x) noexcept {
    const bool subnormal = x < 0x1p-1022;
    const detail::Decomposed parts = detail::decompose(subnormal ? x * 0x1p+54 : x);
    const double exponent = parts.exponent - (subnormal ? 54.0 : 0.0);
    return detail::log_specials(x, 0.0, detail::log_assembled(exponent, parts.significand - 1.0, 0.0));
}

// log(1 + x); at most 1 ULP off, also near 0. -inf at -1, NaN below.
INTENT_HOST_DEVICE float log1p(float x) noexcept {
    const double wide = static_cast<double>(x);
    const detail::Decomposed parts = detail::decompose(1.0 + wide);
    const double f = parts.exponent == 0.0 ? wide : parts.significand - 1.0;
    const double result = parts.exponent * detail::ExpTraits<double>::kLn2 + detail::log1p_reduced(f);
    return x == 0.0f ? x : detail::log_specials(x, -1.0f, static_cast<float>(result));  // keeps the sign of zero
}

INTENT_HOST_DEVICE double log1p(double x) noexcept {
    const double u = 1.0 + x;
    const detail::Decomposed parts = detail::decompose(u);
    const bool near_one = parts.exponent == 0.0;
    const double rounding = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);  // what 1 + x lost
    const double result =
        detail::log_assembled(parts.exponent, near_one ? x : parts.significand - 1.0, near_one ? 0.0 : rounding / u);
    return x == 0.0 ? x : detail::log_specials(x, -1.0, result);
}

// x^y with the special values of C's pow; at most 1 ULP off.
INTENT_HOST_DEVICE float pow(float x, float y) noexcept {
    const float magnitude = x < 0 ? -x : x;
    const detail::Decomposed parts = detail::decompose(static_cast<double>(magnitude));
    constexpr double kLog2E = detail::ExpTraits<double>::kLog2E;
    const double log2_inside = parts.exponent + kLog2E * detail::log1p_reduced(parts.significand - 1.0);
    const double log2_or_pole = magnitude == 0.0f ? -infinity<double>() : log2_inside;
    const double log2 = magnitude == infinity<float>() ? infinity<double>() : log2_or_pole;
    const double exact = static_cast<double>(y) * log2;
    const double above = exact > -200.0 ? exact : -200.0;  // also NaN; 2^-200 and 2^200 are 0 and inf in f32
    const double t = above < 200.0 ? above : 200.0;

    const double shifted = t + (0x1.8p+52 + 1023.0);
    const double r = (t - (shifted - (0x1.8p+52 + 1023.0))) * detail::ExpTraits<double>::kLn2;
    const double r2 = r * r;
    const double low = 0x1.55555442762e4p-3 * r + 0x1.00000038aea50p-1;
    const double middle = 0x1.111273a1a4c87p-7 * r + 0x1.555490057948ap-5;
    const double high = 0x1.9f02f852e4aadp-13 * r + 0x1.6d8b6cb48bde0p-10;
    const double power = 1.0 + (r + r2 * ((high * r2 + middle) * r2 + low));
    const float positive = static_cast<float>(power * from_bits(to_bits(shifted) << 52));

    const float half = y * 0.5f;
    const bool integer = __builtin_floorf(y) == y;
    const bool odd = integer && __builtin_floorf(half) != half;
    const bool negative = (to_bits(x) >> 31) != 0;
    const float at_one = magnitude == 1.0f ? 1.0f : positive;
    const float signed_power = negative && odd ? -at_one : at_one;
    const bool undefined = (x < 0 && x > -infinity<float>() && !integer) || x != x || y != y;
    const float general = undefined ? quiet_nan<float>() : signed_power;
    return y == 0.0f || x == 1.0f ? 1.0f : general;
}

// The C library's pow.
INTENT_HOST_DEVICE double pow(double x, double y) noexcept { return __builtin_pow(x, y); }

}  // namespace intent
