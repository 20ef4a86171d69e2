// A square of numbers with rows and columns exchanged, in registers.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/vector.hpp>

#include <cstring>
#include <utility>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

namespace vector_detail {

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define INTENT_SHUFFLES 1
#endif
#endif

#if defined(INTENT_SHUFFLES)

// Of two vectors the lower (kHigh = 0) or upper (1) halves, lane by lane in turn.
template <int kHigh, class V, int... kLane>
INTENT_HOST_DEVICE V in_turn(V even, V odd, std::integer_sequence<int, kLane...>) noexcept {
    constexpr int kLanes = static_cast<int>(sizeof...(kLane));
    return __builtin_shufflevector(even, odd, ((kLane + kHigh * kLanes) / 2 + kLane % 2 * kLanes)...);
}

// Rows become columns.
template <class T>
INTENT_HOST_DEVICE void transpose_vectors(Vector<T> (&rows)[kVectorLanes<T>]) noexcept {
    constexpr int kLanes = kVectorLanes<T>;
    constexpr auto kEach = std::make_integer_sequence<int, kLanes>{};
    // Each round doubles the number of neighbours that come from different rows.
    #pragma GCC unroll 4
    for (int done = 1; done < kLanes; done *= 2) {
        Vector<T> mixed[kLanes];
        #pragma GCC unroll 8
        for (int i = 0; i < kLanes / 2; ++i) {
            mixed[2 * i] = in_turn<0>(rows[i], rows[i + kLanes / 2], kEach);
            mixed[2 * i + 1] = in_turn<1>(rows[i], rows[i + kLanes / 2], kEach);
        }
        #pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i) {
            rows[i] = mixed[i];
        }
    }
}

// target row j = source column j, for kVectorLanes<T> rows and columns; rows are `stride` elements apart.
template <class T>
INTENT_HOST_DEVICE void transpose_square(const T* source, index_t source_stride, T* target,
                                         index_t target_stride) noexcept {
    constexpr int kLanes = kVectorLanes<T>;
    Vector<T> rows[kLanes];
    #pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
        rows[i] = load_vector(source + i * source_stride);
    }
    transpose_vectors<T>(rows);
    #pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
        store_vector(target + i * target_stride, rows[i]);
    }
}

// The same for kRows rows, fewer than a vector has lanes. Each target row but the last is written as a whole vector:
// what follows its kRows elements is lost, as far as the next row does not write it again.
template <int kRows, class T>
INTENT_HOST_DEVICE void transpose_few(const T* source, index_t source_stride, T* target,
                                      index_t target_stride) noexcept {
    constexpr int kLanes = kVectorLanes<T>;
    Vector<T> rows[kLanes] = {};
    #pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
        rows[i] = load_vector(source + i * source_stride);
    }
    transpose_vectors<T>(rows);
    #pragma GCC unroll 16
    for (int i = 0; i < kLanes - 1; ++i) {
        store_vector(target + i * target_stride, rows[i]);
    }
    std::memcpy(target + (kLanes - 1) * target_stride, &rows[kLanes - 1], kRows * sizeof(T));
}

#else

template <class T>
INTENT_HOST_DEVICE void transpose_square(const T* source, index_t source_stride, T* target,
                                         index_t target_stride) noexcept {
    for (int i = 0; i < kVectorLanes<T>; ++i) {
        for (int j = 0; j < kVectorLanes<T>; ++j) {
            target[j * target_stride + i] = source[i * source_stride + j];
        }
    }
}

template <int kRows, class T>
INTENT_HOST_DEVICE void transpose_few(const T* source, index_t source_stride, T* target,
                                      index_t target_stride) noexcept {
    for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kVectorLanes<T>; ++j) {
            target[j * target_stride + i] = source[i * source_stride + j];
        }
    }
}

#endif

#undef INTENT_SHUFFLES

}  // namespace vector_detail

// target(j, i) = source(i, j) for 0 <= i < rows, 0 <= j < columns; rows are `stride` elements apart. On this thread.
template <class T>
void transpose(index_t rows, index_t columns, const T* source, index_t source_stride, T* target,
               index_t target_stride) noexcept {
    constexpr index_t kSide = kVectorLanes<T>;
    for (index_t i = 0; i < rows; i += kSide) {
        index_t j = 0;
        if (i + kSide <= rows) {
            for (; j + kSide <= columns; j += kSide) {
                vector_detail::transpose_square(source + i * source_stride + j, source_stride,
                                                target + j * target_stride + i, target_stride);
            }
        }
        for (; j < columns; ++j) {
            for (index_t inner = i; inner < (i + kSide < rows ? i + kSide : rows); ++inner) {
                target[j * target_stride + inner] = source[inner * source_stride + j];
            }
        }
    }
}

// The same for kRows rows, whose columns lie one after the other in `target`.
template <int kRows, class T>
void transpose_rows(index_t columns, const T* source, index_t source_stride, T* target) noexcept {
    constexpr index_t kSide = kVectorLanes<T>;
    constexpr int kFew = kRows % kVectorLanes<T>;
    constexpr bool kVectors = kFew != 0 && kSide - kFew <= kRows;  // what is lost then lies in the next column
    constexpr index_t kFull = kVectors ? kRows - kFew : kRows;
    if constexpr (kVectors) {
        // First, as the columns that it writes into are complete only after it.
        const T* const few = source + kFull * source_stride;
        index_t j = 0;
        for (; j + kSide <= columns; j += kSide) {
            vector_detail::transpose_few<kFew>(few + j, source_stride, target + j * kRows + kFull, kRows);
        }
        for (; j < columns; ++j) {
            for (index_t i = 0; i < kFew; ++i) {
                target[j * kRows + kFull + i] = few[i * source_stride + j];
            }
        }
    }
    transpose(kFull, columns, source, source_stride, target, kRows);
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
