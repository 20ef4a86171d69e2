#include <intent/combine.hpp>
#include <intent/cpu/ragged.hpp>

#include "../expect.hpp"
#include "ragged_shapes.hpp"

#include <cmath>
#include <vector>

using namespace intent;
using test::offsets_of;
using test::shapes;

namespace {

// The sum modulo 2^64, the greatest member and how many there are: whole numbers, no order shows.
struct Summary {
    std::uint64_t sum;
    index_t greatest;
    std::int32_t count;
    friend bool operator==(Summary a, Summary b) {
        return a.sum == b.sum && a.greatest == b.greatest && a.count == b.count;
    }
};

void folds() {
    for (const std::vector<index_t>& lengths : shapes()) {
        const std::vector<std::int32_t> offsets = offsets_of(lengths);
        const auto rows = static_cast<index_t>(lengths.size());
        const std::int32_t* const p = offsets.data();
        const auto offset = [=](index_t row) { return p[row]; };
        const auto value = [](index_t row, index_t i) {
            return Summary{static_cast<std::uint64_t>(row * 1000003 + i), i * 7919 % 1009, 1};
        };
        const auto combine = [](Summary a, Summary b) {
            return Summary{a.sum + b.sum, a.greatest > b.greatest ? a.greatest : b.greatest, a.count + b.count};
        };
        std::vector<Summary> results(lengths.size() + 1, Summary{1, 1, -9});
        Summary* const r = results.data();
        ragged_fold(rows, offset, Summary{3, -1, 100}, combine, value, [=](index_t row, Summary s) { r[row] = s; });
        for (index_t row = 0; row < rows; ++row) {
            Summary expected{3, -1, 100};  // counts once although it is no identity
            for (index_t i = p[row]; i < p[row + 1]; ++i) {
                expected = combine(expected, value(row, i));
            }
            EXPECT(r[row] == expected);
        }
        EXPECT(results.back().count == -9);
    }
}

void same_on_all_threads() {
    const std::vector<index_t> lengths = {3, 70001, 0, 17, 40000, 8192, 1, 250000, 5};
    const std::vector<std::int32_t> offsets = offsets_of(lengths);
    const std::int32_t* const p = offsets.data();
    std::vector<float> several(lengths.size());
    std::vector<float> one(lengths.size());
    const auto fold_into = [=](float* out) {
        ragged_fold(
            index_t{9}, [=](index_t row) { return index_t{p[row]}; }, 0.0f, Add{},
            [](index_t, index_t i) { return 1.0f / static_cast<float>(i); },
            [=](index_t row, float sum) { out[row] = sum; });
    };
    fold_into(several.data());
    #pragma omp parallel num_threads(1)
    fold_into(one.data());
    EXPECT(several == one);
    double exact = 0.0;
    for (index_t i = p[1]; i < p[2]; ++i) {
        exact += 1.0 / static_cast<double>(i);
    }
    EXPECT(std::fabs(static_cast<double>(one[1]) - exact) < 1e-5 * exact && one[2] == 0.0f);
}

void special() {
    const std::int32_t offsets[] = {0, 40, 40, 20000};
    const std::int32_t* const p = offsets;
    float results[3];
    float* const r = results;
    for (const index_t at : {0, 39, 40, 9000, 19999}) {
        ragged_fold(
            index_t{3}, [=](index_t row) { return p[row]; }, lowest<float>(), Maximum{},
            [=](index_t, index_t i) { return i == at ? quiet_nan<float>() : static_cast<float>(i); },
            [=](index_t row, float peak) { r[row] = peak; });
        EXPECT(at < 40 ? is_nan(r[0]) : r[0] == 39.0f);
        EXPECT(r[1] == -infinity<float>());
        EXPECT(at >= 40 ? is_nan(r[2]) : r[2] == 19999.0f);
    }
}

// Offsets and members past 2^31: nothing is narrowed.
void far_members() {
    const index_t far = index_t{1} << 33;
    index_t results[2] = {0, 0};
    index_t* const r = results;
    ragged_fold(
        index_t{2}, [=](index_t row) { return far + 10 * row; }, index_t{0}, Add{},
        [](index_t, index_t i) { return i; }, [=](index_t row, index_t sum) { r[row] = sum; });
    EXPECT(r[0] == 10 * far + 45 && r[1] == 10 * far + 145);
}

}  // namespace

int main() {
    folds();
    same_on_all_threads();
    special();
    far_members();
    return expect::failures();
}
