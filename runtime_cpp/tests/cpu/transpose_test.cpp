#include <intent/cpu/transpose.hpp>

#include "../expect.hpp"

#include <vector>

using intent::index_t;

namespace {

// Sides around whole vectors, rows farther apart than they are long; nothing beside the target is written.
template <class T>
void sides() {
    for (const index_t rows : {0, 1, 7, 8, 14, 16, 17, 32}) {
        for (const index_t columns : {0, 1, 3, 8, 15, 16, 33}) {
            const index_t source_stride = columns + 3;
            const index_t target_stride = rows + 5;
            std::vector<T> source(static_cast<std::size_t>(rows * source_stride + 1));
            std::vector<T> target(static_cast<std::size_t>(columns * target_stride + 1), T(-1));
            for (std::size_t i = 0; i < source.size(); ++i) {
                source[i] = static_cast<T>(i);
            }
            intent::transpose(rows, columns, source.data(), source_stride, target.data(), target_stride);
            for (index_t j = 0; j < columns; ++j) {
                for (index_t i = 0; i < target_stride; ++i) {
                    const T expected = i < rows ? static_cast<T>(i * source_stride + j) : T(-1);
                    EXPECT(target[static_cast<std::size_t>(j * target_stride + i)] == expected);
                }
            }
        }
    }
}

// Rows that need not fill vectors, columns side by side; nothing behind the last one is written.
template <int kRows, class T>
void rows_of() {
    for (const index_t columns : {0, 1, 3, 8, 15, 16, 33, 64}) {
        const index_t stride = columns + 3;
        std::vector<T> source(static_cast<std::size_t>(kRows * stride));
        std::vector<T> target(static_cast<std::size_t>(columns * kRows + 64), T(-1));
        for (std::size_t i = 0; i < source.size(); ++i) {
            source[i] = static_cast<T>(i);
        }
        intent::transpose_rows<kRows>(columns, source.data(), stride, target.data());
        for (index_t k = 0; k < static_cast<index_t>(target.size()); ++k) {
            const index_t from = k % kRows * stride + k / kRows;
            const T expected = k < columns * kRows ? static_cast<T>(from) : T(-1);
            EXPECT(target[static_cast<std::size_t>(k)] == expected);
        }
    }
}

template <class T>
void rows_of_all() {
    rows_of<1, T>();
    rows_of<2, T>();
    rows_of<5, T>();
    rows_of<6, T>();
    rows_of<14, T>();
    rows_of<16, T>();
    rows_of<23, T>();
}

}  // namespace

int main() {
    rows_of_all<float>();
    rows_of_all<double>();
    rows_of_all<std::int32_t>();
    rows_of_all<std::int64_t>();
    rows_of_all<std::int16_t>();
    sides<float>();
    sides<double>();
    sides<std::int32_t>();
    sides<std::int64_t>();
    sides<std::int16_t>();
    return expect::failures();
}
