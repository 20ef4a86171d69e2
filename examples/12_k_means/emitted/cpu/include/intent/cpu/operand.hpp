// What a matrix product reads and writes: strided matrices, and operands whose elements are computed while packing.
#pragma once

#include <intent/config.hpp>

#include <type_traits>
#include <utility>

namespace intent {

// A matrix in memory: element (i, j) at data[i * row_stride + j * column_stride]. Transposed: strides swapped.
template <class T>
struct Matrix {
    T* data;
    index_t row_stride;
    index_t column_stride;

    T& operator()(index_t i, index_t j) const noexcept { return data[i * row_stride + j * column_stride]; }
};
template <class T>
Matrix(T*, index_t, index_t) -> Matrix<T>;

// The same elements with rows and columns exchanged.
template <class T>
Matrix<T> transposed(const Matrix<T>& matrix) noexcept {
    return {matrix.data, matrix.column_stride, matrix.row_stride};
}

// True for operands in memory.
template <class Operand>
constexpr bool kInMemory = false;
template <class T>
constexpr bool kInMemory<Matrix<T>> = true;

// A matrix with elements value(i, j) of type T, each computed once for each panel that holds it.
template <class T, class Value>
struct Computed {
    Value value;

    T operator()(index_t i, index_t j) const { return static_cast<T>(value(i, j)); }
};

// The type of the elements of an operand.
template <class Operand>
using ElementOf = std::decay_t<decltype(std::declval<const Operand&>()(index_t{0}, index_t{0}))>;

// The operand with elements value(i, j) of type T.
template <class T, class Value>
Computed<T, Value> computed(Value value) {
    return {value};
}

// The default epilogue: the sum itself.
struct StoreSum {
    template <class Acc>
    Acc operator()(index_t, index_t, Acc sum) const noexcept {
        return sum;
    }
};

}  // namespace intent
