#include <intent/cpu/philox_row.hpp>

#include "../expect.hpp"

#include <vector>

using namespace intent;

namespace {

void consecutive() {
    const std::uint64_t firsts[] = {
        0, 1, 2, 3, 4, 31, (std::uint64_t{1} << 32) - 3, (std::uint64_t{1} << 34) - 17, ~std::uint64_t{0} - 20};
    for (const std::uint64_t first : firsts) {
        for (const index_t count : {0, 1, 3, 4, 5, 28, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 1000}) {
            std::vector<std::uint32_t> bits(static_cast<std::size_t>(count) + 1, 77u);
            std::uint32_t* const p = bits.data();
            const std::uint64_t seed = 0x123456789abcdef0u + first;
            philox_row(seed, first, count, p);
            for (index_t i = 0; i < count; ++i) {
                EXPECT(p[i] == philox(seed, first + static_cast<std::uint64_t>(i)));
            }
            EXPECT(p[count] == 77u);
        }
    }
}

}  // namespace

int main() {
    consecutive();
    return expect::failures();
}
