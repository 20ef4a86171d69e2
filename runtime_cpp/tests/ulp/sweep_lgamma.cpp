// Accuracy of the f64 lgamma over `count` doubles (argument 1), half of them where its zeros are, against 113 bits: it is
// itself computed in long double, which the other functions are measured against.
#include <intent/cpu/math.hpp>

#include "../random.hpp"

#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

// |got - exact| in units in the last place of exact.
double error(double got, __float128 exact) {
    int exponent = 0;
    frexpq(exact, &exponent);
    return static_cast<double>(fabsq(static_cast<__float128>(got) - exact) / ldexpq(1.0Q, std::max(exponent - 53, -1074)));
}

}  // namespace

int main(int arguments, char** argument) {
    constexpr double kLimit = 1.0;
    const intent::index_t count = arguments > 1 ? std::atoll(argument[1]) : 200000;
    double worst = 0.0;
    double place = 0.0;
    #pragma omp parallel for schedule(dynamic, 1024)
    for (intent::index_t i = 0; i < count; ++i) {
        test::Random random(static_cast<std::uint64_t>(i));
        const double x = i % 2 == 0 ? 12.0 * random.real() : std::exp(700.0 * random.real());
        const double here = error(intent::lgamma(x), lgammaq(x));
        #pragma omp critical
        if (here > worst) {
            worst = here;
            place = x;
        }
    }
    std::printf("lgamma   %.4f ULP at %.17g, allowed %.1f\n", worst, place, kLimit);
    return worst <= kLimit ? 0 : 1;
}
