// Accuracy of the f32 functions, or of the one that argument 2 names, over every `step`-th of the 2^32 floats (argument
// 1), against the C library's f64.
#include <intent/cpu/math.hpp>

#include "sweep.hpp"

#include <cstdlib>

namespace {

// The power series of i0: all terms are positive.
double bessel_i0(double x) {
    const double quarter_square = 0.25 * x * x;
    double term = 1.0;
    double sum = 1.0;
    for (int k = 1; term > sum * 1e-18 && sum < 1e300; ++k) {
        term *= quarter_square / (static_cast<double>(k) * k);
        sum += term;
    }
    return sum;
}

double sigmoid(double x) { return x < 0 ? std::exp(x) / (1.0 + std::exp(x)) : 1.0 / (1.0 + std::exp(-x)); }

template <class Function, class Reference>
int check(const char* name, intent::index_t step, double limit, Function function, Reference reference) {
    if (!ulp::wanted(name)) {
        return 0;
    }
    const auto argument = [=](intent::index_t i) { return intent::from_bits(static_cast<std::uint32_t>(i * step)); };
    const intent::index_t count = (intent::index_t{1} << 32) / step;
    return ulp::report(name,
                       ulp::sweep<float>(
                           count, function, [=](float x) { return reference(static_cast<double>(x)); }, argument),
                       limit);
}

}  // namespace

int main(int count, char** arguments) {
    const intent::index_t step = count > 1 ? std::atoll(arguments[1]) : 101;
    ulp::only = count > 2 ? arguments[2] : nullptr;
    int failures = 0;
    failures += check("exp", step, 2, [](float x) { return intent::exp(x); }, [](double x) { return std::exp(x); });
    failures += check("exp2", step, 2, [](float x) { return intent::exp2(x); }, [](double x) { return std::exp2(x); });
    failures += check("log", step, 2, [](float x) { return intent::log(x); }, [](double x) { return std::log(x); });
    failures +=
        check("log1p", step, 1, [](float x) { return intent::log1p(x); }, [](double x) { return std::log1p(x); });
    failures += check("sin", step, 2, [](float x) { return intent::sin(x); }, [](double x) { return std::sin(x); });
    failures += check("cos", step, 2, [](float x) { return intent::cos(x); }, [](double x) { return std::cos(x); });
    failures += check("asin", step, 2, [](float x) { return intent::asin(x); }, [](double x) { return std::asin(x); });
    failures += check("tanh", step, 3, [](float x) { return intent::tanh(x); }, [](double x) { return std::tanh(x); });
    failures +=
        check("sigmoid", step, 4, [](float x) { return intent::sigmoid(x); }, [](double x) { return sigmoid(x); });
    failures += check("erf", step, 2, [](float x) { return intent::erf(x); }, [](double x) { return std::erf(x); });
    failures += check("erfc", step, 4, [](float x) { return intent::erfc(x); }, [](double x) { return std::erfc(x); });
    failures +=
        check("lgamma", step, 2, [](float x) { return intent::lgamma(x); }, [](double x) { return std::lgamma(x); });
    failures += check("i0", step, 6, [](float x) { return intent::i0(x); }, [](double x) { return bessel_i0(x); });
    failures +=
        check("rsqrt", step, 2, [](float x) { return intent::rsqrt(x); }, [](double x) { return 1.0 / std::sqrt(x); });
    failures +=
        check("sqrt", step, 0.5, [](float x) { return intent::sqrt(x); }, [](double x) { return std::sqrt(x); });
    failures +=
        check("floor", step, 0, [](float x) { return intent::floor(x); }, [](double x) { return std::floor(x); });
    for (const float y : {2.0f, -1.0f, 0.5f, 3.7f, -2.25f, 101.0f, 1e-5f}) {
        failures += check(
            "pow", step, 2, [=](float x) { return intent::pow(x, y); },
            [=](double x) { return std::pow(x, static_cast<double>(y)); });
    }
    for (const float x : {2.0f, 0.999f, 1.001f, 1e-30f, 7.7f}) {
        failures += check(
            "x^y", step, 2, [=](float y) { return intent::pow(x, y); },
            [=](double y) { return std::pow(static_cast<double>(x), y); });
    }
    return failures > 0 ? 1 : 0;
}
