// WIDTH: narrow, wide, widest, vnni or tiles.
#include <intent/cpu/panel.hpp>

#include "mixed_widths.hpp"

#define JOIN(name, width) name##_##width
#define FUNCTION(name, width) JOIN(name, width)

namespace {
using Shape = intent::Panel<float>;
}

Loop FUNCTION(loop, WIDTH)() {
    using intent::index_t;
    using intent::Pair16;
    void (*const loop)(const Pair16*, const Pair16*, index_t, std::int32_t*, index_t, bool) noexcept =
        intent::multiply_panels<std::int32_t, Pair16>;
    return reinterpret_cast<Loop>(loop);
}

int FUNCTION(all_sums, WIDTH)() { return Shape::kRows * Shape::kColumns; }

int FUNCTION(right_sums, WIDTH)() {
    constexpr int kDepth = 3;
    float a[Shape::kRows * kDepth];
    float b[Shape::kColumns * kDepth];
    float c[Shape::kRows * Shape::kColumns] = {};
    for (int k = 0; k < kDepth; ++k) {
        for (int i = 0; i < Shape::kRows; ++i) {
            a[k * Shape::kRows + i] = static_cast<float>(i + 1);
        }
        for (int j = 0; j < Shape::kColumns; ++j) {
            b[k * Shape::kColumns + j] = static_cast<float>(j + 1);
        }
    }
    intent::multiply_panels<float, float>(a, b, kDepth, c, Shape::kColumns, false);
    int right = 0;
    for (int i = 0; i < Shape::kRows; ++i) {
        for (int j = 0; j < Shape::kColumns; ++j) {
            right += c[i * Shape::kColumns + j] == static_cast<float>(kDepth * (i + 1) * (j + 1));
        }
    }
    return right;
}
