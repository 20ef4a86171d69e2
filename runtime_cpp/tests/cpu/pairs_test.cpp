#include <intent/cpu/pairs.hpp>

#include "../expect.hpp"
#include "../random.hpp"

using intent::index_t;

int main() {
    constexpr int kLanes = intent::kVectorLanes<std::int32_t>;
    test::Random random(10);
    for (int repeat = 0; repeat < 2000; ++repeat) {
        std::int32_t a[kLanes];
        std::int32_t b[kLanes];
        std::int32_t sums[kLanes];
        std::int32_t expected[kLanes];
        for (int i = 0; i < kLanes; ++i) {
            // The ends of the range often: -2^15 * -2^15, twice, is 2^31 and wraps.
            const auto element = [&] {
                const std::int64_t x = random.integer(-32768, 32767);
                return static_cast<std::int16_t>(random.integer(0, 3) == 0 ? (x < 0 ? -32768 : 32767) : x);
            };
            const std::int16_t a_even = element();
            const std::int16_t a_odd = element();
            const std::int16_t b_even = element();
            const std::int16_t b_odd = element();
            a[i] = static_cast<std::int32_t>(intent::make_pair16(a_even, a_odd));
            b[i] = static_cast<std::int32_t>(intent::make_pair16(b_even, b_odd));
            sums[i] = static_cast<std::int32_t>(random.bits());
            expected[i] = static_cast<std::int32_t>(
                static_cast<std::uint64_t>(std::int64_t{sums[i]} + a_even * b_even + std::int64_t{a_odd} * b_odd));
        }
        intent::store_vector(
            sums, intent::add_pair_products(intent::load_vector(sums), intent::load_vector(a), intent::load_vector(b)));
        for (int i = 0; i < kLanes; ++i) {
            EXPECT(sums[i] == expected[i]);
        }
    }

    // Pairs of an odd K end in zero, and nothing past the end is read.
    const std::int8_t row[3] = {-1, 2, -3};
    const auto columns = intent::paired_columns(intent::Matrix<const std::int8_t>{row, 3, 1}, 3);
    const auto rows = intent::paired_rows(intent::Matrix<const std::int8_t>{row, 1, 3}, 3);
    EXPECT(columns(0, 0) == intent::make_pair16(-1, 2) && columns(0, 1) == intent::make_pair16(-3, 0));
    EXPECT(rows(0, 0) == intent::make_pair16(-1, 2) && rows(1, 0) == intent::make_pair16(-3, 0));
    static_assert(intent::kFitsPair16<bool> && intent::kFitsPair16<std::uint8_t> && intent::kFitsPair16<std::int16_t>);
    static_assert(!intent::kFitsPair16<std::uint16_t> && !intent::kFitsPair16<std::int32_t> &&
                  !intent::kFitsPair16<float>);
    return expect::failures();
}
