// The only arithmetic of a large matrix product: a panel of rows times a panel of columns, all sums in registers.
//
// A panel of a holds kRows rows, stored k by k; a panel of b holds kColumns columns, stored k by k.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/pairs.hpp>
#include <intent/cpu/vector.hpp>

#include <type_traits>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

// The loop of the micro-kernel should start on a cache line (9 to 20 % faster), and inlining would move it; GCC takes
// the alignment only as an option of the whole function.
#if defined(__GNUC__) && !defined(__clang__)
#define INTENT_HOT_LOOP [[gnu::noinline, gnu::optimize("align-loops=64")]]
#else
#define INTENT_HOT_LOOP [[gnu::noinline]]
#endif

// The shape of the register tile for elements packed as Packed: rows x 2 vectors of sums, 2 of b, 1 of a. Panels are a
// multiple of kSteps deep. A panel of a meets kTogether panels of b in turn; with one, that of b stays in L1 while those
// of a pass by. Who multiplies panels holds Registers meanwhile.
template <class Packed>
struct Panel {
    static constexpr int kRows = kVectorRegisters == 32 ? 14 : 6;
    static constexpr int kColumns = 2 * kVectorLanes<Packed>;
    static constexpr int kSteps = 1;
    static constexpr int kTogether = 1;
    struct Registers {};
};

// Rows that a kernel multiplies: a whole panel of them, or about a half or a third, which end a product of few rows.
template <class Packed>
constexpr int kHalfRows = (Panel<Packed>::kRows + 2) / 2;
template <class Packed>
constexpr int kThirdRows = kHalfRows<Packed> / 2;

// c[kRows, kColumns] (+)= sums; rows of c are `c_stride` apart. Inlined, for the sums are in registers.
template <int kRows, class Acc>
[[gnu::always_inline]] inline void store_sums(const Vector<Acc> (&sums)[kRows][2], Acc* c, index_t c_stride,
                                              bool accumulate) noexcept {
    constexpr int kLanes = kVectorLanes<Acc>;
    #pragma GCC unroll 14
    for (int i = 0; i < kRows; ++i) {
        Acc* const c_row = c + i * c_stride;
        store_vector(c_row, accumulate ? load_vector(c_row) + sums[i][0] : sums[i][0]);
        store_vector(c_row + kLanes, accumulate ? load_vector(c_row + kLanes) + sums[i][1] : sums[i][1]);
    }
}

// c[kRows, kColumns] (+)= a b over `depth` steps; step k of a begins at a + k * a_step, that of b at b + k * b_step, and
// rows of c are `c_stride` apart. Packed is Acc, or Pair16 for 32-bit sums of products of pairs.
template <int kRows, class Acc, class Packed>
INTENT_HOT_LOOP void multiply_steps(const Packed* __restrict__ a, index_t a_step, const Packed* __restrict__ b,
                                    index_t b_step, index_t depth, Acc* __restrict__ c, index_t c_stride,
                                    bool accumulate) noexcept {
    static_assert(sizeof(Packed) == sizeof(Acc));
    constexpr int kLanes = kVectorLanes<Acc>;
    Vector<Acc> sums[kRows][2] = {};
    for (int i = 0; i < kRows; ++i) {
        __builtin_prefetch(c + i * c_stride, 1);
        __builtin_prefetch(c + i * c_stride + kLanes, 1);
    }
    #pragma GCC unroll 2
    for (index_t k = 0; k < depth; ++k) {
        Vector<Acc> b_left;
        Vector<Acc> b_right;
        std::memcpy(&b_left, b + k * b_step, sizeof b_left);
        std::memcpy(&b_right, b + k * b_step + kLanes, sizeof b_right);
        #pragma GCC unroll 14
        for (int i = 0; i < kRows; ++i) {
            const Vector<Acc> element = splat_vector(static_cast<Acc>(a[k * a_step + i]));
            if constexpr (std::is_same_v<Packed, Pair16>) {
                sums[i][0] = add_pair_products(sums[i][0], element, b_left);
                sums[i][1] = add_pair_products(sums[i][1], element, b_right);
            } else {
                sums[i][0] += element * b_left;
                sums[i][1] += element * b_right;
            }
        }
    }
    store_sums<kRows>(sums, c, c_stride, accumulate);
}

// Steps of one round of the loop over rows in place: with few sums in a step, what counts the rounds shows.
constexpr int kRowSteps = kVectorRegisters == 32 ? 1 : 2;

// The same with rows of a: row i begins at a + i * a_stride, its elements are neighbours.
template <int kRows, class Acc>
INTENT_HOT_LOOP void multiply_rows(const Acc* __restrict__ a, index_t a_stride, const Acc* __restrict__ b,
                                   index_t b_step, index_t depth, Acc* __restrict__ c, index_t c_stride,
                                   bool accumulate) noexcept {
    constexpr int kLanes = kVectorLanes<Acc>;
    // One pointer for every three rows, the others one and two strides behind it: all of them fit into registers.
    constexpr int kPointers = (kRows + 2) / 3;
    const Acc* row[kPointers];
    #pragma GCC unroll 5
    for (int i = 0; i < kPointers; ++i) {
        row[i] = a + index_t{3} * i * a_stride;
    }
    Vector<Acc> sums[kRows][2] = {};
    #pragma GCC unroll kRowSteps
    for (index_t k = 0; k < depth; ++k) {
        const Vector<Acc> b_left = load_vector(b);
        const Vector<Acc> b_right = load_vector(b + kLanes);
        b += b_step;
        #pragma GCC unroll 14
        for (int i = 0; i < kRows; ++i) {
            const Vector<Acc> element = splat_vector(row[i / 3][i % 3 * a_stride]);
            sums[i][0] += element * b_left;
            sums[i][1] += element * b_right;
        }
        #pragma GCC unroll 5
        for (int i = 0; i < kPointers; ++i) {
            ++row[i];
        }
    }
    store_sums<kRows>(sums, c, c_stride, accumulate);
}

// c[kRows, kColumns] (+)= a_panel b_panel, both packed, over `depth` steps; rows of c are `c_stride` apart.
template <class Acc, class Packed>
void multiply_panels(const Packed* __restrict__ a_panel, const Packed* __restrict__ b_panel, index_t depth,
                     Acc* __restrict__ c, index_t c_stride, bool accumulate) noexcept {
    constexpr int kRows = Panel<Acc>::kRows;
    constexpr int kColumns = Panel<Acc>::kColumns;
    multiply_steps<kRows, Acc, Packed>(a_panel, kRows, b_panel, kColumns, depth, c, c_stride, accumulate);
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
