// Scalar functions of device code. Bounds in units in the last place: 2; tanh 3, sigmoid 4, log1p 1, erfc 4, i0 6.
// (CUDA states 4 for lgamma and 5 for erfc in double precision; everything else is inside.)
#pragma once

#include <intent/device/device.cuh>
#include <intent/float16.hpp>
#include <intent/integer.hpp>

namespace intent {

__device__ __forceinline__ float exp(float x) { return ::expf(x); }
__device__ __forceinline__ float exp2(float x) { return ::exp2f(x); }
__device__ __forceinline__ float log(float x) { return ::logf(x); }
__device__ __forceinline__ float log1p(float x) { return ::log1pf(x); }
__device__ __forceinline__ float sin(float x) { return ::sinf(x); }
__device__ __forceinline__ float cos(float x) { return ::cosf(x); }
__device__ __forceinline__ float asin(float x) { return ::asinf(x); }
__device__ __forceinline__ float tanh(float x) { return ::tanhf(x); }
__device__ __forceinline__ float floor(float x) { return ::floorf(x); }
__device__ __forceinline__ float sqrt(float x) { return ::sqrtf(x); }
__device__ __forceinline__ float rsqrt(float x) { return ::rsqrtf(x); }
__device__ __forceinline__ float erf(float x) { return ::erff(x); }
__device__ __forceinline__ float erfc(float x) { return ::erfcf(x); }
__device__ __forceinline__ float abs(float x) { return ::fabsf(x); }
__device__ __forceinline__ float i0(float x) { return ::cyl_bessel_i0f(x); }

#if defined(__CUDACC__)
// log |gamma(x)| as the platform's library computes it.
__device__ __forceinline__ double native_lgamma(double x) { return ::lgamma(x); }
#endif

// lgammaf and powf are off by more than 2 units; their double versions round to the right float.
__device__ __forceinline__ float lgamma(float x) { return static_cast<float>(native_lgamma(static_cast<double>(x))); }
__device__ __forceinline__ float pow(float x, float y) {
    return static_cast<float>(::pow(static_cast<double>(x), static_cast<double>(y)));
}

__device__ __forceinline__ double exp(double x) { return ::exp(x); }
__device__ __forceinline__ double exp2(double x) { return ::exp2(x); }
__device__ __forceinline__ double log(double x) { return ::log(x); }
__device__ __forceinline__ double log1p(double x) { return ::log1p(x); }
__device__ __forceinline__ double lgamma(double x) { return native_lgamma(x); }
__device__ __forceinline__ double sin(double x) { return ::sin(x); }
__device__ __forceinline__ double cos(double x) { return ::cos(x); }
__device__ __forceinline__ double asin(double x) { return ::asin(x); }
__device__ __forceinline__ double tanh(double x) { return ::tanh(x); }
__device__ __forceinline__ double floor(double x) { return ::floor(x); }
__device__ __forceinline__ double sqrt(double x) { return ::sqrt(x); }
__device__ __forceinline__ double rsqrt(double x) { return ::rsqrt(x); }
__device__ __forceinline__ double erf(double x) { return ::erf(x); }
__device__ __forceinline__ double erfc(double x) { return ::erfc(x); }
__device__ __forceinline__ double abs(double x) { return ::fabs(x); }
__device__ __forceinline__ double i0(double x) { return ::cyl_bessel_i0(x); }
__device__ __forceinline__ double pow(double x, double y) { return ::pow(x, y); }

// 1 / (1 + exp(-x)) through exp(-|x|), which never overflows: small results keep their digits.
__device__ __forceinline__ float sigmoid(float x) {
    const float e = ::expf(-::fabsf(x));
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}
__device__ __forceinline__ double sigmoid(double x) {
    const double e = ::exp(-::fabs(x));
    return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

// a * b + c, rounded once; integers wrap.
__device__ __forceinline__ float multiply_add(float a, float b, float c) { return ::fmaf(a, b, c); }
__device__ __forceinline__ double multiply_add(double a, double b, double c) { return ::fma(a, b, c); }
template <class T>
__device__ __forceinline__ T multiply_add(T a, T b, T c) {
    return wrap_add(wrap_mul(a, b), c);
}

// The 16-bit types: computed in f32, rounded once.
#define INTENT_DEVICE_MATH_16(NAME)                              \
    template <class T>                                           \
    __device__ __forceinline__ IfFloat16<T> NAME(T x) {          \
        return T(NAME(static_cast<float>(x)));                   \
    }
INTENT_DEVICE_MATH_16(exp)
INTENT_DEVICE_MATH_16(exp2)
INTENT_DEVICE_MATH_16(log)
INTENT_DEVICE_MATH_16(log1p)
INTENT_DEVICE_MATH_16(lgamma)
INTENT_DEVICE_MATH_16(sin)
INTENT_DEVICE_MATH_16(cos)
INTENT_DEVICE_MATH_16(asin)
INTENT_DEVICE_MATH_16(tanh)
INTENT_DEVICE_MATH_16(floor)
INTENT_DEVICE_MATH_16(sqrt)
INTENT_DEVICE_MATH_16(rsqrt)
INTENT_DEVICE_MATH_16(sigmoid)
INTENT_DEVICE_MATH_16(erf)
INTENT_DEVICE_MATH_16(erfc)
INTENT_DEVICE_MATH_16(abs)
INTENT_DEVICE_MATH_16(i0)
#undef INTENT_DEVICE_MATH_16

template <class T>
__device__ __forceinline__ IfFloat16<T> pow(T x, T y) {
    return T(pow(static_cast<float>(x), static_cast<float>(y)));
}

}  // namespace intent
