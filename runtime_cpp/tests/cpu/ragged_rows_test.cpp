#include <intent/combine.hpp>
#include <intent/cpu/ragged_rows.hpp>
#include <intent/line.hpp>
#include <intent/numeric.hpp>

#include "../expect.hpp"
#include "../random.hpp"
#include "ragged_shapes.hpp"

#include <cmath>
#include <vector>

using namespace intent;
using test::offsets_of;
using test::shapes;

namespace {

void rows_once_each() {
    for (const std::vector<index_t>& lengths : shapes()) {
        const std::vector<std::int32_t> offsets = offsets_of(lengths);
        const auto rows = static_cast<index_t>(lengths.size());
        const std::int32_t* const p = offsets.data();
        for (const index_t work : {0, 1, 64, 100000}) {
            std::vector<int> visits(lengths.size() + 1, 0);
            int* const v = visits.data();
            ragged_rows(rows, [=](index_t row) { return p[row]; }, work, [=](index_t row) { ++v[row]; });
            for (index_t row = 0; row < rows; ++row) {
                EXPECT(v[row] == 1);
            }
        }
    }
}

// Sums of rows by bodies that fold, long rows among them; equal for every number of threads.
void folding_bodies() {
    std::vector<std::vector<index_t>> many = shapes();
    many.push_back({1 << 20, 1, 2, 3, 0, 65535, 65536, 65537, 5});
    many.emplace_back(70000, 1);
    many.back()[35000] = 3 << 18;  // one huge row among tiny ones
    for (const std::vector<index_t>& lengths : many) {
        const std::vector<std::int32_t> offsets = offsets_of(lengths);
        const auto rows = static_cast<index_t>(lengths.size());
        const std::int32_t* const p = offsets.data();
        std::vector<float> first;
        for ([[maybe_unused]] const int threads : {1, 2, 5}) {
#if defined(_OPENMP)
            omp_set_num_threads(threads);
#endif
            std::vector<int> visits(lengths.size() + 1, 0);
            std::vector<float> sums(lengths.size() + 1, -1.0f);
            int* const v = visits.data();
            float* const r = sums.data();
            ragged_folds(rows, [=](index_t row) { return p[row]; }, [=](index_t row, auto row_fold) {
                const index_t begin = p[row];
                r[row] = row_fold(p[row + 1] - begin, Add{}, [=](index_t i) {
                    return 1.0f / static_cast<float>(begin + i);
                });
                ++v[row];
            });
            for (index_t row = 0; row < rows; ++row) {
                const auto at = static_cast<std::size_t>(row);
                double exact = 0.0;
                for (index_t i = p[row]; i < p[row + 1]; ++i) {
                    exact += 1.0 / static_cast<double>(i);
                }
                EXPECT(v[row] == 1 && std::fabs(static_cast<double>(sums[at]) - exact) <= 1e-5 * exact);
            }
            EXPECT(v[rows] == 0 && sums.back() == -1.0f);
            first = first.empty() ? sums : first;
            EXPECT(first == sums);
        }
    }
}

// Rows of every length up to some vectors, one after the other, read through lines that are fetched ahead: whole numbers,
// so that no grouping shows, and in front of and behind each row what would spoil its sum.
template <class T, bool kDense>
void short_rows() {
    constexpr index_t kLongest = 600;
    constexpr index_t kStride = kDense ? 1 : 3;
    constexpr index_t kMembers = kLongest * (kLongest + 1) / 2;
    std::vector<index_t> lengths;
    for (index_t row = 0; row <= kLongest; ++row) {
        lengths.push_back(row);
    }
    std::vector<std::int32_t> offsets = offsets_of(lengths);
    std::vector<T> members(static_cast<std::size_t>((kMembers + 5) * kStride), T(0));
    std::vector<T> sums(lengths.size(), T(-1));
    const Line<const T, kDense> line{members.data(), kStride};
    const std::int32_t* const p = offsets.data();
    T* const m = members.data();
    T* const r = sums.data();
    for (const index_t spoiled : {0, 1, 15, 16, 17, 100, 127, 128, 129, 255, 256, 257, 599}) {
        for (index_t i = 0; i < kMembers + 5; ++i) {
            m[i * kStride] = i < p[spoiled] || i >= p[spoiled + 1] ? quiet_nan<T>() : static_cast<T>(i % 7);
        }
        ragged_folds(static_cast<index_t>(lengths.size()), [=](index_t row) { return p[row]; },
                     [=](index_t row, auto row_fold) {
                         const index_t begin = p[row];
                         r[row] = row_fold(p[row + 1] - begin, Add{}, [=](index_t i) { return line[begin + i]; });
                     },
                     PrefetchAhead{line});
        T expected(0);
        for (index_t i = p[spoiled]; i < p[spoiled + 1]; ++i) {
            expected += static_cast<T>(i % 7);
        }
        for (index_t row = 0; row <= kLongest; ++row) {
            EXPECT(row == spoiled ? r[row] == expected : row == 0 ? r[row] == T(0) : is_nan(r[row]));
        }
    }
}

// Offsets that fall are no rows; every row is looked at once all the same.
void falling_offsets() {
    constexpr index_t kRows = 4000;
    std::vector<std::int32_t> offsets(kRows + 1);
    test::Random random(7);
    for (std::int32_t& offset : offsets) {
        offset = static_cast<std::int32_t>(random.integer(0, 300000));
    }
    offsets.back() = 300000;
    const std::int32_t* const p = offsets.data();
    std::vector<int> visits(kRows, 0);
    int* const v = visits.data();
    ragged_rows(kRows, [=](index_t row) { return p[row]; }, 1, [=](index_t row) { ++v[row]; });
    ragged_folds(kRows, [=](index_t row) { return p[row]; }, [=](index_t row, auto) { ++v[row]; });
    EXPECT(visits == std::vector<int>(kRows, 2));
}

}  // namespace

int main() {
    rows_once_each();
    folding_bodies();
    short_rows<float, true>();
    short_rows<float, false>();
    short_rows<double, true>();
    falling_offsets();
    return expect::failures();
}
