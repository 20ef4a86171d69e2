// A matrix product with few rows (or, by symmetry, few columns): the large operand is read once, straight through
// memory, and nothing of it is packed.
#pragma once

#include <intent/combine.hpp>
#include <intent/config.hpp>
#include <intent/cpu/operand.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/vector.hpp>
#include <intent/integer.hpp>

#include <type_traits>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

namespace matmul_detail {

struct SkinnyA;     // scratch of the calling thread, read by its team
struct SkinnySums;  // scratch of each thread

constexpr int kSkinnyGroup = 4;  // rows whose sums are in registers together
constexpr int kSkinnySteps = kVectorBytes == 32 ? 8 : 4;    // rows of b read side by side, as measured
constexpr int kSkinnyVectors = kVectorBytes == 32 ? 2 : 1;  // of b in registers: a line of the caches, where they fit
constexpr bool kSkinnyAhead = kVectorBytes == 64;  // next rows of b are prefetched: with AVX2 that costs time
constexpr index_t kSkinnyColumnBytes = 8192;  // of b in one task: long reads, and the sums of 8 rows stay in L2
constexpr index_t kSkinnyDepth = 512;         // rows of b summed up apart: long chains of additions lose digits
constexpr index_t kSkinnyAheadBytes = 2048;   // prefetch distance along a column of b

// kVectorLanes<Acc> elements from p on, converted; with `count` less than that the rest is zero.
template <class Acc, class T>
INTENT_HOST_DEVICE Vector<Acc> load_converted(const T* p, index_t count) noexcept {
    constexpr int kLanes = kVectorLanes<Acc>;
    if constexpr (std::is_same_v<Acc, T>) {
        if (count >= kLanes) {
            return load_vector(p);
        }
    }
    alignas(kVectorBytes) Acc lanes[kLanes] = {};
    if (count >= kLanes) {
        #pragma omp simd
        for (int i = 0; i < kLanes; ++i) {
            lanes[i] = static_cast<Acc>(p[i]);
        }
    } else {
        for (index_t i = 0; i < count; ++i) {
            lanes[i] = static_cast<Acc>(p[i]);
        }
    }
    return load_vector(lanes);
}

// Columns of b whose sums lie together.
template <class Acc>
constexpr index_t kSkinnyWidth = index_t{kSkinnyVectors} * kVectorLanes<Acc>;

// Where the sums of row m begin that belong to the vector of columns with column j.
template <class Acc>
index_t skinny_sums(index_t m, index_t j, index_t rows) noexcept {
    const index_t vector = j % kSkinnyWidth<Acc> / kVectorLanes<Acc>;
    return j / kSkinnyWidth<Acc> * rows * kSkinnyWidth<Acc> + m / kSkinnyGroup * kSkinnyGroup * kSkinnyWidth<Acc> +
           (vector * kSkinnyGroup + m % kSkinnyGroup) * kVectorLanes<Acc>;
}

// sums[vector of columns][row][lane] += a_steps[step][row] * b[step][column] for kSteps rows of b, one group of rows
// and kSkinnyWidth columns, of which `count` are there.
template <int kSteps, bool kAhead, class Acc, class T>
INTENT_HOST_DEVICE void add_group(const Acc* a_steps, const T* b, index_t b_stride, index_t count,
                                  Acc* sums) noexcept {
    constexpr int kLanes = kVectorLanes<Acc>;
    Vector<Acc> acc[kSkinnyVectors][kSkinnyGroup];
    #pragma GCC unroll 8
    for (int i = 0; i < kSkinnyVectors * kSkinnyGroup; ++i) {
        acc[i / kSkinnyGroup][i % kSkinnyGroup] = load_vector(sums + i * kLanes);
    }
    #pragma GCC unroll 1
    for (int k = 0; k < kSteps; ++k) {
        if constexpr (kAhead && kSkinnyAhead) {
            __builtin_prefetch(b + kSteps * b_stride);
        }
        Vector<Acc> b_part[kSkinnyVectors];
        #pragma GCC unroll 2
        for (index_t v = 0; v < kSkinnyVectors; ++v) {
            b_part[v] = load_converted<Acc>(b + v * kLanes, count - v * kLanes);
        }
        b += b_stride;  // before the uses: else GCC reads b from memory for each of them
        #pragma GCC unroll 4
        for (int i = 0; i < kSkinnyGroup; ++i) {
            const Vector<Acc> a = splat_vector(a_steps[k * kSkinnyGroup + i]);
            #pragma GCC unroll 2
            for (int v = 0; v < kSkinnyVectors; ++v) {
                acc[v][i] += a * b_part[v];
            }
        }
    }
    #pragma GCC unroll 8
    for (int i = 0; i < kSkinnyVectors * kSkinnyGroup; ++i) {
        store_vector(sums + i * kLanes, acc[i / kSkinnyGroup][i % kSkinnyGroup]);
    }
}

// The same for all groups of rows, whose steps lie a_stride apart, and `columns` columns. A line of b comes once.
template <int kSteps, class Acc, class T>
[[gnu::noinline]] void add_outer_products(const Acc* a_steps, index_t a_stride, index_t rows, const T* b,
                                          index_t b_stride, index_t columns, Acc* sums) noexcept {
    constexpr index_t kGroupSums = kSkinnyGroup * kSkinnyWidth<Acc>;
    const Acc* const a_end = a_steps + rows / kSkinnyGroup * a_stride;
    index_t j = 0;
    for (; j + kSkinnyWidth<Acc> <= columns; j += kSkinnyWidth<Acc>) {
        add_group<kSteps, true>(a_steps, b + j, b_stride, kSkinnyWidth<Acc>, sums);
        sums += kGroupSums;
        for (const Acc* a = a_steps + a_stride; a < a_end; a += a_stride, sums += kGroupSums) {
            add_group<kSteps, false>(a, b + j, b_stride, kSkinnyWidth<Acc>, sums);
        }
    }
    if (j < columns) {
        for (const Acc* a = a_steps; a < a_end; a += a_stride, sums += kGroupSums) {
            add_group<kSteps, false>(a, b + j, b_stride, columns - j, sums);
        }
    }
}

// The same for `depth` rows of b.
template <class Acc, class T>
void add_rows_of_b(const Acc* a_steps, index_t a_stride, index_t rows, const T* b, index_t b_stride, index_t depth,
                   index_t columns, Acc* sums) noexcept {
    index_t k = 0;
    for (; k + kSkinnySteps <= depth; k += kSkinnySteps) {
        add_outer_products<kSkinnySteps>(a_steps + k * kSkinnyGroup, a_stride, rows, b + k * b_stride, b_stride,
                                         columns, sums);
    }
    for (; k < depth; ++k) {
        add_outer_products<1>(a_steps + k * kSkinnyGroup, a_stride, rows, b + k * b_stride, b_stride, columns, sums);
    }
}

// sums[row][column] = a_rows[row] . (column of b) for one group of rows and of columns.
template <class Acc, class T>
[[gnu::noinline]] void dot_columns(const Acc* a_rows, index_t K, const T* const (&b_columns)[kSkinnyGroup],
                                   Acc (&sums)[kSkinnyGroup][kSkinnyGroup]) noexcept {
    constexpr int kLanes = kVectorLanes<Acc>;
    Vector<Acc> acc[kSkinnyGroup][kSkinnyGroup] = {};
    for (index_t k = 0; k < K; k += kLanes) {
        Vector<Acc> a[kSkinnyGroup];
        #pragma GCC unroll 4
        for (int i = 0; i < kSkinnyGroup; ++i) {
            a[i] = load_converted<Acc>(a_rows + i * K + k, K - k);
        }
        #pragma GCC unroll 4
        for (int j = 0; j < kSkinnyGroup; ++j) {
            __builtin_prefetch(b_columns[j] + k + kSkinnyAheadBytes / static_cast<index_t>(sizeof(T)));
            const Vector<Acc> b = load_converted<Acc>(b_columns[j] + k, K - k);
            #pragma GCC unroll 4
            for (int i = 0; i < kSkinnyGroup; ++i) {
                acc[i][j] += a[i] * b;
            }
        }
    }
    for (int i = 0; i < kSkinnyGroup; ++i) {
        for (int j = 0; j < kSkinnyGroup; ++j) {
            sums[i][j] = sum_of_lanes<Acc>(acc[i][j]);
        }
    }
}

// Neighbours along a row of b are neighbours in memory: sums grow row of b by row of b.
template <class Acc, class A, class T, class C, class Epilogue>
void skinny_by_rows(index_t M, index_t N, index_t K, const A& a, const Matrix<const T>& b, const Matrix<C>& c,
                    const Epilogue& epilogue) {
    constexpr index_t kLanes = kVectorLanes<Acc>;
    constexpr index_t kWidth = kSkinnyWidth<Acc>;
    const index_t rows = ceil_div(M, index_t{kSkinnyGroup}) * kSkinnyGroup;
    Acc* const a_steps = thread_scratch<Acc, SkinnyA>(rows * K);
    const index_t a_stride = K * kSkinnyGroup;
    for (index_t m0 = 0; m0 < rows; m0 += kSkinnyGroup) {
        for (index_t k = 0; k < K; ++k) {
            for (index_t m = m0; m < m0 + kSkinnyGroup; ++m) {
                a_steps[m0 * K + k * kSkinnyGroup + m - m0] = m < M ? static_cast<Acc>(a(m, k)) : Acc(0);
            }
        }
    }
    constexpr index_t kLongest = kSkinnyColumnBytes / static_cast<index_t>(sizeof(Acc));
    const auto team_sums = team_scratch<Acc, SkinnySums>(2 * rows * kLongest);
    #pragma omp parallel if (M * N * K >= kParallelWork)
    {
        const index_t share = ceil_div(ceil_div(N, current_team_size()), kLongest / 8) * (kLongest / 8);
        const index_t run = least(kLongest, share);
        Acc* const sums = team_sums.own();
        Acc* const block_sums = sums + rows * run;
        #pragma omp for schedule(static)
        for (index_t n0 = 0; n0 < N; n0 += run) {
            const index_t columns = least(run, N - n0);
            const index_t count = rows * ceil_div(columns, kWidth) * kWidth;
            for (index_t k0 = 0; k0 < K; k0 += kSkinnyDepth) {
                for (index_t i = 0; i < count; ++i) {
                    block_sums[i] = Acc(0);
                }
                add_rows_of_b(a_steps + k0 * kSkinnyGroup, a_stride, rows, b.data + k0 * b.row_stride + n0,
                              b.row_stride, least(kSkinnyDepth, K - k0), columns, block_sums);
                #pragma omp simd
                for (index_t i = 0; i < count; ++i) {
                    sums[i] = k0 == 0 ? block_sums[i] : Add{}(sums[i], block_sums[i]);
                }
            }
            for (index_t m = 0; m < M; ++m) {
                for (index_t j0 = 0; j0 < columns; j0 += kLanes) {
                    const Acc* const lanes = sums + skinny_sums<Acc>(m, j0, rows);
                    for (index_t j = j0; j < least(columns, j0 + kLanes); ++j) {
                        c(m, n0 + j) = static_cast<C>(epilogue(m, n0 + j, lanes[j - j0]));
                    }
                }
            }
        }
    }
}

// Neighbours along a column of b are neighbours in memory: every sum is one dot product.
template <class Acc, class A, class T, class C, class Epilogue>
void skinny_by_columns(index_t M, index_t N, index_t K, const A& a, const Matrix<const T>& b, const Matrix<C>& c,
                       const Epilogue& epilogue) {
    const index_t rows = ceil_div(M, index_t{kSkinnyGroup}) * kSkinnyGroup;
    Acc* const a_rows = thread_scratch<Acc, SkinnyA>(rows * K);
    for (index_t m = 0; m < rows; ++m) {
        for (index_t k = 0; k < K; ++k) {
            a_rows[m * K + k] = m < M ? static_cast<Acc>(a(m, k)) : Acc(0);
        }
    }
    #pragma omp parallel for schedule(static) if (M * N * K >= kParallelWork)
    for (index_t n0 = 0; n0 < N; n0 += kSkinnyGroup) {
        const T* b_columns[kSkinnyGroup];
        for (index_t j = 0; j < kSkinnyGroup; ++j) {
            b_columns[j] = b.data + least(n0 + j, N - 1) * b.column_stride;  // past the edge: computed, not stored
        }
        for (index_t m0 = 0; m0 < rows; m0 += kSkinnyGroup) {
            Acc sums[kSkinnyGroup][kSkinnyGroup];
            dot_columns(a_rows + m0 * K, K, b_columns, sums);
            for (index_t m = m0; m < least(M, m0 + kSkinnyGroup); ++m) {
                for (index_t n = n0; n < least(N, n0 + kSkinnyGroup); ++n) {
                    c(m, n) = static_cast<C>(epilogue(m, n, sums[m - m0][n - n0]));
                }
            }
        }
    }
}

}  // namespace matmul_detail

// Rows up to which reading b once is worth more than packing it.
constexpr index_t kSkinnyRows = 16;

// True when matmul_skinny can be used: neighbours along one axis of b are neighbours in memory.
template <class T>
bool skinny_reads(const Matrix<T>& b) noexcept {
    return b.column_stride == 1 || b.row_stride == 1;
}

// c(m, n) = epilogue(m, n, sum over k of a(m, k) * b(k, n)) for few rows M, and K > 0, on all threads.
template <class Acc, class A, class T, class C, class Epilogue>
void matmul_skinny(index_t M, index_t N, index_t K, const A& a, const Matrix<T>& b, const Matrix<C>& c,
                   const Epilogue& epilogue) {
    const Matrix<const T> read{b.data, b.row_stride, b.column_stride};
    if (b.column_stride == 1) {
        matmul_detail::skinny_by_rows<Acc>(M, N, K, a, read, c, epilogue);
    } else {
        matmul_detail::skinny_by_columns<Acc>(M, N, K, a, read, c, epilogue);
    }
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
