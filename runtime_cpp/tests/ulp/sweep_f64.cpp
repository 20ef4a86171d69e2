// Accuracy of the f64 functions, or of the one that argument 2 names, over `count` doubles (argument 1) of all
// magnitudes, against 80-bit long double.
#include <intent/cpu/math.hpp>

#include "../random.hpp"
#include "sweep.hpp"

#include <cstdlib>

namespace {

using Wide = long double;

Wide bessel_i0(Wide x) {
    const Wide quarter_square = x * x / 4;
    Wide term = 1;
    Wide sum = 1;
    for (int k = 1; term > sum * 1e-24L && sum < 1e320L; ++k) {
        term *= quarter_square / (static_cast<Wide>(k) * k);
        sum += term;
    }
    return sum;
}

Wide sigmoid(Wide x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

// All bit patterns alike, and as many in [-range, range].
template <class Function, class Reference>
int check(const char* name, intent::index_t count, double range, double limit, Function function, Reference reference) {
    if (!ulp::wanted(name)) {
        return 0;
    }
    const auto argument = [=](intent::index_t i) {
        test::Random random(static_cast<std::uint64_t>(i));
        return i % 2 == 0 ? intent::from_bits(random.bits()) : range * random.real();
    };
    return ulp::report(name,
                       ulp::sweep<double>(
                           count, function, [=](double x) { return reference(static_cast<Wide>(x)); }, argument),
                       limit);
}

}  // namespace

int main(int arguments, char** argument) {
    const intent::index_t count = arguments > 1 ? std::atoll(argument[1]) : 2000000;
    ulp::only = arguments > 2 ? argument[2] : nullptr;
    int failures = 0;
    failures +=
        check("exp", count, 750, 2, [](double x) { return intent::exp(x); }, [](Wide x) { return std::exp(x); });
    failures +=
        check("exp2", count, 1080, 2, [](double x) { return intent::exp2(x); }, [](Wide x) { return std::exp2(x); });
    failures += check("log", count, 2, 2, [](double x) { return intent::log(x); }, [](Wide x) { return std::log(x); });
    failures +=
        check("log1p", count, 2, 1, [](double x) { return intent::log1p(x); }, [](Wide x) { return std::log1p(x); });
    failures += check("sin", count, 10, 2, [](double x) { return intent::sin(x); }, [](Wide x) { return std::sin(x); });
    failures += check("cos", count, 10, 2, [](double x) { return intent::cos(x); }, [](Wide x) { return std::cos(x); });
    failures +=
        check("asin", count, 1, 2, [](double x) { return intent::asin(x); }, [](Wide x) { return std::asin(x); });
    failures +=
        check("tanh", count, 20, 3, [](double x) { return intent::tanh(x); }, [](Wide x) { return std::tanh(x); });
    failures +=
        check("sigmoid", count, 750, 4, [](double x) { return intent::sigmoid(x); }, [](Wide x) { return sigmoid(x); });
    failures += check("erf", count, 6, 2, [](double x) { return intent::erf(x); }, [](Wide x) { return std::erf(x); });
    failures +=
        check("erfc", count, 28, 4, [](double x) { return intent::erfc(x); }, [](Wide x) { return std::erfc(x); });
    failures += check("i0", count, 720, 6, [](double x) { return intent::i0(x); }, [](Wide x) { return bessel_i0(x); });
    failures += check(
        "rsqrt", count, 100, 2, [](double x) { return intent::rsqrt(x); }, [](Wide x) { return 1 / std::sqrt(x); });
    failures +=
        check("sqrt", count, 100, 0.5, [](double x) { return intent::sqrt(x); }, [](Wide x) { return std::sqrt(x); });
    failures +=
        check("floor", count, 1000, 0, [](double x) { return intent::floor(x); }, [](Wide x) { return std::floor(x); });
    failures += check(
        "pow", count, 300, 2, [](double x) { return intent::pow(x, 2.7); },
        [](Wide x) { return std::pow(x, static_cast<Wide>(2.7)); });
    return failures > 0 ? 1 : 0;
}
