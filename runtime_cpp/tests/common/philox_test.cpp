// Known answers of the generator's authors, and those of an independent implementation for 64-bit counters and keys.
#include <intent/philox.hpp>

#include "../expect.hpp"

using namespace intent;

int main() {
    constexpr std::uint32_t kZero[4] = {0x6627E8D5u, 0xE169C58Du, 0xBC57AC4Cu, 0x9B00DBD8u};
    for (std::uint64_t counter = 0; counter < 4; ++counter) {
        EXPECT(philox(0, counter) == kZero[counter] && philox_block(0, 0).words[counter] == kZero[counter]);
    }
    constexpr struct {
        std::uint64_t seed;
        std::uint64_t counter;
        std::uint32_t bits;
    } kKnown[] = {
        {0x1u, 0x0u, 0xe3e80670u},
        {0x1u, 0x5u, 0xdfc5ccbeu},
        {0x100000000u, 0x1u, 0xfa7e58b6u},
        {0xffffffffffffffffu, 0xffffffffffffffffu, 0x3915061cu},
        {0x123456789abcdef0u, 0xffffffffu, 0x2be88950u},
        {0x123456789abcdef0u, 0x100000000u, 0x219c4012u},
        {0x123456789abcdef0u, 0x3ffffffffu, 0xb12902fcu},
        {0x123456789abcdef0u, 0x400000000u, 0xab4806dfu},
        {0x7u, 0x400000005u, 0x21951225u},
        {0x7u, 0x8000000000000000u, 0x82becff7u},
    };
    for (const auto& known : kKnown) {
        EXPECT(philox(known.seed, known.counter) == known.bits);
    }
    static_assert(philox(0, 0) == kZero[0]);

    EXPECT(uniform_from_bits(0) == 0.0f && uniform_from_bits(0xffu) == 0.0f && uniform_from_bits(0x100u) == 0x1p-24f);
    EXPECT(uniform_from_bits(0x80000000u) == 0.5f && uniform_from_bits(0xffffffffu) == 1.0f - 0x1p-24f);
    return expect::failures();
}
