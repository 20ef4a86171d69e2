// Scalar functions against a 128-bit reference: units in the last place, and the values at the edges.
#include "test.hpp"

#include <intent/device/math.cuh>

#include <quadmath.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

namespace {

using Exact = __float128;

Exact exact_i0(Exact x) {
    Exact term = 1;
    Exact sum = 1;
    for (int k = 1; term > sum * 1e-36; ++k) {
        term *= x * x / (4 * Exact(k) * Exact(k));
        sum += term;
    }
    return sum;
}

// One function: how device code names it, its exact value, and the bound in units in the last place.
#define TESTED(NAME, EXACT, UNITS)                                   \
    struct NAME##_function {                                         \
        static constexpr const char* kName = #NAME;                  \
        static constexpr double kUnits = UNITS;                      \
        template <class T>                                           \
        static __device__ T device(T x) {                            \
            return intent::NAME(x);                                  \
        }                                                            \
        static Exact exact(Exact x) { return EXACT; }                \
    };
TESTED(exp, expq(x), 2)
TESTED(exp2, exp2q(x), 2)
TESTED(log, logq(x), 2)
TESTED(log1p, log1pq(x), 1)
TESTED(lgamma, lgammaq(x), 2)
TESTED(sin, sinq(x), 2)
TESTED(cos, cosq(x), 2)
TESTED(asin, asinq(x), 2)
TESTED(tanh, tanhq(x), 3)
TESTED(floor, floorq(x), 0)
TESTED(sqrt, sqrtq(x), 0.5)
TESTED(rsqrt, 1 / sqrtq(x), 2)
TESTED(sigmoid, 1 / (1 + expq(-x)), 4)
TESTED(erf, erfq(x), 2)
TESTED(erfc, erfcq(x), 4)
TESTED(abs, fabsq(x), 0)
TESTED(i0, exact_i0(x), 6)
#undef TESTED

template <class Function, class T>
__global__ void evaluate_kernel(const T* __restrict__ x, T* __restrict__ y, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        y[i] = Function::device(x[i]);
    }
}

template <class Function, class T>
void evaluate(test::Buffer<T>& x, test::Buffer<T>& y) {
    const auto blocks = static_cast<unsigned>((x.size() + 127) / 128);
    intent::launch(evaluate_kernel<Function, T>, dim3(blocks), dim3(128), 0, nullptr, x.data(), y.data(),
                   static_cast<int>(x.size()));
}

// The distance of `value` from `exact` in units in the last place of T at `exact`.
template <class T>
double units_off(T value, Exact exact) {
    const T nearest = static_cast<T>(exact);
    if (std::isnan(value) || std::isnan(nearest) || std::isinf(value) || std::isinf(nearest)) {
        return value == nearest || (std::isnan(value) && std::isnan(nearest)) ? 0.0 : HUGE_VAL;
    }
    const T magnitude = std::fabs(nearest);
    const Exact unit = Exact(std::nextafter(magnitude, std::numeric_limits<T>::infinity())) - Exact(magnitude);
    return static_cast<double>(fabsq(Exact(value) - exact) / unit);
}

template <class Function, class T>
void test_range(T low, T high) {
    constexpr std::size_t kCount = 4000;
    std::mt19937 random(12345);
    std::uniform_real_distribution<T> uniform(low, high);
    test::Buffer<T> x(kCount);
    test::Buffer<T> y(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        x[i] = uniform(random);
    }
    evaluate<Function>(x, y);
    for (std::size_t i = 0; i < kCount; ++i) {
        const double off = units_off(y[i], Function::exact(Exact(x[i])));
        test::expect(off <= Function::kUnits, Function::kName);
        if (off > Function::kUnits) {
            std::printf("  %s(%a) is off by %g units\n", Function::kName, static_cast<double>(x[i]), off);
        }
    }
}

template <class T>
void test_ranges() {
    const T reach = std::is_same_v<T, float> ? T(80) : T(690);
    test_range<exp_function>(-reach, reach);
    test_range<exp_function>(T(-1), T(1));
    test_range<exp2_function>(-reach, reach);
    test_range<log_function>(T(1e-6), T(4));
    test_range<log_function>(T(1), T(1e30));
    test_range<log1p_function>(T(-0.999), T(1));
    test_range<log1p_function>(T(-1e-6), T(1e-6));
    test_range<lgamma_function>(T(0.01), T(4));
    test_range<lgamma_function>(T(-8), T(-0.01));
    test_range<lgamma_function>(T(4), T(1e5));
    test_range<sin_function>(T(-7), T(7));
    test_range<sin_function>(T(-1e5), T(1e5));
    test_range<cos_function>(T(-7), T(7));
    test_range<cos_function>(T(-1e5), T(1e5));
    test_range<asin_function>(T(-1), T(1));
    test_range<tanh_function>(T(-10), T(10));
    test_range<tanh_function>(T(-1e-3), T(1e-3));
    test_range<floor_function>(T(-1e6), T(1e6));
    test_range<sqrt_function>(T(0), T(1e10));
    test_range<rsqrt_function>(T(1e-10), T(1e10));
    test_range<sigmoid_function>(-reach, T(40));
    test_range<erf_function>(T(-4), T(4));
    test_range<erfc_function>(T(-3), T(9));
    test_range<abs_function>(T(-5), T(5));
    test_range<i0_function>(T(-20), T(20));
    test_range<i0_function>(T(20), reach);
}

