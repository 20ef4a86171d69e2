// Products of integers of at most 16 bits, two at a time: each 32-bit lane holds the elements of two neighbouring k.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/operand.hpp>
#include <intent/cpu/vector.hpp>

#include <type_traits>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

// Two 16-bit integers, that of the even k in the low half.
enum class Pair16 : std::uint32_t {};

// True for types whose values are 16-bit signed integers.
template <class T>
constexpr bool kFitsPair16 = std::is_integral_v<T> && (sizeof(T) == 1 || (sizeof(T) == 2 && std::is_signed_v<T>));

// The two elements in the halves of one word.
INTENT_HOST_DEVICE Pair16 make_pair16(std::int16_t even, std::int16_t odd) noexcept {
    return static_cast<Pair16>(static_cast<std::uint32_t>(static_cast<std::uint16_t>(even)) |
                               static_cast<std::uint32_t>(static_cast<std::uint16_t>(odd)) << 16);
}

namespace vector_detail {

using Signed32 = int __attribute__((vector_size(kVectorBytes)));
using Signed16 = short __attribute__((vector_size(kVectorBytes)));

// even(a) * even(b) + odd(a) * odd(b) in each lane, modulo 2^32.
INTENT_HOST_DEVICE Vector<std::int32_t> pair_products(Vector<std::int32_t> a, Vector<std::int32_t> b) noexcept {
#if defined(__AVX512BW__) && !defined(__clang__)
    return (Vector<std::int32_t>)__builtin_ia32_pmaddwd512_mask((Signed16)a, (Signed16)b, Signed32{}, 0xffff);
#elif defined(__AVX2__) && !defined(__AVX512F__)
    return (Vector<std::int32_t>)__builtin_ia32_pmaddwd256((Signed16)a, (Signed16)b);
#elif defined(__SSE2__) && !defined(__AVX__)
    return (Vector<std::int32_t>)__builtin_ia32_pmaddwd128((Signed16)a, (Signed16)b);
#else
    // The shifts to the right are of signed lanes: they bring the sign down.
    const auto even =
        (Vector<std::int32_t>)((Signed32)(a << 16) >> 16) * (Vector<std::int32_t>)((Signed32)(b << 16) >> 16);
    const auto odd = (Vector<std::int32_t>)((Signed32)a >> 16) * (Vector<std::int32_t>)((Signed32)b >> 16);
    return even + odd;
#endif
}

}  // namespace vector_detail

// In each lane: sums + even(a) * even(b) + odd(a) * odd(b), modulo 2^32. Lanes of a and b are pairs.
INTENT_HOST_DEVICE Vector<std::int32_t> add_pair_products(Vector<std::int32_t> sums, Vector<std::int32_t> a,
                                                          Vector<std::int32_t> b) noexcept {
#if defined(__AVX512VNNI__) && !defined(__clang__)
    using vector_detail::Signed32;
    return (Vector<std::int32_t>)__builtin_ia32_vpdpwssd_v16si((Signed32)sums, (Signed32)a, (Signed32)b);
#else
    return sums + vector_detail::pair_products(a, b);
#endif
}

// The operand a[M, K] as pairs [M, K / 2, rounded up]; past the end of an odd K is zero.
template <class A>
auto paired_columns(const A& a, index_t K) {
    return computed<Pair16>([=](index_t m, index_t pair) {
        const index_t k = 2 * pair;
        const std::int16_t odd = k + 1 < K ? static_cast<std::int16_t>(a(m, k + 1)) : std::int16_t{0};
        return make_pair16(static_cast<std::int16_t>(a(m, k)), odd);
    });
}

// The operand b[K, N] as pairs [K / 2, rounded up, N].
template <class B>
auto paired_rows(const B& b, index_t K) {
    return computed<Pair16>([=](index_t pair, index_t n) {
        const index_t k = 2 * pair;
        const std::int16_t odd = k + 1 < K ? static_cast<std::int16_t>(b(k + 1, n)) : std::int16_t{0};
        return make_pair16(static_cast<std::int16_t>(b(k, n)), odd);
    });
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
