#include <intent/cpu/vector.hpp>

#include "../expect.hpp"

#include <climits>

namespace {

template <class T>
void lanes() {
    constexpr int kLanes = intent::kVectorLanes<T>;
    static_assert(kLanes * static_cast<int>(sizeof(T)) == intent::kVectorBytes &&
                  sizeof(intent::Vector<T>) == intent::kVectorBytes);
    T memory[3 * kLanes + 1];
    for (int i = 0; i <= 3 * kLanes; ++i) {
        memory[i] = static_cast<T>(i);
    }
    EXPECT(intent::sum_of_lanes<T>(intent::load_vector(memory)) == static_cast<T>(kLanes * (kLanes - 1) / 2));
    // Unaligned, and nothing beside the vector is written.
    intent::store_vector(
        memory + 1, intent::load_vector(memory + kLanes + 1) * intent::splat_vector(T(2)) + intent::splat_vector(T(1)));
    EXPECT(memory[0] == T(0) && memory[kLanes + 1] == static_cast<T>(kLanes + 1));
    for (int i = 0; i < kLanes; ++i) {
        EXPECT(memory[i + 1] == static_cast<T>(2 * (kLanes + 1 + i) + 1));
    }
}

}  // namespace

int main() {
    lanes<float>();
    lanes<double>();
    lanes<std::int8_t>();
    lanes<std::int32_t>();
    lanes<std::uint64_t>();
    // Signed overflow wraps.
    std::int32_t most[intent::kVectorLanes<std::int32_t>];
    intent::store_vector(most, intent::splat_vector(std::int32_t{INT_MAX}) + intent::splat_vector(std::int32_t{1}));
    EXPECT(most[0] == INT_MIN);
    // -0.0 keeps its sign.
    float zeros[intent::kVectorLanes<float>];
    intent::store_vector(zeros, intent::splat_vector(-0.0f));
    EXPECT(1.0f / zeros[0] < 0.0f);
    return expect::failures();
}
