// Scalar functions that GCC and Clang vectorise when they are inlined into a loop.
#pragma once

#include <intent/config.hpp>
#include <intent/float16.hpp>
#include <intent/numeric.hpp>

namespace intent {

INTENT_HOST_DEVICE float exp(float x) noexcept { return __builtin_expf(x); }
INTENT_HOST_DEVICE float exp2(float x) noexcept { return __builtin_exp2f(x); }
INTENT_HOST_DEVICE float log(float x) noexcept { return __builtin_logf(x); }
INTENT_HOST_DEVICE float log1p(float x) noexcept { return __builtin_log1pf(x); }
INTENT_HOST_DEVICE float lgamma(float x) noexcept { return static_cast<float>(__builtin_lgamma(static_cast<double>(x))); }
INTENT_HOST_DEVICE float sin(float x) noexcept { return __builtin_sinf(x); }
INTENT_HOST_DEVICE float cos(float x) noexcept { return __builtin_cosf(x); }
INTENT_HOST_DEVICE float asin(float x) noexcept { return __builtin_asinf(x); }
INTENT_HOST_DEVICE float tanh(float x) noexcept { return __builtin_tanhf(x); }
INTENT_HOST_DEVICE float floor(float x) noexcept { return __builtin_floorf(x); }
INTENT_HOST_DEVICE float sqrt(float x) noexcept { return __builtin_sqrtf(x); }
INTENT_HOST_DEVICE float rsqrt(float x) noexcept { return 1.0f / __builtin_sqrtf(x); }
INTENT_HOST_DEVICE float sigmoid(float x) noexcept { return 1.0f / (1.0f + __builtin_expf(-x)); }
INTENT_HOST_DEVICE float erf(float x) noexcept { return __builtin_erff(x); }
INTENT_HOST_DEVICE float erfc(float x) noexcept { return __builtin_erfcf(x); }
INTENT_HOST_DEVICE float abs(float x) noexcept { return __builtin_fabsf(x); }
INTENT_HOST_DEVICE float pow(float x, float y) noexcept { return __builtin_powf(x, y); }

INTENT_HOST_DEVICE double exp(double x) noexcept { return __builtin_exp(x); }
INTENT_HOST_DEVICE double exp2(double x) noexcept { return __builtin_exp2(x); }
INTENT_HOST_DEVICE double log(double x) noexcept { return __builtin_log(x); }
INTENT_HOST_DEVICE double log1p(double x) noexcept { return __builtin_log1p(x); }
INTENT_HOST_DEVICE double lgamma(double x) noexcept { return __builtin_lgamma(x); }
INTENT_HOST_DEVICE double sin(double x) noexcept { return __builtin_sin(x); }
INTENT_HOST_DEVICE double cos(double x) noexcept { return __builtin_cos(x); }
INTENT_HOST_DEVICE double asin(double x) noexcept { return __builtin_asin(x); }
INTENT_HOST_DEVICE double tanh(double x) noexcept { return __builtin_tanh(x); }
INTENT_HOST_DEVICE double floor(double x) noexcept { return __builtin_floor(x); }
INTENT_HOST_DEVICE double sqrt(double x) noexcept { return __builtin_sqrt(x); }
INTENT_HOST_DEVICE double rsqrt(double x) noexcept { return 1.0 / __builtin_sqrt(x); }
INTENT_HOST_DEVICE double sigmoid(double x) noexcept { return 1.0 / (1.0 + __builtin_exp(-x)); }
INTENT_HOST_DEVICE double erf(double x) noexcept { return __builtin_erf(x); }
INTENT_HOST_DEVICE double erfc(double x) noexcept { return __builtin_erfc(x); }
INTENT_HOST_DEVICE double abs(double x) noexcept { return __builtin_fabs(x); }
INTENT_HOST_DEVICE double pow(double x, double y) noexcept { return __builtin_pow(x, y); }

// The modified Bessel function of the first kind, order zero: the power series, all of whose terms are positive.
INTENT_HOST_DEVICE double i0(double x) noexcept {
    const double square = 0.25 * x * x;
    double term = 1.0;
    double sum = 1.0;
    for (int k = 1; term > sum * 0x1p-56; ++k) {
        term *= square / (static_cast<double>(k) * static_cast<double>(k));
        sum += term;
    }
    return sum;
}
INTENT_HOST_DEVICE float i0(float x) noexcept { return static_cast<float>(i0(static_cast<double>(x))); }

#define INTENT_MATH_16(name)                                   \
    template <class T>                                         \
    INTENT_HOST_DEVICE IfFloat16<T> name(T x) noexcept {       \
        return T(name(static_cast<float>(x)));                 \
    }
INTENT_MATH_16(exp)
INTENT_MATH_16(exp2)
INTENT_MATH_16(log)
INTENT_MATH_16(log1p)
INTENT_MATH_16(lgamma)
INTENT_MATH_16(sin)
INTENT_MATH_16(cos)
INTENT_MATH_16(asin)
INTENT_MATH_16(tanh)
INTENT_MATH_16(floor)
INTENT_MATH_16(sqrt)
INTENT_MATH_16(rsqrt)
INTENT_MATH_16(sigmoid)
INTENT_MATH_16(erf)
INTENT_MATH_16(erfc)
INTENT_MATH_16(abs)
INTENT_MATH_16(i0)
#undef INTENT_MATH_16

template <class T>
INTENT_HOST_DEVICE IfFloat16<T> pow(T x, T y) noexcept {
    return T(pow(static_cast<float>(x), static_cast<float>(y)));
}

}  // namespace intent
