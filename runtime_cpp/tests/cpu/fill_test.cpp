#include <intent/cpu/fill.hpp>
#include <intent/float16.hpp>

#include "../expect.hpp"

#include <vector>

namespace {

template <class T, class Value>
void fills(Value value) {
    for (intent::index_t count : {0, 1, 7, 64, 1001}) {
        std::vector<T> array(static_cast<std::size_t>(count) + 1, T(5));
        intent::fill(array.data(), count, value);
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            EXPECT(array[i] == static_cast<T>(value));
        }
        EXPECT(array.back() == T(5));
    }
}

}  // namespace

int main() {
    fills<float>(-1e30f);
    fills<double>(2.0);
    fills<std::int8_t>(3);
    fills<intent::f16>(0.5f);
    return expect::failures();
}
