#include <intent/cpu/histogram.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <vector>

using namespace intent;

namespace {

// Members of [-3, bins + 3), of which those in [0, bins) are valid and those at multiples of `period` stand at one
// place.
template <class T>
void check(index_t count, index_t bins, index_t period) {
    test::Random random(static_cast<std::uint64_t>(count + 31 * bins));
    std::vector<std::int32_t> x(static_cast<std::size_t>(count) + 1);
    std::vector<T> expected(static_cast<std::size_t>(bins) + 1, T{0});
    std::vector<T> expected_all = expected;
    expected.back() = expected_all.back() = T{77};
    for (index_t i = 0; i < count; ++i) {
        const index_t member = period > 0 && i % period == 0 ? bins / 2 : random.integer(-3, bins + 2);
        x[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(member);
        if (member >= 0 && member < bins) {
            ++expected[static_cast<std::size_t>(member)];
        }
        ++expected_all[static_cast<std::size_t>(member < 0 ? 0 : least(member, bins - 1))];
    }
    const std::int32_t* const p = x.data();
    std::vector<T> counts(static_cast<std::size_t>(bins) + 1, T{77});
    histogram(
        count, bins, [=](index_t i) { return p[i]; }, [=](index_t i) { return p[i] >= 0 && p[i] < bins; },
        counts.data());
    EXPECT(counts == expected);
    histogram(count, bins, [=](index_t i) { return p[i] < 0 ? index_t{0} : least(p[i], bins - 1); }, counts.data());
    EXPECT(counts == expected_all);
}

template <class T>
void sizes() {
    for (const index_t count : {0, 1, 2, 7, 8, 9, 1009, 33333, 200003}) {
        for (const index_t bins : {1, 2, 10, 256, 2049, 16385, 40000, 70001}) {
            check<T>(count, bins, 0);
        }
    }
    check<T>(400009, 90001, 2);  // crowded, with private counters
}

// One histogram a row, each on its own thread.
void nested() {
    std::int32_t counts[2][300];
    #pragma omp parallel for num_threads(2)
    for (int row = 0; row < 2; ++row) {
        histogram(index_t{60000}, index_t{300}, [=](index_t i) { return (i + row) % 300; }, counts[row]);
    }
    for (const auto& row : counts) {
        for (const std::int32_t counted : row) {
            EXPECT(counted == 200);
        }
    }
}

}  // namespace

int main() {
    sizes<std::int32_t>();
    check<std::uint8_t>(100003, 3, 1);  // counts wrap
    check<std::uint8_t>(100003, 70001, 2);
    check<std::int64_t>(200003, 100003, 2);  // crowded, sorted by range
    check<std::int64_t>(200003, 100003, 1);
    nested();
    return expect::failures();
}
