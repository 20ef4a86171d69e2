// Operands of a product that are multiplied where they lie: what is used only a few times is not worth a packed copy.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/operand.hpp>
#include <intent/cpu/panel.hpp>

#include <type_traits>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

namespace matmul_detail {

// Panels of the other operand that a panel must meet before packing it pays.
constexpr index_t kFewPanels = 8;
// Lines this far apart share a few places of the first cache: they are packed.
constexpr index_t kCrowdedBytes = 4096;
// A block of b that is read again for each panel of a, line by line, should not reach farther.
constexpr index_t kNearBytes = index_t{64} << 10;

// Rows [begin, end) of a step: row `begin` starts at `first`, the others `row_stride` elements apart, and their elements
// `step` apart. One of the two distances is 1.
template <class Packed>
struct RowsInPlace {
    const Packed* first;
    index_t row_stride;
    index_t step;
    index_t begin;
    index_t end;

    const Packed* row(index_t i) const noexcept { return first + (i - begin) * row_stride; }
};

// Panels of b, `apart` elements from one to the next; their steps are `step` elements apart.
template <class Packed>
struct ColumnPanels {
    const Packed* first;
    index_t apart;
    index_t step;

    const Packed* panel(index_t j) const noexcept { return first + j * apart; }
};

template <class Packed, class Operand>
constexpr bool kHoldsPacked = std::is_same_v<Operand, Matrix<Packed>> || std::is_same_v<Operand, Matrix<const Packed>>;

// True where lines of Packed, `stride` elements apart, do not push each other out of the first cache.
template <class Packed>
constexpr bool spread_out(index_t stride) noexcept {
    const index_t apart = stride * static_cast<index_t>(sizeof(Packed));
    return apart == 0 || apart % kCrowdedBytes != 0;
}

// True where a panel of rows meets so few of the `columns` that packing it would not pay.
template <class Packed>
constexpr bool few_columns(index_t columns) noexcept {
    return columns <= kFewPanels * Panel<Packed>::kColumns;
}

// `rows` rows of a from (m0, k0) on, if a product with so many columns may read them where they lie.
template <class Acc, class Packed, class A>
RowsInPlace<Packed> rows_in_place(const A& a, index_t m0, index_t k0, index_t rows, index_t columns) noexcept {
    if constexpr (std::is_same_v<Packed, Acc> && kHoldsPacked<Packed, A>) {
        const bool along_rows = a.column_stride == 1;
        const index_t line_stride = along_rows ? a.row_stride : a.column_stride;
        if ((along_rows || a.row_stride == 1) && few_columns<Packed>(columns) && spread_out<Packed>(line_stride)) {
            return {&a(m0, k0), a.row_stride, a.column_stride, 0, rows};
        }
    }
    return {nullptr, 0, 0, 0, 0};
}

// The same for whole panels of columns of b, `depth` steps from (k0, n0) on; without a first element they are packed.
template <class Acc, class Packed, class B>
ColumnPanels<Packed> columns_in_place(const B& b, index_t k0, index_t n0, index_t depth, index_t rows,
                                      index_t columns) noexcept {
    constexpr index_t kColumns = Panel<Packed>::kColumns;
    if constexpr (std::is_same_v<Packed, Acc> && kHoldsPacked<Packed, B>) {
        const index_t reach = depth * b.row_stride * static_cast<index_t>(sizeof(Packed));
        if (b.column_stride == 1 && columns % kColumns == 0 && rows <= kFewPanels * Panel<Packed>::kRows &&
            reach >= 0 && reach <= kNearBytes && spread_out<Packed>(b.row_stride)) {
            return {&b(k0, n0), kColumns, b.row_stride};
        }
    }
    return {nullptr, kColumns * depth, kColumns};
}

}  // namespace matmul_detail

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
