// c(m, n) = epilogue(m, n, sum over k of a(m, k) * b(k, n)) for any shapes, strides and number types.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/blocked.hpp>
#include <intent/cpu/operand.hpp>
#include <intent/cpu/pairs.hpp>
#include <intent/cpu/quads.hpp>
#include <intent/cpu/skinny.hpp>
#include <intent/cpu/tiles.hpp>
#include <intent/cpu/vector.hpp>
#include <intent/float16.hpp>
#include <intent/integer.hpp>

#include <type_traits>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

namespace matmul_detail {

// Below this many products packing costs more than it saves.
constexpr index_t kNaiveWork = 512;

// A shallower product is not worth a step of the tiles, which are 64 deep.
constexpr index_t kTileDepth = 48;

// The type of the sums when the caller names none: the element type of c, or f32 for the 16-bit types.
template <class Acc, class C>
using SumType = std::conditional_t<!std::is_void_v<Acc>, Acc, std::conditional_t<kIsFloat16<C>, float, C>>;

// True when the products can be added two at a time: 32-bit sums of products of small integers.
template <class Sum, class A, class B>
constexpr bool kAsPairs = std::is_same_v<Sum, std::int32_t> && kFitsPair16<ElementOf<A>> && kFitsPair16<ElementOf<B>>;
// The same for four at a time, where the build has a matrix unit.
template <class Sum, class A, class B>
constexpr bool kAsQuads =
    kTiles && std::is_same_v<Sum, std::int32_t> && kFitsQuad8<ElementOf<A>> && kFitsQuad8<ElementOf<B>>;

// One sum after the other.
template <class Acc, class A, class B, class C, class Epilogue>
void matmul_naive(index_t M, index_t N, index_t K, const A& a, const B& b, const Matrix<C>& c,
                  const Epilogue& epilogue) {
    for (index_t m = 0; m < M; ++m) {
        for (index_t n = 0; n < N; ++n) {
            Acc sum = Acc(0);
            for (index_t k = 0; k < K; ++k) {
                const Acc product_a = static_cast<Acc>(a(m, k));
                const Acc product_b = static_cast<Acc>(b(k, n));
                if constexpr (std::is_integral_v<Acc>) {
                    sum = wrap_add(sum, wrap_mul(product_a, product_b));
                } else {
                    sum += product_a * product_b;
                }
            }
            c(m, n) = static_cast<C>(epilogue(m, n, sum));
        }
    }
}

}  // namespace matmul_detail

// On all threads; on this one inside a parallel region or when there is little to do. Acc is the type of the sums
// (void: the element type of c, f32 for 16-bit floats). c overlaps neither a nor b; `epilogue` may read element (m, n)
// of c and other arrays, and is called once for each element, in any order.
template <class Acc = void, class A, class B, class C, class Epilogue = StoreSum>
void matmul(index_t M, index_t N, index_t K, A a, B b, Matrix<C> c, Epilogue epilogue = {}) {
    using Sum = matmul_detail::SumType<Acc, C>;
    if (M * N * K <= matmul_detail::kNaiveWork) {
        matmul_detail::matmul_naive<Sum>(M, N, K, a, b, c, epilogue);
        return;
    }
    if constexpr (kInMemory<B>) {
        if (M <= kSkinnyRows && skinny_reads(b)) {
            matmul_skinny<Sum>(M, N, K, a, b, c, epilogue);
            return;
        }
    }
    if constexpr (kInMemory<A>) {
        if (N <= kSkinnyRows && skinny_reads(a)) {
            const auto read_b = [=](index_t n, index_t k) { return b(k, n); };
            const auto exchanged = [=](index_t n, index_t m, Sum sum) { return epilogue(m, n, sum); };
            matmul_skinny<Sum>(N, M, K, read_b, transposed(a), transposed(c), exchanged);
            return;
        }
    }
    if constexpr (matmul_detail::kAsQuads<Sum, A, B>) {
        if (K >= matmul_detail::kTileDepth && tiles_granted()) {
            using Packed = Quad8<ByteOf<ElementOf<A>>, ByteOf<ElementOf<B>>>;
            matmul_blocked<Sum, Packed>(M, N, ceil_div(K, index_t{4}), Quads{a, K}, Quads{b, K}, c, epilogue);
            return;
        }
    }
    if constexpr (matmul_detail::kAsPairs<Sum, A, B>) {
        matmul_blocked<Sum, Pair16>(M, N, ceil_div(K, index_t{2}), paired_columns(a, K), paired_rows(b, K), c,
                                    epilogue);
    } else {
        matmul_blocked<Sum, Sum>(M, N, K, a, b, c, epilogue);
    }
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
