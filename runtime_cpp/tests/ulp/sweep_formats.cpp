// Narrow formats against rounding by division: all floats from -inf to NaN in steps, each to f16, bf16, both 8-bit
// floats and E2M1. Argument: the step through the 2^32 bit patterns.
#include <intent/float16.hpp>
#include <intent/float8.hpp>
#include <intent/scaled.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace intent;

namespace {

// The finite number with `significand` bits after the leading one and exponents from `least_exponent` on that is
// nearest to x, ties to even, as if there were no largest.
double nearest(double x, int significand, int least_exponent) {
    int exponent = 0;
    std::frexp(x, &exponent);
    const int last_place = (exponent - 1 > least_exponent ? exponent - 1 : least_exponent) - significand;
    return std::ldexp(std::nearbyint(std::ldexp(x, -last_place)), last_place);
}

// What a format makes of numbers beyond its largest.
enum class Beyond { kInfinity, kNan, kLargest };

// `got` is what x became.
bool right(float x, float got, int significand, int least_exponent, double largest, Beyond beyond) {
    if (is_nan(x)) {
        return beyond == Beyond::kLargest || is_nan(got);
    }
    const double rounded =
        std::isinf(x) ? static_cast<double>(x) : nearest(static_cast<double>(x), significand, least_exponent);
    if (std::signbit(x) != std::signbit(got) && !is_nan(got)) {
        return false;
    }
    if (std::fabs(rounded) <= largest) {
        return static_cast<double>(got) == rounded;
    }
    switch (beyond) {
        case Beyond::kInfinity:
            return std::isinf(got);
        case Beyond::kNan:
            return is_nan(got);
        case Beyond::kLargest:
            return std::fabs(static_cast<double>(got)) == largest;
    }
    return false;
}

bool every_format_right(float x) {
    return right(x, static_cast<float>(f16(x)), 10, -14, 65504.0, Beyond::kInfinity) &&
           right(x, static_cast<float>(bf16(x)), 7, -126, 0x1.fep127, Beyond::kInfinity) &&
           right(x, static_cast<float>(f8e4m3fn(x)), 3, -6, 448.0, Beyond::kNan) &&
           right(x, static_cast<float>(f8e5m2(x)), 2, -14, 57344.0, Beyond::kInfinity) &&
           right(x, float_from_e2m1(e2m1_from_float(x)), 1, 0, 6.0, Beyond::kLargest);
}

}  // namespace

int main(int count, char** arguments) {
    const index_t step = count > 1 ? std::atoll(arguments[1]) : 101;
    index_t wrong = 0;
    #pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (index_t bits = 0; bits < index_t{1} << 32; bits += step) {
        wrong += every_format_right(from_bits(static_cast<std::uint32_t>(bits))) ? 0 : 1;
    }
    // Every half and bfloat, and back.
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const auto half = bit_cast<f16>(static_cast<std::uint16_t>(bits));
        const auto bfloat = bit_cast<bf16>(static_cast<std::uint16_t>(bits));
        wrong += is_nan(static_cast<float>(half)) || f16(static_cast<float>(half)).bits == bits ? 0 : 1;
        wrong += is_nan(static_cast<float>(bfloat)) || bf16(static_cast<float>(bfloat)).bits == bits ? 0 : 1;
    }
    std::printf("narrow formats: %lld wrong\n", static_cast<long long>(wrong));
    return wrong > 0 ? 1 : 0;
}
