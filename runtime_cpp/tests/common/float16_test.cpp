// The 16-bit floats against arithmetic on their definition: every bit pattern, every midpoint, and doubles beside them.
#include <intent/float16.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <cmath>
#include <cstdint>

using namespace intent;

namespace {

template <class T>
struct Format;
template <>
struct Format<f16> {
    static constexpr int kSignificand = 10;
    static constexpr int kMinExponent = -14;
};
template <>
struct Format<bf16> {
    static constexpr int kSignificand = 7;
    static constexpr int kMinExponent = -126;
};

template <class T>
T with_bits(unsigned bits) {
    return bit_cast<T>(static_cast<std::uint16_t>(bits));
}

// What the bits mean, in double precision; exponents past the largest are continued, so that overflow has a value.
template <class T>
double meaning(unsigned magnitude) {
    constexpr int kSignificand = Format<T>::kSignificand;
    const unsigned exponent = magnitude >> kSignificand;
    const double fraction = magnitude & ((1u << kSignificand) - 1);
    const double leading = exponent == 0 ? 0.0 : static_cast<double>(1u << kSignificand);
    const int power = Format<T>::kMinExponent + static_cast<int>(exponent == 0 ? 1 : exponent) - 1 - kSignificand;
    return std::ldexp(leading + fraction, power);
}

template <class T>
void every_value() {
    const unsigned infinity_bits = infinity<T>().bits;
    for (unsigned bits = 0; bits < 0x10000u; ++bits) {
        const unsigned magnitude = bits & 0x7fffu;
        const T value = with_bits<T>(bits);
        const float wide = value;
        if (magnitude > infinity_bits) {
            EXPECT(is_nan(wide) && is_nan(value) && is_nan(T(wide)) && is_nan(T(static_cast<double>(wide))));
            EXPECT((T(wide).bits >> 15) == (bits >> 15));
            continue;
        }
        const double expected = magnitude == infinity_bits ? infinity<double>() : meaning<T>(magnitude);
        EXPECT(static_cast<double>(std::fabs(wide)) == expected && std::signbit(wide) == (bits >> 15 != 0));
        EXPECT(T(wide).bits == bits && T(static_cast<double>(wide)).bits == bits);
        EXPECT((-value).bits == (bits ^ 0x8000u));
    }
}

// Between each value and the next: just below, at, and just above the midpoint, as floats and as doubles.
template <class T>
void every_midpoint() {
    const unsigned infinity_bits = infinity<T>().bits;
    for (unsigned magnitude = 0; magnitude < infinity_bits; ++magnitude) {
        const double middle = 0.5 * (meaning<T>(magnitude) + meaning<T>(magnitude + 1));  // 2^16 after the last f16
        const unsigned even = magnitude + (magnitude & 1);
        for (const double sign : {1.0, -1.0}) {
            const unsigned sign_bit = sign < 0 ? 0x8000u : 0u;
            EXPECT(T(sign * middle).bits == (even | sign_bit));
            EXPECT(T(sign * std::nextafter(middle, 0.0)).bits == (magnitude | sign_bit));
            EXPECT(T(sign * std::nextafter(middle, 1e300)).bits == ((magnitude + 1) | sign_bit));
            const float narrow = static_cast<float>(sign * middle);
            EXPECT(static_cast<double>(narrow) == sign * middle && T(narrow).bits == (even | sign_bit));
            EXPECT(T(std::nextafterf(narrow, 0.0f)).bits == (magnitude | sign_bit));
            EXPECT(T(std::nextafterf(narrow, static_cast<float>(sign) * infinity<float>())).bits ==
                   ((magnitude + 1) | sign_bit));
        }
    }
}

template <class T>
void specials_and_integers() {
    EXPECT(T(1e30).bits == T(static_cast<double>(1e30f)).bits && T(1e300).bits == infinity<T>().bits &&
           T(-1e300).bits == (-infinity<T>()).bits);
    EXPECT(T(1e-300).bits == 0 && T(-1e-300).bits == 0x8000u && T(5e-324).bits == 0 && T(-0.0).bits == 0x8000u);
    EXPECT(T(infinity<float>()).bits == infinity<T>().bits && T(-infinity<double>()).bits == (-infinity<T>()).bits);
    for (int x = -70000; x <= 70000; ++x) {
        EXPECT(T(x).bits == T(static_cast<double>(x)).bits);
    }
    test::Random random(2);
    for (int repeat = 0; repeat < 100000; ++repeat) {
        const std::int64_t x = static_cast<std::int64_t>(random.bits()) >> random.integer(0, 63);
        const long double exact = static_cast<long double>(x);  // 64 bits of significand
        const T rounded = T(x);
        const long double error = std::fabs(static_cast<long double>(static_cast<float>(rounded)) - exact);
        for (const unsigned neighbour : {rounded.bits - 1u, rounded.bits + 1u}) {
            const float other = with_bits<T>(neighbour);
            EXPECT(std::isinf(static_cast<float>(rounded)) || is_nan(other) || std::isinf(other) ||
                   error <= std::fabs(static_cast<long double>(other) - exact));
        }
    }
}

// Equal bits, or both NaN: which NaN an operation returns is not specified.
template <class T>
bool same(T a, T b) {
    return a.bits == b.bits || (is_nan(a) && is_nan(b));
}

template <class T>
void arithmetic() {
    test::Random random(3);
    for (int repeat = 0; repeat < 200000; ++repeat) {
        const T a = with_bits<T>(static_cast<unsigned>(random.bits() & 0xffffu));
        const T b = with_bits<T>(static_cast<unsigned>(random.bits() & 0xffffu));
        const float x = a;
        const float y = b;
        EXPECT(same(a + b, T(x + y)) && same(a - b, T(x - y)));
        EXPECT(same(a * b, T(x * y)) && same(a / b, T(x / y)));
        EXPECT((a < b) == (x < y) && (a <= b) == (x <= y) && (a == b) == (x == y) && (a != b) == (x != y) &&
               (a > b) == (x > y));
        T sum = a;
        sum += b;
        EXPECT(same(sum, a + b));
    }
}

template <class T>
void all() {
    static_assert(sizeof(T) == 2 && std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);
    every_value<T>();
    every_midpoint<T>();
    specials_and_integers<T>();
    arithmetic<T>();
}

}  // namespace

int main() {
    all<f16>();
    all<bf16>();
    EXPECT(bf16(INT64_MAX) == 0x1p63f && bf16(UINT64_MAX) == 0x1p64f && bf16(INT64_MIN) == -0x1p63f);
    EXPECT(bf16((std::int64_t{0x101} << 54) + 1) ==
           std::ldexp(258.0f, 54));  // just above a midpoint, below the last bit of double
    EXPECT(f16(true) == 1.0f && static_cast<int>(f16(-3.5f)) == -3 && static_cast<float>(f16(bf16(3.0f))) == 3.0f);
    return expect::failures();
}
