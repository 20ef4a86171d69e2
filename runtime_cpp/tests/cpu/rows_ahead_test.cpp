#include <intent/cpu/fold.hpp>
#include <intent/cpu/rows_ahead.hpp>

#include "../expect.hpp"

#include <vector>

using namespace intent;

namespace {

constexpr index_t kRows = 5000;

View<const float, 2> matrix(const std::vector<float>& x, index_t columns) {
    return {x.data(), {kRows, columns}, {columns, 1}};
}

// Rows of one or two lines, or of some, in a matrix that is far: so many that they are about as many bytes each time.
void distances() {
    const std::vector<float> x;
    const std::vector<std::int32_t> numbers(4);
    const auto distance = [&](index_t columns) {
        const RowsAhead ahead{lines<1, true>(matrix(x, columns)), Line<const std::int32_t, true>{numbers.data(), 1}, 0, 4};
        return ahead.distance(columns);
    };
    EXPECT(distance(32) == 32 && distance(64) == 16 && distance(256) == 4);
    EXPECT(distance(16) == 0 && distance(0) == 0 && distance(512) == 0);
    const RowsAhead near{Lines<1, true, const float, 2>{{x.data(), {100, 64}, {64, 1}}},
                         Line<const std::int32_t, true>{numbers.data(), 1}, 0, 4};
    EXPECT(near.distance(64) == 0);
    const RowsAhead strided{Lines<1, false, const float, 2>{{x.data(), {kRows, 64}, {64, 2}}},
                            Line<const std::int32_t, false>{numbers.data(), 1}, 0, 4};
    EXPECT(strided.distance(64) == 0);
}

// Sums of rows by number, wherever the members begin; numbers behind them may name rows that there are not.
void sums() {
    constexpr index_t kColumns = 64;
    std::vector<float> x(static_cast<std::size_t>(kRows * kColumns));
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 11);
    }
    std::vector<std::int32_t> numbers;
    for (int i = 0; i < 100; ++i) {
        numbers.push_back(i * 37 % static_cast<int>(kRows));
    }
    numbers.insert(numbers.end(), {-1, 2000000000, -2000000000, 7});
    const auto count = static_cast<index_t>(numbers.size());
    const auto rows = lines<1, true>(matrix(x, kColumns));
    const Line<const std::int32_t, true> line{numbers.data(), 1};
    for (const index_t first : {0, 1, 50, 99}) {
        for (index_t members = 0; first + members <= 100; members += 7) {
            std::vector<float> found(kColumns);
            fold_columns(
                members, kColumns, Add{}, [=](index_t i, index_t c) { return rows(line[first + i], c); }, found.data(),
                RowsAhead{rows, line, first, count});
            for (index_t c = 0; c < kColumns; ++c) {
                float expected = 0;
                for (index_t i = 0; i < members; ++i) {
                    expected += rows(line[first + i], c);
                }
                EXPECT(found[static_cast<std::size_t>(c)] == expected);
            }
        }
    }
}

}  // namespace

int main() {
    distances();
    sums();
    return expect::failures();
}
