#include <intent/cpu/fold_rows.hpp>

#include "../expect.hpp"

using namespace intent;

namespace {

// Whole numbers: every order of summation gives the same result.
void sums() {
    for (const index_t rows : {0, 1, 3, 1000, 40000}) {
        for (const index_t columns : {0, 1, 7, 20000}) {
            if (rows * columns > 30000000) {
                continue;
            }
            const auto row_fold = [=](index_t row) {
                return fold(columns, Add{}, [=](index_t column) { return static_cast<double>((row + column) % 3); });
            };
            double expected = 0.0;
            for (index_t row = 0; row < rows; ++row) {
                expected += row_fold(row);
            }
            EXPECT(parallel_fold_rows(rows, columns, Add{}, row_fold) == expected);
        }
    }
}

void extremes() {
    const auto row_fold = [](index_t row) { return static_cast<float>((row * 7919) % 10007); };
    EXPECT(parallel_fold_rows(10007, 5000, Maximum{}, row_fold) == 10006.0f);
    EXPECT(parallel_fold_rows(0, 5000, Maximum{}, row_fold) == lowest<float>());
}

}  // namespace

int main() {
    sums();
    extremes();
    return expect::failures();
}
