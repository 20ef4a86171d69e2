// exp, exp2, tanh and sigmoid without branches: GCC and Clang vectorise them when they are inlined into a loop.
#pragma once

#include <intent/config.hpp>
#include <intent/numeric.hpp>

namespace intent {

namespace detail {

// What the functions below need to know about a floating-point type. exp(x) is 2^n exp(r) with x = n ln 2 + r and
// |r| <= ln 2 / 2. Adding kRound rounds to an integer, found in the low bits of the sum; with the bias of the exponent
// added too, one shift makes the exponent field of a power of two.
template <class T>
struct ExpTraits;

template <>
struct ExpTraits<float> {
    using Bits = std::uint32_t;
    static constexpr int kSignificand = 23;
    static constexpr float kBias = 127.0f;
    static constexpr float kRound = 0x1.8p+23f;
    static constexpr float kLog2E = 0x1.715476p+0f;
    static constexpr float kLn2 = 0x1.62e430p-1f;
    static constexpr float kLn2High = 0x1.62e400p-1f;  // 15 significant bits: n * kLn2High is exact
    static constexpr float kLn2Low = 0x1.7f7d1cp-20f;  // ln 2 - kLn2High
    static constexpr float kLargest = 88.8f;           // exp is infinite from here on
    static constexpr float kSmallest = -104.0f;        // exp is zero up to here
    static constexpr float kLargest2 = 128.0f;
    static constexpr float kSmallest2 = -150.0f;
    static constexpr float kTanhOne = 9.5f;  // tanh rounds to 1 from here on
};

template <>
struct ExpTraits<double> {
    using Bits = std::uint64_t;
    static constexpr int kSignificand = 52;
    static constexpr double kBias = 1023.0;
    static constexpr double kRound = 0x1.8p+52;
    static constexpr double kLog2E = 0x1.71547652b82fep+0;
    static constexpr double kLn2 = 0x1.62e42fefa39efp-1;
    static constexpr double kLn2High = 0x1.62e42feep-1;       // 32 significant bits
    static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;  // ln 2 - kLn2High
    static constexpr double kLargest = 709.8;
    static constexpr double kSmallest = -745.2;
    static constexpr double kLargest2 = 1024.0;
    static constexpr double kSmallest2 = -1075.0;
    static constexpr double kTanhOne = 20.0;
};

// exp(r) - 1 for |r| <= 0.3466, in Estrin form: a short chain is worth more than a saved operation.
INTENT_HOST_DEVICE float expm1_reduced(float r) noexcept {
    const float r2 = r * r;
    const float low = 0x1.555450p-3f * r + 0x1.fffff6p-2f;
    const float high = 0x1.694000p-10f * r2 + (0x1.125edcp-7f * r + 0x1.555b5ap-5f);
    return (high * r2 + low) * r2 + r;
}

INTENT_HOST_DEVICE double expm1_reduced(double r) noexcept {
    const double r2 = r * r;
    const double r4 = r2 * r2;
    const double c23 = 0x1.555555555555bp-3 * r + 0x1.0000000000000p-1;
    const double c45 = 0x1.111111110ed35p-7 * r + 0x1.5555555555506p-5;
    const double c67 = 0x1.a01a01b3385b2p-13 * r + 0x1.6c16c16c2f9dbp-10;
    const double c89 = 0x1.71ddf0b771cd3p-19 * r + 0x1.a01a013844fefp-16;
    const double cab = 0x1.af6b0022ea2b6p-26 * r + 0x1.27e5b281a0c61p-22;
    const double high = (0x1.1e3e1ac0c1898p-29 * r2 + cab) * r4 + (c89 * r2 + c67);
    return (high * r4 + (c45 * r2 + c23)) * r2 + r;
}

// 2^n (y + 1) for the n in the low bits of `whole`, as 2^h 2^(n - h) with an h near n / 2: the result may be subnormal,
// rounded once, or infinite.
template <class T>
INTENT_HOST_DEVICE T scale_by_halves(T y, T whole) noexcept {
    using Traits = ExpTraits<T>;
    const auto bits = to_bits(whole);
    const auto half_bits = bits >> 1;  // with the bias once; the low bits of kRound are zeros
    const T half_scale = from_bits(half_bits << Traits::kSignificand);
    return (y * half_scale + half_scale) * from_bits((bits - half_bits) << Traits::kSignificand);
}

template <class T>
INTENT_HOST_DEVICE T exp_vectorised(T x) noexcept {
    using Traits = ExpTraits<T>;
    const T whole = x * Traits::kLog2E + (Traits::kRound + 2 * Traits::kBias);
    const T n = whole - (Traits::kRound + 2 * Traits::kBias);
    const T r = (x - n * Traits::kLn2High) - n * Traits::kLn2Low;
    const T scaled = scale_by_halves(expm1_reduced(r), whole);
    const T finite = x > Traits::kLargest ? infinity<T>() : scaled;  // NaN passes both selects
    return x < Traits::kSmallest ? T(0) : finite;
}

template <class T>
INTENT_HOST_DEVICE T exp2_vectorised(T x) noexcept {
    using Traits = ExpTraits<T>;
    const T whole = x + (Traits::kRound + 2 * Traits::kBias);
    const T r = (x - (whole - (Traits::kRound + 2 * Traits::kBias))) * Traits::kLn2;
    const T scaled = scale_by_halves(expm1_reduced(r), whole);
    const T finite = x >= Traits::kLargest2 ? infinity<T>() : scaled;
    return x < Traits::kSmallest2 ? T(0) : finite;
}

// With z = 2 |x|: expm1(z) / (expm1(z) + 2), the sign put back. What n ln 2 loses as one product is not seen: where n
// is large, the quotient is near 1.
template <class T>
INTENT_HOST_DEVICE T tanh_vectorised(T x) noexcept {
    using Traits = ExpTraits<T>;
    constexpr auto kSign = typename Traits::Bits{1} << (8 * sizeof(T) - 1);
    const T magnitude = from_bits(to_bits(x) & ~kSign);
    const T whole = magnitude * (T(2) * Traits::kLog2E) + (Traits::kRound + Traits::kBias);
    const T n = whole - (Traits::kRound + Traits::kBias);
    const T r = T(2) * magnitude - n * Traits::kLn2;
    const T scale = from_bits(to_bits(whole) << Traits::kSignificand);
    const T e = scale * expm1_reduced(r) + (scale - T(1));
    const T positive = magnitude > Traits::kTanhOne ? T(1) : e / (e + T(2));  // NaN passes
    return from_bits(to_bits(positive) | (to_bits(x) & kSign));
}

// With e = exp(-|x|), which neither overflows nor cancels: 1 / (1 + e) on the right, e / (1 + e) on the left.
template <class T>
INTENT_HOST_DEVICE T sigmoid_vectorised(T x) noexcept {
    const T e = exp_vectorised(x < 0 ? x : -x);
    return (x < 0 ? e : T(1)) / (T(1) + e);
}

}  // namespace detail

// e^x; at most 1.1 ULP (f32, all arguments) off, gradual underflow, overflow to infinity.
INTENT_HOST_DEVICE float exp(float x) noexcept { return detail::exp_vectorised(x); }
INTENT_HOST_DEVICE double exp(double x) noexcept { return detail::exp_vectorised(x); }

// 2^x, exact at integers.
INTENT_HOST_DEVICE float exp2(float x) noexcept { return detail::exp2_vectorised(x); }
INTENT_HOST_DEVICE double exp2(double x) noexcept { return detail::exp2_vectorised(x); }

// Hyperbolic tangent; at most 3 ULP off, odd, never beyond 1.
INTENT_HOST_DEVICE float tanh(float x) noexcept { return detail::tanh_vectorised(x); }
INTENT_HOST_DEVICE double tanh(double x) noexcept { return detail::tanh_vectorised(x); }

// 1 / (1 + e^-x); at most 4 ULP off, also where the result is subnormal.
INTENT_HOST_DEVICE float sigmoid(float x) noexcept { return detail::sigmoid_vectorised(x); }
INTENT_HOST_DEVICE double sigmoid(double x) noexcept { return detail::sigmoid_vectorised(x); }

}  // namespace intent
