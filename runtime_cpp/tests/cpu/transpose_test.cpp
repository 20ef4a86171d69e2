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

}  // namespace

int main() {
    sides<float>();
    sides<double>();
    sides<std::int32_t>();
    sides<std::int64_t>();
    sides<std::int16_t>();
    return expect::failures();
}
