// Rows of many lengths: none, empty, over the borders of parts, mixed.
#pragma once

#include <intent/config.hpp>

#include "../random.hpp"

#include <vector>

namespace test {

using intent::index_t;

// Where rows end: the lengths of the rows one after the other, from a first member that is not 0.
inline std::vector<std::int32_t> offsets_of(const std::vector<index_t>& lengths) {
    std::vector<std::int32_t> offsets(1, 5);
    for (const index_t length : lengths) {
        offsets.push_back(offsets.back() + static_cast<std::int32_t>(length));
    }
    return offsets;
}

inline std::vector<std::vector<index_t>> shapes() {
    Random random(31);
    std::vector<std::vector<index_t>> shapes = {
        {}, {0}, {1}, {0, 0, 0}, {8190}, {8191}, {8192}, {8193}, {16384, 0, 1}, {0, 8190, 0, 0, 8191, 3}, {100000}};
    shapes.emplace_back(50000, 0);                       // only empty rows
    shapes.push_back({3, 70001, 0, 0, 1, 40000, 8192});  // rows over several parts
    std::vector<index_t> mixed;
    for (int row = 0; row < 5000; ++row) {
        const std::int64_t kind = random.integer(0, 99);
        mixed.push_back(kind == 0 ? random.integer(0, 20000) : kind < 30 ? 0 : random.integer(1, 40));
    }
    shapes.push_back(mixed);
    return shapes;
}

}  // namespace test
