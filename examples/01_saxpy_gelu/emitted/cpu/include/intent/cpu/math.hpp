// The scalar functions of kernels, overloaded for f32, f64 and, computed in f32 and rounded once, f16 and bf16.
//
// They are inlined into the loop that calls them; which of them GCC and Clang then vectorise is listed in the README.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/math/error_function.hpp>
#include <intent/cpu/math/exponential.hpp>
#include <intent/cpu/math/logarithm.hpp>
#include <intent/cpu/math/reciprocal_root.hpp>
#include <intent/cpu/math/special.hpp>
#include <intent/cpu/math/trigonometric.hpp>
#include <intent/float16.hpp>

namespace intent {

// The largest integer not above x, as a floating-point number.
INTENT_HOST_DEVICE float floor(float x) noexcept { return __builtin_floorf(x); }
INTENT_HOST_DEVICE double floor(double x) noexcept { return __builtin_floor(x); }

// Square root, correctly rounded; NaN below zero.
INTENT_HOST_DEVICE float sqrt(float x) noexcept { return __builtin_sqrtf(x); }
INTENT_HOST_DEVICE double sqrt(double x) noexcept { return __builtin_sqrt(x); }

// |x|, also of a NaN and of negative zero.
INTENT_HOST_DEVICE float abs(float x) noexcept { return __builtin_fabsf(x); }
INTENT_HOST_DEVICE double abs(double x) noexcept { return __builtin_fabs(x); }

// clang-format off
template <class T> INTENT_HOST_DEVICE IfFloat16<T> exp(T x) noexcept { return T(exp(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> exp2(T x) noexcept { return T(exp2(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> log(T x) noexcept { return T(log(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> log1p(T x) noexcept { return T(log1p(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> lgamma(T x) noexcept { return T(lgamma(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> sin(T x) noexcept { return T(sin(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> cos(T x) noexcept { return T(cos(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> asin(T x) noexcept { return T(asin(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> tanh(T x) noexcept { return T(tanh(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> floor(T x) noexcept { return T(floor(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> sqrt(T x) noexcept { return T(sqrt(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> rsqrt(T x) noexcept { return T(rsqrt(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> sigmoid(T x) noexcept { return T(sigmoid(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> erf(T x) noexcept { return T(erf(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> erfc(T x) noexcept { return T(erfc(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> i0(T x) noexcept { return T(i0(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> abs(T x) noexcept { return T(abs(static_cast<float>(x))); }
template <class T> INTENT_HOST_DEVICE IfFloat16<T> pow(T x, T y) noexcept {
    return T(pow(static_cast<float>(x), static_cast<float>(y)));
}
// clang-format on

}  // namespace intent
