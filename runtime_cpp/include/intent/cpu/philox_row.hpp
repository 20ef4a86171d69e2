// Philox4x32-10 for many counters, two vectors of blocks side by side in registers.
//
// A 32-bit word sits in each 64-bit lane: the product of 32 by 32 bits is one instruction, and its halves need no
// shuffle. The upper half of a lane is never read by the product: it may hold anything.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/vector.hpp>
#include <intent/philox.hpp>

#include <cstring>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

namespace philox_detail {

using Lanes = Vector<std::uint64_t>;

constexpr index_t kLanes = kVectorLanes<std::uint64_t>;
constexpr index_t kVectors = 2;                // independent chains hide the latency of the product
constexpr index_t kBlocks = kLanes * kVectors;  // made at a time
constexpr index_t kRun = 4 * kBlocks;           // their words
constexpr std::uint64_t kLow = 0xffffffffu;
constexpr std::uint64_t kBlockMask = ~std::uint64_t{0} / 4;

// The low half of each lane of a times `factor`.
INTENT_HOST_DEVICE Lanes product(Lanes a, std::uint32_t factor) noexcept {
#if defined(__SSE2__) && !defined(__clang__)
    using Signed = int __attribute__((vector_size(kVectorBytes)));
    const Signed low = (Signed)a;
    const Signed factors = (Signed)(Lanes{} + factor);
#if defined(__AVX512F__)
    using Product = long long __attribute__((vector_size(kVectorBytes)));
    return (Lanes)__builtin_ia32_pmuludq512_mask(low, factors, Product{}, static_cast<unsigned char>(-1));
#elif defined(__AVX2__)
    return (Lanes)__builtin_ia32_pmuludq256(low, factors);
#elif !defined(__AVX__)
    return (Lanes)__builtin_ia32_pmuludq128(low, factors);
#endif
#endif
    return (a & kLow) * factor;  // Clang sees the instruction in this
}

// words[2 * lane] and words[2 * lane + 1], each of 64 bits, are lane `lane` of front and of back.
INTENT_HOST_DEVICE void store_interleaved(Lanes front, Lanes back, std::uint32_t* words) noexcept {
#if INTENT_VECTOR_BYTES == 64
    const Lanes lower = __builtin_shufflevector(front, back, 0, 8, 1, 9, 2, 10, 3, 11);
    const Lanes upper = __builtin_shufflevector(front, back, 4, 12, 5, 13, 6, 14, 7, 15);
#elif INTENT_VECTOR_BYTES == 32
    const Lanes lower = __builtin_shufflevector(front, back, 0, 4, 1, 5);
    const Lanes upper = __builtin_shufflevector(front, back, 2, 6, 3, 7);
#else
    const Lanes lower = __builtin_shufflevector(front, back, 0, 2);
    const Lanes upper = __builtin_shufflevector(front, back, 1, 3);
#endif
    // One by one: GCC moves an array of vectors through registers of 64 bits.
    std::memcpy(words, &lower, sizeof lower);
    std::memcpy(words + 2 * kLanes, &upper, sizeof upper);
}

// The kRun words of kBlocks blocks.
INTENT_HOST_DEVICE void philox_run(std::uint64_t seed, const Lanes (&blocks)[kVectors], std::uint32_t* words) noexcept {
    Lanes c[4][kVectors] = {};
    #pragma GCC unroll 2
    for (index_t v = 0; v < kVectors; ++v) {
        c[0][v] = blocks[v];
        c[1][v] = blocks[v] >> 32;
    }
    std::uint32_t key0 = static_cast<std::uint32_t>(seed);
    std::uint32_t key1 = static_cast<std::uint32_t>(seed >> 32);
    #pragma GCC unroll 10
    for (int round = 0; round < detail::kPhiloxRounds; ++round) {
        #pragma GCC unroll 2
        for (index_t v = 0; v < kVectors; ++v) {
            const Lanes left = product(c[0][v], detail::kPhiloxFactor0);
            const Lanes right = product(c[2][v], detail::kPhiloxFactor2);
            c[0][v] = (right >> 32) ^ c[1][v] ^ key0;
            c[1][v] = right;
            c[2][v] = (left >> 32) ^ c[3][v] ^ key1;
            c[3][v] = left;
        }
        key0 += detail::kPhiloxKeyStep0;
        key1 += detail::kPhiloxKeyStep1;
    }
    #pragma GCC unroll 2
    for (index_t v = 0; v < kVectors; ++v) {
        store_interleaved((c[0][v] & kLow) | (c[1][v] << 32), (c[2][v] & kLow) | (c[3][v] << 32),
                          words + 4 * kLanes * v);
    }
}

}  // namespace philox_detail

// words[i] = the bits of counter first + i, 0 <= i < count, under the key `seed`. On this thread. Counters wrap at
// 2^64.
inline void philox_row(std::uint64_t seed, std::uint64_t first, index_t count, std::uint32_t* words) noexcept {
    using namespace philox_detail;
    Lanes lane{};
    for (index_t l = 0; l < kLanes; ++l) {
        lane[l] = static_cast<std::uint64_t>(l);
    }
    index_t i = 0;
    while (i < count) {
        // A run begins with a block: only the first one may skip words of it.
        const std::uint64_t counter = first + static_cast<std::uint64_t>(i);
        Lanes blocks[kVectors];
        for (index_t v = 0; v < kVectors; ++v) {
            blocks[v] = (lane + (counter / 4 + static_cast<std::uint64_t>(kLanes * v))) & kBlockMask;
        }
        const index_t skipped = static_cast<index_t>(counter % 4);
        const index_t size = least(kRun - skipped, count - i);
        if (size == kRun) {
            philox_run(seed, blocks, words + i);
        } else {
            std::uint32_t run[kRun];
            philox_run(seed, blocks, run);
            std::memcpy(words + i, run + skipped, static_cast<std::size_t>(size) * sizeof *words);
        }
        i += size;
    }
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
