// Two axes of a view as a matrix: what a product routine works on once the other coordinates are fixed.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/operand.hpp>
#include <intent/view.hpp>

namespace intent {

namespace detail {

// The offset of the coordinates of the axes that are neither `Row` nor `Column`, in order, from axis `Here` on.
template <int Row, int Column, int Here, class T, int Rank>
constexpr index_t matrix_offset(const View<T, Rank>&) noexcept {
    return 0;
}
template <int Row, int Column, int Here, class T, int Rank, class First, class... Rest>
constexpr index_t matrix_offset(const View<T, Rank>& view, First first, Rest... rest) noexcept {
    if constexpr (Here == Row || Here == Column) {
        return matrix_offset<Row, Column, Here + 1>(view, first, rest...);
    } else {
        return static_cast<index_t>(first) * view.strides[Here] +
               matrix_offset<Row, Column, Here + 1>(view, rest...);
    }
}

}  // namespace detail

// The matrix whose rows run along axis `Row` and whose columns run along axis `Column`, at the coordinates `others` of
// the other axes, in order. With the two axes swapped it is transposed.
template <int Row, int Column, class T, int Rank, class... Index>
constexpr Matrix<T> matrix(const View<T, Rank>& view, Index... others) noexcept {
    static_assert(Row != Column && sizeof...(Index) == Rank - 2, "one coordinate for each other axis");
    return {view.data + detail::matrix_offset<Row, Column, 0>(view, others...), view.strides[Row], view.strides[Column]};
}

}  // namespace intent
