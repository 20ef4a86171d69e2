#include <intent/cpu/lanes.hpp>
#include <intent/float16.hpp>

#include "../expect.hpp"

using namespace intent;

namespace {

struct One {
    double only;
};
struct Mixed {
    float value;
    std::int64_t index;
    bool seen;
};
struct Eight {
    std::int8_t a, b, c, d, e, f, g, h;
};
struct Nine {
    int a, b, c, d, e, f, g, h, i;
};

}  // namespace

int main() {
    static_assert(detail::field_count<One>() == 1 && detail::field_count<Mixed>() == 3);
    static_assert(detail::field_count<Eight>() == 8 && detail::field_count<Nine>() > detail::kMostFields);
    static_assert(sizeof(Lanes<Eight, 4>) == 4 * sizeof(Eight) && sizeof(Lanes<float, 5>) == 20);

    Lanes<Mixed, 3> mixed;
    Lanes<Eight, 3> eight;
    Lanes<Nine, 3> nine;
    Lanes<One, 3> one;
    Lanes<float, 3> plain;
    Lanes<f16, 3> half;
    for (int lane = 0; lane < 3; ++lane) {
        const auto small = static_cast<std::int8_t>(lane);
        mixed.set(lane, {0.5f * static_cast<float>(lane), std::int64_t{1} << (40 + lane), lane == 1});
        eight.set(lane, {small, 1, 2, 3, 4, 5, 6, small});
        nine.set(lane, {lane, 1, 2, 3, 4, 5, 6, 7, -lane});
        one.set(lane, {lane + 0.25});
        plain.set(lane, static_cast<float>(lane));
        half.set(lane, f16(lane));
    }
    for (int lane = 0; lane < 3; ++lane) {
        EXPECT(mixed.get(lane).value == 0.5f * static_cast<float>(lane) &&
               mixed.get(lane).index == std::int64_t{1} << (40 + lane) && mixed.get(lane).seen == (lane == 1));
        EXPECT(eight.get(lane).a == lane && eight.get(lane).b == 1 && eight.get(lane).g == 6 &&
               eight.get(lane).h == lane);
        EXPECT(nine.get(lane).a == lane && nine.get(lane).h == 7 && nine.get(lane).i == -lane);
        EXPECT(one.get(lane).only == lane + 0.25 && plain.get(lane) == static_cast<float>(lane) &&
               half.get(lane) == f16(lane));
    }
    return expect::failures();
}
