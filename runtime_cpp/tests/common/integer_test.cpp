// Every pair of 8-bit integers against wide arithmetic; the ends of the wider types by hand.
#include <intent/integer.hpp>

#include "../expect.hpp"

#include <climits>
#include <cmath>
#include <cstdint>

using intent::ceil_div;
using intent::floor_div;
using intent::floor_mod;

static_assert(floor_div(7, 2) == 3 && floor_div(-7, 2) == -4 && floor_div(7, -2) == -4 && floor_div(-7, -2) == 3);
static_assert(floor_mod(7, 2) == 1 && floor_mod(-7, 2) == 1 && floor_mod(7, -2) == -1 && floor_mod(-7, -2) == -1);
static_assert(floor_div(INT64_MIN, std::int64_t{-1}) == INT64_MIN && floor_mod(INT64_MIN, std::int64_t{-1}) == 0);
static_assert(floor_div(INT_MIN, INT_MAX) == -2 && floor_mod(INT_MIN, INT_MAX) == INT_MAX - 1);
static_assert(floor_div(INT_MAX, INT_MIN) == -1 && floor_mod(INT_MAX, INT_MIN) == -1);
static_assert(floor_div(5, 0) == 0 && floor_mod(5, 0) == 0 && floor_div(5u, 0u) == 0 && floor_mod(5u, 0u) == 0);
static_assert(floor_div(UINT64_MAX, std::uint64_t{2}) == UINT64_MAX / 2);
static_assert(ceil_div(0, 5) == 0 && ceil_div(1, 5) == 1 && ceil_div(5, 5) == 1 && ceil_div(6, 5) == 2 &&
              ceil_div(-6, 5) == -1);
static_assert(ceil_div(INT64_MAX, std::int64_t{2}) == INT64_MAX / 2 + 1 && ceil_div(UINT32_MAX, 1u) == UINT32_MAX);
static_assert(intent::wrap_add(INT_MAX, 1) == INT_MIN && intent::wrap_sub(INT_MIN, 1) == INT_MAX);
static_assert(intent::wrap_mul(INT_MIN, -1) == INT_MIN && intent::wrap_neg(INT_MIN) == INT_MIN &&
              intent::wrap_abs(INT_MIN) == INT_MIN);
static_assert(intent::wrap_mul(std::uint16_t{65535}, std::uint16_t{65535}) == 1);  // int would overflow here
static_assert(intent::wrap_mul(INT64_MAX, INT64_MAX) == 1 && intent::wrap_add(INT64_MIN, INT64_MIN) == 0);
static_assert(intent::shift_left(1, 31) == INT_MIN && intent::shift_left(-1, 4) == -16 &&
              intent::shift_left(3u, 31) == 1u << 31);
static_assert(intent::shift_right(-5, 1) == -3 && intent::shift_right(INT_MIN, 31) == -1 &&
              intent::shift_right(~0u, 31) == 1);

namespace {

template <class T>
void every_pair() {
    for (int a = 0; a < 256; ++a) {
        const T x = static_cast<T>(a);
        EXPECT(intent::wrap_neg(x) == static_cast<T>(-static_cast<int>(x)));
        EXPECT(intent::wrap_abs(x) == static_cast<T>(std::abs(static_cast<int>(x))));
        for (int b = 0; b < 256; ++b) {
            const T y = static_cast<T>(b);
            EXPECT(intent::wrap_add(x, y) == static_cast<T>(int{x} + int{y}));
            EXPECT(intent::wrap_sub(x, y) == static_cast<T>(int{x} - int{y}));
            EXPECT(intent::wrap_mul(x, y) == static_cast<T>(int{x} * int{y}));
            if (y != 0) {
                const int quotient = static_cast<int>(std::floor(static_cast<double>(x) / static_cast<double>(y)));
                EXPECT(floor_div(x, y) == static_cast<T>(quotient));
                EXPECT(floor_mod(x, y) == static_cast<T>(int{x} - quotient * int{y}));
            }
            if (y > 0) {
                EXPECT(ceil_div(x, y) == static_cast<T>(std::ceil(static_cast<double>(x) / static_cast<double>(y))));
            }
            if (b < 8) {
                EXPECT(intent::shift_left(x, b) == static_cast<T>(int{x} * (1 << b)));
                EXPECT(intent::shift_right(x, b) == static_cast<T>(std::floor(static_cast<double>(x) / (1 << b))));
            }
        }
    }
}

}  // namespace

int main() {
    every_pair<std::int8_t>();
    every_pair<std::uint8_t>();
    return expect::failures();
}
