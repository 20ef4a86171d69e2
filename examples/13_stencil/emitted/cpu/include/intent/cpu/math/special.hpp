// lgamma and the Bessel function i0: scalar.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/math/exponential.hpp>
#include <intent/numeric.hpp>

#if defined(__clang__)
#include <math.h>  // Clang has no builtins for lgamma_r and lgammal_r
#endif

namespace intent {

// log |gamma(x)|: +0 at 1 and 2, +inf at the non-positive integers and at both infinities. The C library's function of
// the next wider format, in the form that keeps no global state; that of double precision is off by 5 ULP between the
// negative integers. Half a ULP off, and a little, where long double is wider than double.
inline double lgamma(double x) noexcept {
    int sign = 0;
#if defined(__clang__)
    return static_cast<double>(::lgammal_r(static_cast<long double>(x), &sign));
#else
    return static_cast<double>(__builtin_lgammal_r(static_cast<long double>(x), &sign));
#endif
}
inline float lgamma(float x) noexcept {
    int sign = 0;
#if defined(__clang__)
    return static_cast<float>(::lgamma_r(static_cast<double>(x), &sign));
#else
    return static_cast<float>(__builtin_lgamma_r(static_cast<double>(x), &sign));
#endif
}

namespace detail {

// sum of coefficients[i] * x^i.
template <int Count>
inline double polynomial(const double (&coefficients)[Count], double x) noexcept {
    double sum = coefficients[Count - 1];
    for (int i = Count - 2; i >= 0; --i) {
        sum = sum * x + coefficients[i];
    }
    return sum;
}

// i0(x) in t = x^2 / 4 for |x| <= 7.75, relative error 2^-61.
inline constexpr double kI0Inside[] = {
    0x1.0000000000000p+0,  0x1.0000000000000p+0,  0x1.ffffffffffffap-3,  0x1.c71c71c71c7b2p-6,
    0x1.c71c71c71b863p-10, 0x1.23456789b95a4p-14, 0x1.02e85c079accep-19, 0x1.522a440f5b354p-25,
    0x1.522a423dab227p-31, 0x1.0b314829f3206p-37, 0x1.560000654033fp-44, 0x1.69dea3571cf7fp-51,
    0x1.40dceb921e12bp-58, 0x1.f091976acbc85p-66, 0x1.16643a0039457p-73, 0x1.1551425fda822p-80,
};

// i0(x) sqrt(x) exp(-x) in 1 / x for x >= 7.75, relative error 2^-54.
inline constexpr double kI0Outside[] = {
    0x1.9884533d43650p-2,  0x1.9884533d499d8p-5,   0x1.cb94dd6b86dcdp-6,   0x1.debb7a2f2804bp-6,
    0x1.6e552ead4c448p-5,  0x1.818bd427b7fdap-4,   -0x1.c86dd8c2abdb1p-4,  0x1.70e7c893d9f84p+4,
    -0x1.fe78d15626754p+9, 0x1.f49c237faf31cp+14,  -0x1.2de284e526fccp+19, 0x1.8b2dbf7e54cc8p+21,
    0x1.a8749da954bc3p+27, -0x1.03fffdb2bcf5ap+33, 0x1.5579ee1a2be4dp+37,  -0x1.32f925a5c8283p+41,
    0x1.90c33c59635b7p+44, -0x1.8173e2c9d92f2p+47, 0x1.0f2ac35758d9ap+50,  -0x1.0fde1f60d86afp+52,
    0x1.704f6e5970c02p+53, -0x1.2e6f432a58d42p+54, 0x1.c71aed10f140cp+53,
};

}  // namespace detail

// The modified Bessel function of the first kind of order 0; at most 6 ULP off, +inf at both infinities.
inline double i0(double x) noexcept {
    const double a = x < 0 ? -x : x;
    if (!(a > 7.75)) {
        return detail::polynomial(detail::kI0Inside, 0.25 * a * a);
    }
    if (a > 720.0) {
        return infinity<double>();  // overflows from 713.99 on
    }
    // exp(x) alone would overflow before the product does.
    const double root = exp(0.5 * a);
    return root * (detail::polynomial(detail::kI0Outside, 1.0 / a) / __builtin_sqrt(a)) * root;
}
inline float i0(float x) noexcept { return static_cast<float>(i0(static_cast<double>(x))); }

}  // namespace intent
