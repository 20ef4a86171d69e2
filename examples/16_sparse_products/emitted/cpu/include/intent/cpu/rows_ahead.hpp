// Rows that the data choose, asked for while earlier ones are worked on: their addresses are known long before a
// processor comes across them by itself.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/stream.hpp>
#include <intent/line.hpp>

namespace intent {

namespace detail {

// Bytes of rows that are on their way at a time, and rows at most.
constexpr index_t kBytesAhead = 4096;
constexpr index_t kMostRowsAhead = 32;
// Rows of fewer bytes are read without being asked for: a processor looks far enough ahead for single lines.
constexpr index_t kFewestBytes = 128;
// A matrix of so many bytes is near anyway.
constexpr index_t kNearBytes = index_t{1} << 19;

// How many rows of `bytes` bytes are asked for ahead of the one in work; 0 where they are so long that a processor sees
// them come.
constexpr index_t rows_ahead(index_t bytes) noexcept {
    return 4 * bytes > kBytesAhead ? 0 : least(kMostRowsAhead, kBytesAhead / most(1, bytes));
}

// Asks for what is written to a row. Inlined: compilers drop calls of functions that do nothing else.
template <class T, class Target>
[[gnu::always_inline]] inline void ask_for_row(index_t row, index_t width, Target target) {
    for (index_t j = 0; j < width; j += static_cast<index_t>(kLineBytes / sizeof(T))) {
        __builtin_prefetch(&target(row, j), 1);
    }
}

}  // namespace detail

// Member i reads row numbers[first + i] of `rows`. Of the `count` numbers, those after the members are of later ones.
template <class T, bool kDense, class Number, bool kDenseNumbers>
struct RowsAhead {
    Lines<1, kDense, T, 2> rows;
    Line<Number, kDenseNumbers> numbers;
    index_t first;
    index_t count;

    // How many members ahead of the one in work to ask for `columns` columns; 0: not at all.
    index_t distance(index_t columns) const noexcept {
        const index_t bytes = columns * kSize;
        const bool far = rows.view.extents[0] * rows.view.strides[0] * kSize > detail::kNearBytes;
        return kDense && far && bytes >= detail::kFewestBytes ? detail::rows_ahead(bytes) : 0;
    }

    // Asks for columns [begin, end) of the row that a member reads, which may be beyond the last one. Inlined as above.
    [[gnu::always_inline]] void ask(index_t member, index_t begin, index_t end) const noexcept {
        if (first + member >= count) {
            return;
        }
        // As numbers: where a member is left out, any row may be named.
        const auto number = static_cast<std::uintptr_t>(numbers[first + member]);
        const auto stride = static_cast<std::uintptr_t>(rows.view.strides[0]) * sizeof(T);
        const auto row = reinterpret_cast<std::uintptr_t>(rows.view.data + begin) + number * stride;
        for (std::uintptr_t byte = 0; byte < static_cast<std::uintptr_t>((end - begin) * kSize); byte += kLineBytes) {
            __builtin_prefetch(reinterpret_cast<const void*>(row + byte));  // NOLINT(performance-no-int-to-ptr)
        }
    }

private:
    static constexpr index_t kSize = sizeof(T);
};
template <class T, bool kDense, class Number, bool kDenseNumbers>
RowsAhead(Lines<1, kDense, T, 2>, Line<Number, kDenseNumbers>, index_t, index_t)
    -> RowsAhead<T, kDense, Number, kDenseNumbers>;

}  // namespace intent
