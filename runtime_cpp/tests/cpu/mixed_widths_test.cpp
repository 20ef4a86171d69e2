// Objects built for machines with different vectors meet in one program; each must run its own loops.
#include "mixed_widths.hpp"

#include "../expect.hpp"

#include <vector>

int main() {
    constexpr intent::index_t kSize = 100;
    std::vector<float> ones(kSize * kSize, 1.0f);
    std::vector<float> c(kSize * kSize);
    for (const auto multiply : {multiply_narrow, multiply_wide, multiply_narrow}) {
        multiply(ones.data(), ones.data(), c.data(), kSize);
        for (float& element : c) {
            EXPECT(element == static_cast<float>(kSize));
            element = 0.0f;
        }
    }
    return expect::failures();
}
