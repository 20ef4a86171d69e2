// Philox4x32-10: random bits as a function of a key and a counter, the same on every target.
#pragma once

#include <intent/config.hpp>

namespace intent {

namespace detail {

constexpr std::uint32_t kPhiloxFactor0 = 0xD2511F53u;
constexpr std::uint32_t kPhiloxFactor2 = 0xCD9E8D57u;
constexpr std::uint32_t kPhiloxKeyStep0 = 0x9E3779B9u;
constexpr std::uint32_t kPhiloxKeyStep1 = 0xBB67AE85u;
constexpr int kPhiloxRounds = 10;

// A counter on its way through the rounds, with the key of the next one.
struct PhiloxState {
    std::uint32_t c0;
    std::uint32_t c1;
    std::uint32_t c2;
    std::uint32_t c3;
    std::uint32_t key0;
    std::uint32_t key1;
};

// The state after kRounds more rounds. No loop: one that the compiler leaves rolled keeps those around it scalar.
template <int kRounds>
INTENT_HOST_DEVICE constexpr PhiloxState philox_rounds(PhiloxState s) noexcept {
    if constexpr (kRounds == 0) {
        return s;
    } else {
        const std::uint64_t left = std::uint64_t{kPhiloxFactor0} * s.c0;
        const std::uint64_t right = std::uint64_t{kPhiloxFactor2} * s.c2;
        return philox_rounds<kRounds - 1>({static_cast<std::uint32_t>(right >> 32) ^ s.c1 ^ s.key0,
                                           static_cast<std::uint32_t>(right),
                                           static_cast<std::uint32_t>(left >> 32) ^ s.c3 ^ s.key1,
                                           static_cast<std::uint32_t>(left), s.key0 + kPhiloxKeyStep0,
                                           s.key1 + kPhiloxKeyStep1});
    }
}

}  // namespace detail

// The four words of one block.
struct PhiloxBlock {
    std::uint32_t words[4];
};

// Block `block` under the key `seed`.
INTENT_HOST_DEVICE constexpr PhiloxBlock philox_block(std::uint64_t seed, std::uint64_t block) noexcept {
    const detail::PhiloxState s = detail::philox_rounds<detail::kPhiloxRounds>(
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0, 0,
         static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    return {{s.c0, s.c1, s.c2, s.c3}};
}

// The 32 bits of `counter` under the key `seed`: word counter % 4 of block counter / 4.
INTENT_HOST_DEVICE constexpr std::uint32_t philox(std::uint64_t seed, std::uint64_t counter) noexcept {
    // Chosen in registers: an index into the words would put them into memory, and loops would not be vectorised.
    const PhiloxBlock block = philox_block(seed, counter / 4);
    const std::uint32_t front = counter % 2 == 0 ? block.words[0] : block.words[1];
    const std::uint32_t back = counter % 2 == 0 ? block.words[2] : block.words[3];
    return counter % 4 < 2 ? front : back;
}

// The upper 24 bits as a multiple of 2^-24 in [0, 1).
INTENT_HOST_DEVICE constexpr float uniform_from_bits(std::uint32_t bits) noexcept {
    return static_cast<float>(static_cast<std::int32_t>(bits >> 8)) * 0x1p-24f;  // AVX2 converts signed integers
}

}  // namespace intent
