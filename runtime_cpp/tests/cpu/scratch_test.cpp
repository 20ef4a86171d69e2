#include <intent/cpu/scratch.hpp>

#include "../expect.hpp"

#include <cstring>
#include <thread>

namespace {

struct First;
struct Second;

bool aligned(const void* p, std::uintptr_t bytes) { return reinterpret_cast<std::uintptr_t>(p) % bytes == 0; }

}  // namespace

int main() {
    float* const small = intent::thread_scratch<float, First>(10);
    EXPECT(small != nullptr && aligned(small, 64));
    small[9] = 1.0f;
    EXPECT(intent::thread_scratch<float, First>(3) == small && small[9] == 1.0f);  // kept
    EXPECT(intent::thread_scratch<float, Second>(10) != small);
    EXPECT(static_cast<void*>(intent::thread_scratch<double, First>(10)) != static_cast<void*>(small));
    EXPECT(intent::thread_scratch<float, First>(0) != nullptr);

    EXPECT(aligned(intent::thread_scratch<char, Second>(256 << 10), std::uintptr_t{2} << 20));

    constexpr intent::index_t kLarge = intent::index_t{3} << 20;
    float* const large = intent::thread_scratch<float, First>(kLarge);
    EXPECT(aligned(large, std::uintptr_t{2} << 20));
    std::memset(large, 1, static_cast<std::size_t>(kLarge) * sizeof(float));
    EXPECT(intent::thread_scratch<float, First>(kLarge - 5) == large);

    std::thread([large] {
        float* const other = intent::thread_scratch<float, First>(kLarge);
        EXPECT(other != large);
        other[0] = 2.0f;
    }).join();
    return expect::failures();
}
