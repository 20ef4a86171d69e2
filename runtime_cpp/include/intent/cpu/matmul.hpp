// c(m, n) = epilogue(m, n, sum over k of a(m, k) * b(k, n)) for any shapes, strides and number types.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>

#include <type_traits>

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

// An operand whose elements are computed when they are packed.
template <class T, class Value>
struct Computed {
    Value value;

    T operator()(index_t i, index_t j) const { return static_cast<T>(value(i, j)); }
};

// The operand with elements value(i, j) of type T.
template <class T, class Value>
Computed<T, Value> computed(Value value) {
    return {value};
}

// The default epilogue: the sum itself, converted to the element type of c.
struct StoreSum {
    template <class Acc>
    Acc operator()(index_t, index_t, Acc sum) const noexcept {
        return sum;
    }
};

// On all threads; on this one inside a parallel region or when there is little to do. Acc is the type of the sums
// (void: the element type of c). c overlaps neither a nor b; `epilogue` may read element (m, n) of c and other arrays.
template <class Acc = void, class A, class B, class C, class Epilogue = StoreSum>
void matmul(index_t M, index_t N, index_t K, A a, B b, Matrix<C> c, Epilogue epilogue = {}) {
    using Sum = std::conditional_t<std::is_void_v<Acc>, C, Acc>;
    #pragma omp parallel for schedule(static) if (M * N * K >= kParallelWork)
    for (index_t m = 0; m < M; ++m) {
        for (index_t n = 0; n < N; ++n) {
            Sum sum = Sum(0);
            for (index_t k = 0; k < K; ++k) {
                sum = static_cast<Sum>(sum + static_cast<Sum>(a(m, k)) * static_cast<Sum>(b(k, n)));
            }
            c(m, n) = static_cast<C>(epilogue(m, n, sum));
        }
    }
}

}  // namespace intent
