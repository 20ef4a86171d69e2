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

}  // namespace detail

// The four words of one block.
struct PhiloxBlock {
    std::uint32_t words[4];
};

// Block `block` under the key `seed`.
INTENT_HOST_DEVICE constexpr PhiloxBlock philox_block(std::uint64_t seed, std::uint64_t block) noexcept {
    std::uint32_t key0 = static_cast<std::uint32_t>(seed);
    std::uint32_t key1 = static_cast<std::uint32_t>(seed >> 32);
    std::uint32_t c0 = static_cast<std::uint32_t>(block);
    std::uint32_t c1 = static_cast<std::uint32_t>(block >> 32);
    std::uint32_t c2 = 0;
    std::uint32_t c3 = 0;
    for (int round = 0; round < detail::kPhiloxRounds; ++round) {
        const std::uint64_t left = std::uint64_t{detail::kPhiloxFactor0} * c0;
        const std::uint64_t right = std::uint64_t{detail::kPhiloxFactor2} * c2;
        c0 = static_cast<std::uint32_t>(right >> 32) ^ c1 ^ key0;
        c1 = static_cast<std::uint32_t>(right);
        c2 = static_cast<std::uint32_t>(left >> 32) ^ c3 ^ key1;
        c3 = static_cast<std::uint32_t>(left);
        key0 += detail::kPhiloxKeyStep0;
        key1 += detail::kPhiloxKeyStep1;
    }
    return {{c0, c1, c2, c3}};
}

// The 32 bits of `counter` under the key `seed`: word counter % 4 of block counter / 4.
INTENT_HOST_DEVICE constexpr std::uint32_t philox(std::uint64_t seed, std::uint64_t counter) noexcept {
    return philox_block(seed, counter / 4).words[counter % 4];
}

// The upper 24 bits as a multiple of 2^-24 in [0, 1).
INTENT_HOST_DEVICE constexpr float uniform_from_bits(std::uint32_t bits) noexcept {
    return static_cast<float>(static_cast<std::int32_t>(bits >> 8)) * 0x1p-24f;  // AVX2 converts signed integers
}

}  // namespace intent