// function(x) is `wanted` to the bit; any NaN for NaN.
template <class Function, class T>
void test_value(T x_value, T wanted) {
    test::Buffer<T> x(1, x_value);
    test::Buffer<T> y(1);
    evaluate<Function>(x, y);
    const bool equal = y[0] == wanted && std::signbit(y[0]) == std::signbit(wanted);
    test::expect(equal || (std::isnan(y[0]) && std::isnan(wanted)), Function::kName);
    if (!equal && !std::isnan(wanted)) {
        std::printf("  %s(%g) is %g\n", Function::kName, static_cast<double>(x_value), static_cast<double>(y[0]));
    }
}

template <class T>
void test_values() {
    const T inf = std::numeric_limits<T>::infinity();
    const T nan = std::numeric_limits<T>::quiet_NaN();
    test_value<exp_function>(-inf, T(0));
    test_value<exp_function>(inf, inf);
    test_value<exp2_function>(T(10), T(1024));
    test_value<log_function>(T(0), -inf);
    test_value<log_function>(T(-1), nan);
    test_value<log1p_function>(T(-1), -inf);
    test_value<lgamma_function>(T(1), T(0));
    test_value<lgamma_function>(T(2), T(0));
    test_value<lgamma_function>(T(0), inf);
    test_value<lgamma_function>(T(-3), inf);
    test_value<lgamma_function>(-inf, inf);
    test_value<sin_function>(inf, nan);
    test_value<sin_function>(T(-0.0), T(-0.0));
    test_value<asin_function>(T(1.5), nan);
    test_value<tanh_function>(inf, T(1));
    test_value<floor_function>(T(-0.5), T(-1));
    test_value<sqrt_function>(T(-1), nan);
    test_value<sqrt_function>(T(-0.0), T(-0.0));
    test_value<rsqrt_function>(T(0), inf);
    test_value<sigmoid_function>(-inf, T(0));
    test_value<sigmoid_function>(inf, T(1));
    test_value<sigmoid_function>(nan, nan);
    test_value<erf_function>(inf, T(1));
    test_value<erfc_function>(-inf, T(2));
    test_value<abs_function>(T(-0.0), T(0));
    test_value<i0_function>(T(0), T(1));
    test_value<i0_function>(inf, inf);
}

template <class T>
__global__ void pow_kernel(const T* __restrict__ x, const T* __restrict__ y, T* __restrict__ z, T* __restrict__ fused) {
    const unsigned i = threadIdx.x;
    z[i] = intent::pow(x[i], y[i]);
    fused[i] = intent::multiply_add(x[i], x[i], -y[i]);
}

template <class T>
void test_pow() {
    constexpr std::size_t kCount = 1000;
    std::mt19937 random(7);
    std::uniform_real_distribution<T> base(T(0.01), T(30));
    std::uniform_real_distribution<T> exponent(T(-8), T(8));
    test::Buffer<T> x(kCount);
    test::Buffer<T> y(kCount);
    test::Buffer<T> z(kCount);
    test::Buffer<T> fused(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        x[i] = base(random);
        y[i] = i % 2 == 0 ? exponent(random) : x[i] * x[i];
    }
    intent::launch(pow_kernel<T>, dim3(1), dim3(kCount), 0, nullptr, x.data(), y.data(), z.data(), fused.data());
    for (std::size_t i = 0; i < kCount; ++i) {
        test::expect(units_off(z[i], powq(Exact(x[i]), Exact(y[i]))) <= 2, "pow");
        test::expect(fused[i] == static_cast<T>(Exact(x[i]) * Exact(x[i]) - Exact(y[i])), "a fused multiply-add");
    }
}

// The 16-bit types round what f32 computes.
template <class T>
void test_half() {
    test::Buffer<T> x(200);
    test::Buffer<T> y(200);
    for (std::size_t i = 0; i < 200; ++i) {
        x[i] = T(static_cast<float>(i) / 40.0f - 2.0f);
    }
    evaluate<exp_function>(x, y);
    for (std::size_t i = 0; i < 200; ++i) {
        const T wanted(std::exp(static_cast<float>(x[i])));
        test::expect(y[i].bits == wanted.bits, "exp of a 16-bit type");
    }
}

}  // namespace

int main() {
    return test::run_all([] {
        test_ranges<float>();
        test_ranges<double>();
        test_values<float>();
        test_values<double>();
        test_pow<float>();
        test_pow<double>();
        test_half<intent::f16>();
        test_half<intent::bf16>();
    });
}
