// Philox4x32-10 for many counters, eight blocks side by side in registers.
//
// A 32-bit word sits in each 64-bit lane: the product of 32 by 32 bits is one instruction, and its halves need no
// shuffle. The upper half of a lane is never read by the product: it may hold anything.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/philox.hpp>

#include <cstring>

namespace intent {

namespace detail {

using PhiloxLanes = std::uint64_t __attribute__((vector_size(32)));

constexpr index_t kPhiloxVectors = 2;                  // independent chains hide the latency of the product
constexpr index_t kPhiloxBlocks = 4 * kPhiloxVectors;  // made at a time
constexpr index_t kPhiloxRun = 4 * kPhiloxBlocks;      // their words
constexpr std::uint64_t kPhiloxLow = 0xffffffffu;

// product = the low half of each lane of a times `factor`.
INTENT_HOST_DEVICE void multiply_low_halves(PhiloxLanes& product, const PhiloxLanes& a, std::uint32_t factor) noexcept {
#if defined(__AVX2__) && !defined(__clang__)
    using Signed = int __attribute__((vector_size(32)));
    const PhiloxLanes factors = PhiloxLanes{} + factor;
    product = (PhiloxLanes)__builtin_ia32_pmuludq256((Signed)a, (Signed)factors);
#else
    product = (a & kPhiloxLow) * factor;  // Clang sees the instruction in this
#endif
}

// The kPhiloxRun words of kPhiloxBlocks blocks.
INTENT_HOST_DEVICE void philox_run(std::uint64_t seed, const PhiloxLanes (&blocks)[kPhiloxVectors],
                                   std::uint32_t* words) noexcept {
    PhiloxLanes c[4][kPhiloxVectors] = {};
    for (index_t v = 0; v < kPhiloxVectors; ++v) {
        c[0][v] = blocks[v];
        c[1][v] = blocks[v] >> 32;
    }
    std::uint32_t key0 = static_cast<std::uint32_t>(seed);
    std::uint32_t key1 = static_cast<std::uint32_t>(seed >> 32);
    #pragma GCC unroll 10
    for (int round = 0; round < kPhiloxRounds; ++round) {
        #pragma GCC unroll 2
        for (index_t v = 0; v < kPhiloxVectors; ++v) {
            PhiloxLanes left;
            PhiloxLanes right;
            multiply_low_halves(left, c[0][v], kPhiloxFactor0);
            multiply_low_halves(right, c[2][v], kPhiloxFactor2);
            c[0][v] = (right >> 32) ^ c[1][v] ^ key0;
            c[1][v] = right;
            c[2][v] = (left >> 32) ^ c[3][v] ^ key1;
            c[3][v] = left;
        }
        key0 += kPhiloxKeyStep0;
        key1 += kPhiloxKeyStep1;
    }
    for (index_t v = 0; v < kPhiloxVectors; ++v) {
        const PhiloxLanes front = (c[0][v] & kPhiloxLow) | (c[1][v] << 32);  // words 0 and 1 of four blocks
        const PhiloxLanes back = (c[2][v] & kPhiloxLow) | (c[3][v] << 32);   // words 2 and 3
        const PhiloxLanes halves[2] = {__builtin_shufflevector(front, back, 0, 4, 1, 5),
                                       __builtin_shufflevector(front, back, 2, 6, 3, 7)};
        std::memcpy(words + 16 * v, halves, sizeof halves);
    }
}

}  // namespace detail

// store(i, bits) for the bits of counter first + i, 0 <= i < count, under the key `seed`. On this thread. Counters wrap
// at 2^64.
template <class Store>
void philox_row(std::uint64_t seed, std::uint64_t first, index_t count, Store store) {
    constexpr std::uint64_t kBlockMask = ~std::uint64_t{0} / 4;
    alignas(32) std::uint32_t words[detail::kPhiloxRun];
    index_t i = 0;
    while (i < count) {
        // A run begins with a block: only the first one may skip words of it.
        const std::uint64_t counter = first + static_cast<std::uint64_t>(i);
        const detail::PhiloxLanes blocks[detail::kPhiloxVectors] = {
            (detail::PhiloxLanes{0, 1, 2, 3} + counter / 4) & kBlockMask,
            (detail::PhiloxLanes{4, 5, 6, 7} + counter / 4) & kBlockMask};
        detail::philox_run(seed, blocks, words);
        const index_t skipped = static_cast<index_t>(counter % 4);
        const index_t size = least(detail::kPhiloxRun - skipped, count - i);
        if (size == detail::kPhiloxRun) {
            #pragma omp simd
            for (index_t k = 0; k < detail::kPhiloxRun; ++k) {
                store(i + k, words[k]);
            }
        } else {
            for (index_t k = 0; k < size; ++k) {
                store(i + k, words[skipped + k]);
            }
        }
        i += size;
    }
}

// store(i, bits) for the bits of counter(i), 0 <= i < count, under the key `seed`. On this thread. One word of each
// block is used: consecutive counters are four times as fast in philox_row.
template <class Counter, class Store>
void philox_each(std::uint64_t seed, index_t count, Counter counter, Store store) {
    alignas(32) std::uint64_t counters[detail::kPhiloxBlocks] = {};
    alignas(32) std::uint32_t words[detail::kPhiloxRun];
    for (index_t i = 0; i < count; i += detail::kPhiloxBlocks) {
        const index_t size = least(detail::kPhiloxBlocks, count - i);
        #pragma omp simd
        for (index_t k = 0; k < size; ++k) {
            counters[k] = static_cast<std::uint64_t>(counter(i + k));
        }
        detail::PhiloxLanes blocks[detail::kPhiloxVectors];
        std::memcpy(blocks, counters, sizeof blocks);
        for (detail::PhiloxLanes& block : blocks) {
            block >>= 2;
        }
        detail::philox_run(seed, blocks, words);
        for (index_t k = 0; k < size; ++k) {
            store(i + k, words[4 * static_cast<std::uint64_t>(k) + counters[k] % 4]);
        }
    }
}

}  // namespace intent
