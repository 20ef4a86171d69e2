// The 8-bit floats: all patterns, all midpoints.
#include <intent/float8.hpp>

#include "../expect.hpp"

#include <cmath>

using namespace intent;

namespace {

template <class T>
T with_bits(unsigned bits) {
    return bit_cast<T>(static_cast<std::uint8_t>(bits));
}

template <class T, int kSignificand, int kMinExponent>
double meaning(unsigned magnitude) {
    const unsigned exponent = magnitude >> kSignificand;
    const double fraction = magnitude & ((1u << kSignificand) - 1);
    const double leading = exponent == 0 ? 0.0 : static_cast<double>(1u << kSignificand);
    return std::ldexp(leading + fraction,
                      kMinExponent + static_cast<int>(exponent == 0 ? 1 : exponent) - 1 - kSignificand);
}

// `last` is the largest finite magnitude; what lies beyond its upper midpoint becomes `overflow`.
template <class T, int kSignificand, int kMinExponent>
void every_value(unsigned last, unsigned overflow) {
    for (unsigned magnitude = 0; magnitude <= last; ++magnitude) {
        const double value = meaning<T, kSignificand, kMinExponent>(magnitude);
        EXPECT(static_cast<double>(static_cast<float>(with_bits<T>(magnitude))) == value);
        EXPECT(static_cast<double>(static_cast<float>(with_bits<T>(magnitude | 0x80u))) == -value);
        EXPECT(T(value).bits == magnitude && T(-value).bits == (magnitude | 0x80u) &&
               T(static_cast<float>(value)).bits == magnitude);
        const double middle = 0.5 * (value + meaning<T, kSignificand, kMinExponent>(magnitude + 1));
        const unsigned next = magnitude == last ? overflow : magnitude + 1;
        EXPECT(T(middle).bits == ((magnitude & 1) != 0 ? next : magnitude));
        EXPECT(T(std::nextafter(middle, 0.0)).bits == magnitude && T(std::nextafter(middle, 1e9)).bits == next);
        EXPECT(T(-std::nextafter(middle, 1e9)).bits == (next | 0x80u));
    }
}

}  // namespace

int main() {
    every_value<f8e4m3fn, 3, -6>(0x7e, 0x7f);
    every_value<f8e5m2, 2, -14>(0x7b, 0x7c);
    EXPECT(is_nan(static_cast<float>(with_bits<f8e4m3fn>(0x7f))) &&
           is_nan(static_cast<float>(with_bits<f8e4m3fn>(0xff))));
    EXPECT(is_nan(static_cast<float>(with_bits<f8e5m2>(0x7d))) && is_nan(static_cast<float>(with_bits<f8e5m2>(0xff))));
    EXPECT(static_cast<float>(with_bits<f8e5m2>(0xfc)) == -infinity<float>());
    EXPECT((f8e4m3fn(quiet_nan<float>()).bits & 0x7f) == 0x7f && f8e5m2(quiet_nan<float>()).bits > 0x7c);
    EXPECT((f8e4m3fn(infinity<float>()).bits & 0x7f) == 0x7f && f8e5m2(-infinity<float>()).bits == 0xfc);
    EXPECT(static_cast<float>(highest<f8e4m3fn>()) == 448.0f && static_cast<float>(lowest<f8e4m3fn>()) == -448.0f);
    EXPECT(f8e4m3fn(3).bits == f8e4m3fn(3.0f).bits && f8e5m2(1e-300).bits == 0);
    return expect::failures();
}
