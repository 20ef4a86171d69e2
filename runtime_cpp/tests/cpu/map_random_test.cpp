#include <intent/cpu/map_random.hpp>

#include "../expect.hpp"

#include <vector>

using namespace intent;

namespace {

constexpr std::uint64_t kSeed = 0x123456789abcdef0u;

float expected(std::uint64_t first, index_t i) {
    return uniform_from_bits(philox(kSeed, first + static_cast<std::uint64_t>(i))) + static_cast<float>(i % 7);
}

template <bool kDense>
void one_line(index_t count, index_t stride, std::uint64_t first) {
    const auto value = [](index_t i, std::uint32_t bits) { return uniform_from_bits(bits) + static_cast<float>(i % 7); };
    for (const bool stream : {false, true}) {
        std::vector<float> by_row(static_cast<std::size_t>(count * stride) + 2, -1.0f);
        std::vector<float> by_all = by_row;
        map_random_row(Line<float, kDense>{by_row.data() + 1, stride}, count, stream, PhiloxRow{kSeed, first}, value);
        finish_streaming();
        map_random(Line<float, kDense>{by_all.data() + 1, stride}, count, PhiloxRow{kSeed, first}, value);
        for (index_t place = 0; place < count * stride + 2; ++place) {
            const bool written = place > 0 && (place - 1) % stride == 0 && (place - 1) / stride < count;
            const float want = written ? expected(first, (place - 1) / stride) : -1.0f;
            EXPECT(by_row[static_cast<std::size_t>(place)] == want);
            EXPECT(by_all[static_cast<std::size_t>(place)] == want);
        }
    }
}

// Outputs of several blocks and threads, and one that is streamed by its size.
void large() {
    for (const index_t count : {kParallelWork + 5, kStreamBytes + 3}) {
        std::vector<std::uint8_t> low(static_cast<std::size_t>(count));
        map_random(Line<std::uint8_t, true>{low.data(), 1}, count, PhiloxRow{kSeed, 6},
                   [](index_t, std::uint32_t bits) { return bits & 0xffu; });
        for (index_t i = 0; i < count; ++i) {
            EXPECT(low[static_cast<std::size_t>(i)] == (philox(kSeed, 6 + static_cast<std::uint64_t>(i)) & 0xffu));
        }
    }
}

}  // namespace

int main() {
    for (const index_t count : {0, 1, 3, 31, 255, 256, 257, 1000}) {
        for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{3}, ~std::uint64_t{0} - 20}) {
            one_line<true>(count, 1, first);
            one_line<false>(count, 3, first);
        }
    }
    large();
    return expect::failures();
}
