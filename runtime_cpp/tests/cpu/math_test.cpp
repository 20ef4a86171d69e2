// Special values of every function, in f32, f64 and the 16-bit types, alone and in a vectorised loop. Accuracy is the
// business of tests/ulp.
#include <intent/cpu/math.hpp>

#include "../expect.hpp"

#include <cmath>
#include <vector>

using intent::bf16;
using intent::bit_cast;
using intent::f16;
using intent::from_bits;
using intent::infinity;
using intent::is_nan;
using intent::quiet_nan;

namespace {

// Declared here, so that they hide the C library's functions of the same names.
using intent::abs;
using intent::asin;
using intent::cos;
using intent::erf;
using intent::erfc;
using intent::exp;
using intent::exp2;
using intent::floor;
using intent::i0;
using intent::lgamma;
using intent::log;
using intent::log1p;
using intent::pow;
using intent::rsqrt;
using intent::sigmoid;
using intent::sin;
using intent::sqrt;
using intent::tanh;

// Equal, with equal signs of zero, or both NaN.
template <class T>
bool same(T a, T b) {
    return (is_nan(a) && is_nan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// f(x) alone and at every place of a loop that the compiler vectorises.
template <class T, class F>
void expect_value(const char* name, F f, T x, T expected) {
    T in[37];
    T out[37];
    for (T& element : in) {
        element = x;
    }
    #pragma omp simd
    for (int i = 0; i < 37; ++i) {
        out[i] = f(in[i]);
    }
    bool holds = same(f(x), expected);
    for (const T& element : out) {
        holds = holds && same(element, expected);
    }
    if (!holds) {
        std::printf("%s(%g) = %g, expected %g\n", name, static_cast<double>(x), static_cast<double>(f(x)),
                    static_cast<double>(expected));
    }
    EXPECT(holds);
}

#define VALUE(name, x, expected) expect_value<T>(#name, [](T v) { return name(v); }, T(x), T(expected))

template <class T>
void specials() {
    const T inf = infinity<T>();
    const T nan = quiet_nan<T>();

    VALUE(exp, 0, 1);
    VALUE(exp, -0.0, 1);
    VALUE(exp, -inf, 0);
    VALUE(exp, inf, inf);
    VALUE(exp, -20000, 0);
    VALUE(exp, 20000, inf);
    VALUE(exp2, 0, 1);
    VALUE(exp2, -0.0, 1);
    VALUE(exp2, 10, 1024);
    VALUE(exp2, -3, 0.125);
    VALUE(exp2, -inf, 0);
    VALUE(exp2, inf, inf);
    VALUE(exp2, 20000, inf);
    VALUE(exp2, -20000, 0);
    VALUE(log, 1, 0);
    VALUE(log, 0, -inf);
    VALUE(log, -0.0, -inf);
    VALUE(log, inf, inf);
    VALUE(log, -1, nan);
    VALUE(log, -inf, nan);
    VALUE(log1p, 0, 0);
    VALUE(log1p, -0.0, -0.0);
    VALUE(log1p, -1, -inf);
    VALUE(log1p, inf, inf);
    VALUE(log1p, -2, nan);
    VALUE(log1p, -inf, nan);
    VALUE(lgamma, 1, 0);
    VALUE(lgamma, 2, 0);
    VALUE(lgamma, 0, inf);
    VALUE(lgamma, -0.0, inf);
    VALUE(lgamma, -1, inf);
    VALUE(lgamma, -7, inf);
    VALUE(lgamma, inf, inf);
    VALUE(lgamma, -inf, inf);
    VALUE(sin, 0, 0);
    VALUE(sin, -0.0, -0.0);
    VALUE(sin, inf, nan);
    VALUE(sin, -inf, nan);
    VALUE(cos, 0, 1);
    VALUE(cos, -0.0, 1);
    VALUE(cos, inf, nan);
    VALUE(cos, -inf, nan);
    VALUE(asin, 0, 0);
    VALUE(asin, -0.0, -0.0);
    VALUE(asin, 1.25, nan);
    VALUE(asin, -1.25, nan);
    VALUE(asin, inf, nan);
    VALUE(asin, -inf, nan);
    VALUE(tanh, 0, 0);
    VALUE(tanh, -0.0, -0.0);
    VALUE(tanh, inf, 1);
    VALUE(tanh, -inf, -1);
    VALUE(tanh, 100, 1);
    VALUE(tanh, -100, -1);
    VALUE(floor, 0, 0);
    VALUE(floor, -0.0, -0.0);
    VALUE(floor, 2.75, 2);
    VALUE(floor, -2.25, -3);
    VALUE(floor, -3, -3);
    VALUE(floor, inf, inf);
    VALUE(floor, -inf, -inf);
    VALUE(sqrt, 0, 0);
    VALUE(sqrt, -0.0, -0.0);
    VALUE(sqrt, 4, 2);
    VALUE(sqrt, inf, inf);
    VALUE(sqrt, -1, nan);
    VALUE(sqrt, -inf, nan);
    VALUE(rsqrt, 4, 0.5);
    VALUE(rsqrt, 0, inf);
    VALUE(rsqrt, -0.0, -inf);
    VALUE(rsqrt, inf, 0);
    VALUE(rsqrt, -1, nan);
    VALUE(rsqrt, -inf, nan);
    VALUE(sigmoid, 0, 0.5);
    VALUE(sigmoid, -0.0, 0.5);
    VALUE(sigmoid, inf, 1);
    VALUE(sigmoid, -inf, 0);
    VALUE(sigmoid, 20000, 1);
    VALUE(sigmoid, -20000, 0);
    VALUE(erf, 0, 0);
    VALUE(erf, -0.0, -0.0);
    VALUE(erf, inf, 1);
    VALUE(erf, -inf, -1);
    VALUE(erf, 6, 1);
    VALUE(erfc, 0, 1);
    VALUE(erfc, -0.0, 1);
    VALUE(erfc, inf, 0);
    VALUE(erfc, -inf, 2);
    VALUE(erfc, -7, 2);
    VALUE(i0, 0, 1);
    VALUE(i0, -0.0, 1);
    VALUE(i0, inf, inf);
    VALUE(i0, -inf, inf);
    VALUE(i0, 800, inf);
    VALUE(abs, -0.0, 0);
    VALUE(abs, -2.5, 2.5);
    VALUE(abs, -inf, inf);
    VALUE(exp, nan, nan);
    VALUE(exp2, nan, nan);
    VALUE(log, nan, nan);
    VALUE(log1p, nan, nan);
    VALUE(lgamma, nan, nan);
    VALUE(sin, nan, nan);
    VALUE(cos, nan, nan);
    VALUE(asin, nan, nan);
    VALUE(tanh, nan, nan);
    VALUE(floor, nan, nan);
    VALUE(sqrt, nan, nan);
    VALUE(rsqrt, nan, nan);
    VALUE(sigmoid, nan, nan);
    VALUE(erf, nan, nan);
    VALUE(erfc, nan, nan);
    VALUE(i0, nan, nan);
    VALUE(abs, nan, nan);
}

// pow against the C library, for all pairs of interesting operands.
template <class T>
void powers() {
    const T inf = infinity<T>();
    const T tiny = static_cast<T>(sizeof(T) == 4 ? 0x1p-149 : 0x1p-1074);
    const std::vector<T> operands = {T(0), T(1),   T(2),        T(3),        T(0.5), T(1.5), T(2.5),
                                     T(7), T(100), T(16777215), T(16777216), T(1e9), tiny,   inf};
    std::vector<T> both;
    for (const T x : operands) {
        both.push_back(x);
        both.push_back(-x);
    }
    both.push_back(quiet_nan<T>());
    for (const T x : both) {
        for (const T y : both) {
            expect_value<T>("pow", [x](T v) { return pow(x, v); }, y, std::pow(x, y));
        }
    }
}

// What is known without a reference: symmetry, bounds, and one value of each kind.
void properties() {
    for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += 9973) {
        const float x = from_bits(bits);
        EXPECT(tanh(-x) == -tanh(x) && tanh(x) <= 1.0f && erf(-x) == -erf(x) && erf(x) <= 1.0f);
        EXPECT(sin(-x) == -sin(x) && cos(-x) == cos(x) && abs(sin(x)) <= 1.0f && abs(cos(x)) <= 1.0f);
        EXPECT(asin(-x) == -asin(x) || x > 1.0f);
        EXPECT(i0(-x) == i0(x) && i0(x) >= 1.0f && erfc(x) <= 1.0f && erfc(x) >= 0.0f && sigmoid(-x) <= 0.5f &&
               sigmoid(x) <= 1.0f);
    }
    EXPECT(exp(1.0f) == 2.7182817f && log(10.0f) == 2.3025851f && sin(1e22f) != 0.0f);
    EXPECT(exp(-103.0f) > 0.0f && exp2(-149.0f) == 0x1p-149f && exp2(-126.0f) == 0x1p-126f && exp2(1023.0) == 0x1p1023);
    EXPECT(log(0x1p-149f) < -103.2f && log(0x1p-1074) < -744.4 && sigmoid(-100.0f) > 0.0f && sigmoid(-740.0) > 0.0);
    for (int exponent = -74; exponent < 64; ++exponent) {
        EXPECT(rsqrt(std::ldexp(1.0f, 2 * exponent)) == std::ldexp(1.0f, -exponent));
    }
    EXPECT(log1p(1e-30f) == 1e-30f && log1p(1e-300) == 1e-300 && erfc(10.0f) > 0.0f);
}

template <class T>
void sixteen_bits() {
    for (unsigned bits = 0; bits < 0x10000u; bits += 3) {
        const T x = bit_cast<T>(static_cast<std::uint16_t>(bits));
        const float wide = x;
        EXPECT(same(static_cast<float>(exp(x)), static_cast<float>(T(exp(wide)))));
        EXPECT(same(static_cast<float>(tanh(x)), static_cast<float>(T(tanh(wide)))));
        EXPECT(same(static_cast<float>(rsqrt(x)), static_cast<float>(T(rsqrt(wide)))));
        EXPECT(same(static_cast<float>(pow(x, T(2))), static_cast<float>(T(pow(wide, 2.0f)))));
        EXPECT(same(static_cast<float>(abs(x)), static_cast<float>(T(abs(wide)))));
    }
}

}  // namespace

int main() {
    specials<float>();
    specials<double>();
    powers<float>();
    powers<double>();
    properties();
    sixteen_bits<f16>();
    sixteen_bits<bf16>();
    return expect::failures();
}
