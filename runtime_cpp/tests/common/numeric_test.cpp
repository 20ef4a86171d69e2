#include <intent/float16.hpp>
#include <intent/numeric.hpp>

#include "../expect.hpp"

#include <cmath>
#include <limits>

using namespace intent;

namespace {

template <class T>
void comparisons() {
    const T nan = quiet_nan<T>();
    const T one = T(1);
    const T two = T(2);
    EXPECT(maximum(one, two) == two && maximum(two, one) == two && minimum(one, two) == one &&
           minimum(two, one) == one);
    EXPECT(is_nan(maximum(nan, one)) && is_nan(maximum(one, nan)) && is_nan(maximum(nan, nan)));
    EXPECT(is_nan(minimum(nan, one)) && is_nan(minimum(one, nan)) && is_nan(minimum(nan, nan)));
    EXPECT(maximum_num(nan, one) == one && maximum_num(one, nan) == one && is_nan(maximum_num(nan, nan)));
    EXPECT(minimum_num(nan, one) == one && minimum_num(one, nan) == one && is_nan(minimum_num(nan, nan)));
    EXPECT(maximum_num(one, two) == two && maximum_num(two, one) == two && minimum_num(one, two) == one &&
           minimum_num(two, one) == one);
    EXPECT(maximum(lowest<T>(), one) == one && minimum(highest<T>(), one) == one);
    EXPECT(lowest<T>() == -infinity<T>() && highest<T>() == infinity<T>() && infinity<T>() > two);
    EXPECT(maximum(-infinity<T>(), infinity<T>()) == infinity<T>() &&
           minimum(-infinity<T>(), infinity<T>()) == -infinity<T>());
    EXPECT(is_nan(maximum(nan, infinity<T>())) && is_nan(minimum(-infinity<T>(), nan)));
}

template <class T>
void integer_limits() {
    EXPECT(lowest<T>() == std::numeric_limits<T>::min() && highest<T>() == std::numeric_limits<T>::max());
    EXPECT(maximum(lowest<T>(), highest<T>()) == highest<T>() && minimum(lowest<T>(), highest<T>()) == lowest<T>());
    EXPECT(!is_nan(lowest<T>()));
}

// a * b + c with the product rounded: (1 + e)(1 - e) - 1 is -e * e when fused, and 0 when not.
template <class T>
void products_are_rounded() {
    T a[16];
    T b[16];
    T sums[16];
    for (int i = 0; i < 16; ++i) {
        a[i] = T(1) + std::numeric_limits<T>::epsilon();
        b[i] = T(1) - std::numeric_limits<T>::epsilon();
    }
    #pragma omp simd
    for (int i = 0; i < 16; ++i) {
        sums[i] = rounded(a[i] * b[i]) - T(1);
    }
    for (const T sum : sums) {
        EXPECT(sum == T(0));
    }
    volatile T opaque = a[0];
    EXPECT(rounded(opaque * b[0]) - T(1) == T(0));
    EXPECT(rounded(T(-0.0)) == T(0) && std::signbit(rounded(T(-0.0))) && is_nan(rounded(quiet_nan<T>())));
}

}  // namespace

int main() {
    products_are_rounded<float>();
    products_are_rounded<double>();
    comparisons<float>();
    comparisons<double>();
    comparisons<f16>();
    comparisons<bf16>();
    integer_limits<std::int8_t>();
    integer_limits<std::uint8_t>();
    integer_limits<std::int16_t>();
    integer_limits<std::uint16_t>();
    integer_limits<std::int32_t>();
    integer_limits<std::uint32_t>();
    integer_limits<std::int64_t>();
    integer_limits<std::uint64_t>();
    integer_limits<bool>();
    EXPECT(to_bits(1.0f) == 0x3f800000u && from_bits(std::uint32_t{0xc0000000u}) == -2.0f);
    EXPECT(to_bits(1.0) == 0x3ff0000000000000u && from_bits(std::uint64_t{0xc000000000000000u}) == -2.0);
    EXPECT(bit_cast<std::int32_t>(-0.0f) == std::numeric_limits<std::int32_t>::min());
    const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
    EXPECT(from_bytes<float>(byte(0), byte(0), byte(0x80), byte(0xbf)) == -1.0f);
    EXPECT(from_bytes<std::int16_t>(byte(0xfe), byte(0xff)) == -2 && from_bytes<std::uint16_t>(byte(1), byte(2)) == 513);
    EXPECT(from_bytes<f16>(byte(0), byte(0xc0)) == f16(-2.0f));
    EXPECT(from_bytes<double>(byte(0), byte(0), byte(0), byte(0), byte(0), byte(0), byte(0), byte(0x40)) == 2.0);
    EXPECT(select(true, 1, 2) == 1 && select(false, 1, 2) == 2);
    return expect::failures();
}
