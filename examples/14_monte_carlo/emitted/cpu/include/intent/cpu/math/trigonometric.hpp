// sin, cos and asin. Single precision is computed in double precision without branches, right for every float.
#pragma once

#include <intent/config.hpp>
#include <intent/numeric.hpp>

namespace intent {

namespace detail {

// For each exponent E of a float m 2^E, m < 2^24: (2 / pi) 2^E modulo 4, in three parts. The first two have 29 bits, so
// that m times a part is exact in double precision; together they reach 2^-85 of a quarter turn.
struct QuarterTurns {
    static constexpr int kFirst = -24;  // smaller floats are scaled to this exponent, which loses nothing
    static constexpr int kCount = 130;  // up to the exponent of infinity, whose part is NaN
    double high[kCount];
    double middle[kCount];
    double low[kCount];
};

// The `count` bits of 2 / pi from `first` on, bit 1 being worth 1 / 2; bits before 1 are 0.
constexpr std::uint64_t two_over_pi_bits(int first, int count) {
    constexpr std::uint32_t kWords[] = {0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                        0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};
    std::uint64_t bits = 0;
    for (int j = first; j < first + count; ++j) {
        bits = bits << 1 | (j < 1 ? 0u : kWords[(j - 1) / 32] >> (31 - (j - 1) % 32) & 1u);
    }
    return bits;
}

constexpr double power_of_two(int exponent) {
    double result = 1.0;
    for (; exponent < 0; ++exponent) {
        result *= 0.5;
    }
    return result;
}

constexpr QuarterTurns make_quarter_turns() {
    QuarterTurns table{};
    for (int i = 0; i < QuarterTurns::kCount - 1; ++i) {
        const int first = QuarterTurns::kFirst + i - 1;  // the bit worth 2
        table.high[i] = static_cast<double>(two_over_pi_bits(first, 29)) * power_of_two(-27);
        table.middle[i] = static_cast<double>(two_over_pi_bits(first + 29, 29)) * power_of_two(-56);
        table.low[i] = static_cast<double>(two_over_pi_bits(first + 58, 29)) * power_of_two(-85);
    }
    table.high[QuarterTurns::kCount - 1] = quiet_nan<double>();
    return table;
}

inline constexpr QuarterTurns kQuarterTurns = make_quarter_turns();

// sin(|x| + quarters * pi / 2) with `sign` (its top bit) put on.
INTENT_HOST_DEVICE float sine_of_quarters(float x, std::uint32_t quarters, std::uint32_t sign) noexcept {
    const std::uint32_t bits = to_bits(x) & 0x7fffffffu;
    const int exponent = static_cast<int>(bits >> 23) - 150;
    const bool small = exponent < QuarterTurns::kFirst;
    const int entry = small ? 0 : exponent - QuarterTurns::kFirst;
    const float scaled = from_bits(bits) * 0x1p+24f;
    const float integer = from_bits((bits & 0x007fffffu) | 0x4b000000u);
    const double m = static_cast<double>(small ? scaled : integer);

    // Whole quarter turns are rounded off; what is left is exact, or below 2^-85 of a quarter turn.
    const double turns = m * kQuarterTurns.high[entry];
    const double more = m * kQuarterTurns.middle[entry];
    const double shifted = (turns + more) + 0x1.8p+52;
    const double left = (turns - (shifted - 0x1.8p+52)) + more;
    const double r = (left + m * kQuarterTurns.low[entry]) * 0x1.921fb54442d18p+0;
    const std::uint32_t quadrant = static_cast<std::uint32_t>(to_bits(shifted)) + quarters;

    const double r2 = r * r;
    const double sine =
        r + r * r2 *
                (((0x1.6ccf5f170ffa3p-19 * r2 - 0x1.a00f746c64d8fp-13) * r2 + 0x1.1111085d274c4p-7) * r2 -
                 0x1.5555554c5fc9dp-3);
    const double cosine =
        (1.0 - 0.5 * r2) + r2 * r2 * ((0x1.99ff32b76f446p-16 * r2 - 0x1.6c0c811eb9b03p-10) * r2 + 0x1.55554aa36f519p-5);
    const float result = static_cast<float>((quadrant & 1u) != 0 ? cosine : sine);
    return from_bits(to_bits(result) ^ (quadrant & 2u) << 30 ^ sign);
}

}  // namespace detail

// Sine; at most 1 ULP off for every float, NaN at infinity.
INTENT_HOST_DEVICE float sin(float x) noexcept { return detail::sine_of_quarters(x, 0, to_bits(x) & 0x80000000u); }

// Cosine; at most 1 ULP off for every float, NaN at infinity.
INTENT_HOST_DEVICE float cos(float x) noexcept { return detail::sine_of_quarters(x, 1, 0); }

// Arc sine; at most 1 ULP off, NaN outside [-1, 1].
INTENT_HOST_DEVICE float asin(float x) noexcept {
    const double a = static_cast<double>(x < 0 ? -x : x);
    const bool steep = a > 0.5;
    const double t = steep ? 0.5 - 0.5 * a : a * a;
    const double s = steep ? __builtin_sqrt(t) : a;  // asin(a) = pi / 2 - 2 asin(sqrt((1 - a) / 2))
    const double t2 = t * t;
    const double low = 0x1.3332a9a4bd726p-4 * t + 0x1.555556065a9bcp-3;
    const double middle = 0x1.ed5adaa937c2ep-6 * t + 0x1.6ddad5d310a37p-5;
    const double high = 0x1.1befd150c08c7p-5 * t2 + (0x1.eb68838ef5c83p-8 * t + 0x1.932e4680db1ecp-6);
    const double p = s + s * t * ((high * t2 + middle) * t2 + low);
    const float positive = static_cast<float>(steep ? 0x1.921fb54442d18p+0 - 2.0 * p : p);
    return from_bits(to_bits(positive) | (to_bits(x) & 0x80000000u));
}

// The C library's functions.
INTENT_HOST_DEVICE double sin(double x) noexcept { return __builtin_sin(x); }
INTENT_HOST_DEVICE double cos(double x) noexcept { return __builtin_cos(x); }
INTENT_HOST_DEVICE double asin(double x) noexcept { return __builtin_asin(x); }

}  // namespace intent
