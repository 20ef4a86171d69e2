// Reproducible numbers for tests.
#pragma once

#include <cstdint>

namespace test {

// A small generator (splitmix64): the same numbers everywhere.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // An integer in [low, high].
    std::int64_t integer(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
    }
    // A number in [-1, 1).
    double real() { return static_cast<double>(static_cast<std::int64_t>(bits()) >> 11) * 0x1p-52; }

private:
    std::uint64_t state_;
};

}  // namespace test
