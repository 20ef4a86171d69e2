#include <intent/cpu/fold_abreast.hpp>

#include "../expect.hpp"

#include <cstdint>
#include <vector>

using namespace intent;

namespace {

const index_t kMembers[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 31, 32, 33, 41, 63, 64, 65, 100, 131};

// Whole numbers; every member is stored once, and nothing beside them.
template <class T>
void sums() {
    for (const index_t members : kMembers) {
        for (const index_t count : {0, 1, 2, 5, 70}) {
            std::vector<T> found(static_cast<std::size_t>(members) + 1, T(7));
            std::vector<int> stored(static_cast<std::size_t>(members) + 1, 0);
            T* const result = found.data();
            int* const times = stored.data();
            fold_abreast(
                members, count, Add{}, [](index_t member, index_t i) { return T(member % 5 + i % 3); },
                [=](index_t member, T sum) {
                    result[member] = sum;
                    ++times[member];
                });
            for (index_t member = 0; member < members; ++member) {
                T expected = T(0);
                for (index_t i = 0; i < count; ++i) {
                    expected = Add{}(expected, T(member % 5 + i % 3));
                }
                EXPECT(result[member] == expected && times[member] == 1);
            }
            EXPECT(result[members] == T(7) && times[members] == 0);
        }
    }
}

// What a member stores is no part of what its neighbours reduce, though they are asked for again.
void in_place() {
    for (const index_t members : kMembers) {
        std::vector<float> x(static_cast<std::size_t>(members) + 1, 1.0f);
        float* const p = x.data();
        fold_abreast(
            members, 3, Add{}, [=](index_t member, index_t) { return p[member]; },
            [=](index_t member, float sum) { p[member] = sum; });
        for (index_t member = 0; member < members; ++member) {
            EXPECT(p[member] == 3.0f);
        }
    }
}

void few() {
    EXPECT(fold_few<1>(Add{}, [](index_t i) { return static_cast<int>(i) + 4; }) == 4);
    EXPECT(fold_few<9>(Add{}, [](index_t i) { return static_cast<int>(i); }) == 36);
    EXPECT(fold_few<32>(Maximum{}, [](index_t i) { return i == 17 ? quiet_nan<float>() : 1.0f; }) != 1.0f);
    EXPECT(fold_few<3>(Any{}, [](index_t i) { return i == 2; }));
}

}  // namespace

int main() {
    sums<float>();
    sums<double>();
    sums<std::int8_t>();
    sums<std::int64_t>();
    in_place();
    few();
    return expect::failures();
}
