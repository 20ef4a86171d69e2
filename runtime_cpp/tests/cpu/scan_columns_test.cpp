#include <intent/cpu/scan_columns.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <vector>

using namespace intent;

namespace {

// Compositions of maps x -> scale x + offset modulo 2^32: they do not commute.
struct Affine {
    std::uint32_t scale;
    std::uint32_t offset;
    friend bool operator==(Affine a, Affine b) { return a.scale == b.scale && a.offset == b.offset; }
};

template <ScanKind kKind, class T, class Combine, class Make>
void exact(T identity, Combine combine, Make make) {
    for (const index_t rows : {0, 1, 2, 3, 17, 130, 4099}) {
        for (const index_t columns : {0, 1, 3, 64, 255, 256, 257, 5003}) {
            if (rows * columns > 1200000) {
                continue;
            }
            const auto size = static_cast<std::size_t>(rows * columns);
            std::vector<T> x(size + 1);
            for (T& member : x) {
                member = make();
            }
            std::vector<T> one(size + 1, x[size]);
            std::vector<T> all = one;
            std::vector<T> expected = one;
            const T* const p = x.data();
            T* const q = one.data();
            T* const r = all.data();
            T* const e = expected.data();
            const auto value = [=](index_t row, index_t column) { return p[row * columns + column]; };
            scan_columns<kKind>(rows, columns, identity, combine, value,
                                [=](index_t row, index_t column, T prefix) { q[row * columns + column] = prefix; });
            parallel_scan_columns<kKind>(
                rows, columns, identity, combine, value,
                [=](index_t row, index_t column, T prefix) { r[row * columns + column] = prefix; });
            for (index_t column = 0; column < columns; ++column) {
                scan_row<kKind>(
                    rows, identity, combine, [=](index_t row) { return value(row, column); },
                    [=](index_t row, T prefix) { e[row * columns + column] = prefix; });
            }
            EXPECT(one == expected);
            EXPECT(all == expected);
        }
    }
}

// Rounded sums are grouped by the shape alone.
void same_on_all_threads() {
    constexpr index_t kRows = 3001;
    constexpr index_t kColumns = 37;
    std::vector<float> several(kRows * kColumns);
    std::vector<float> one(several.size());
    const auto scan_into = [](float* out) {
        parallel_scan_columns<ScanKind::kExclusive>(
            kRows, kColumns, 0.0f, Add{},
            [](index_t row, index_t column) { return 1.0f / static_cast<float>(1 + row * 3 + column); },
            [=](index_t row, index_t column, float prefix) { out[row * kColumns + column] = prefix; });
    };
    scan_into(several.data());
    #pragma omp parallel num_threads(1)
    scan_into(one.data());
    EXPECT(several == one);
}

}  // namespace

int main() {
    test::Random random(8);
    const auto whole = [&] { return static_cast<float>(random.integer(-9, 9)); };
    exact<ScanKind::kInclusive>(0.0f, Add{}, whole);
    exact<ScanKind::kExclusiveReverse>(0.0f, Add{}, whole);
    exact<ScanKind::kExclusive>(lowest<std::int16_t>(), Maximum{},
                                [&] { return static_cast<std::int16_t>(random.integer(-999, 999)); });
    const auto compose = [](Affine f, Affine g) { return Affine{f.scale * g.scale, f.offset * g.scale + g.offset}; };
    const auto map = [&] {
        return Affine{static_cast<std::uint32_t>(random.bits()), static_cast<std::uint32_t>(random.bits())};
    };
    exact<ScanKind::kInclusiveReverse>(Affine{1, 0}, compose, map);
    exact<ScanKind::kExclusive>(Affine{1, 0}, compose, map);
    same_on_all_threads();
    return expect::failures();
}
