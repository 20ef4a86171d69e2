// CUDA's arithmetic functions that the C library lacks, for the host compiler.
#pragma once

#include <intent/sim/language.hpp>

#include <bit>
#include <math.h>

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __brev(unsigned x) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) {
        reversed |= (x >> bit & 1u) << (31 - bit);
    }
    return reversed;
}

inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }

// One rounding each, as the suffix says: to nearest.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

// The quick versions of CUDA are allowed to be less exact than these.
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __fdividef(float a, float b) { return a / b; }

// Through the next wider type, so the quotient is rounded but once more.
inline float rsqrtf(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return static_cast<double>(1.0L / sqrtl(static_cast<long double>(x))); }

// The modified Bessel function of order zero: the power series, all of whose terms are positive, and far out the
// asymptotic series, which is more exact there than it needs to be.
inline double cyl_bessel_i0(double x) {
    const long double magnitude = fabsl(static_cast<long double>(x));
    if (__builtin_isinf(x)) {
        return static_cast<double>(magnitude);
    }
    constexpr long double kFar = 32.0L;
    long double term = 1.0L;
    long double sum = 1.0L;
    for (int k = 1; term > sum * 0x1p-66L; ++k) {
        const auto order = static_cast<long double>(k);
        const long double odd = 2 * order - 1;
        term *= magnitude < kFar ? magnitude * magnitude / (4 * order * order) : odd * odd / (8 * order * magnitude);
        sum += term;
    }
    constexpr long double kTwoPi = 6.283185307179586476925286766559L;
    return static_cast<double>(magnitude < kFar ? sum : sum * expl(magnitude) / sqrtl(kTwoPi * magnitude));
}
inline float cyl_bessel_i0f(float x) { return static_cast<float>(cyl_bessel_i0(static_cast<double>(x))); }

namespace intent {

// The C library's lgamma is off by up to 6 units in double precision.
inline double native_lgamma(double x) {
    int sign;
    return static_cast<double>(lgammal_r(static_cast<long double>(x), &sign));
}

}  // namespace intent

inline int min(int a, int b) { return b < a ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
inline long min(long a, long b) { return b < a ? b : a; }
inline long long min(long long a, long long b) { return b < a ? b : a; }
inline float min(float a, float b) { return fminf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
inline long max(long a, long b) { return a < b ? b : a; }
inline long long max(long long a, long long b) { return a < b ? b : a; }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

template <class T>
__forceinline__ T __ldg(const T* address) {
    return *address;
}
template <class T>
__forceinline__ T __ldcs(const T* address) {
    return *address;
}
template <class T>
__forceinline__ void __stcs(T* address, T value) {
    *address = value;
}
