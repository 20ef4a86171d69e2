#include <intent/cpu/fold_rows.hpp>
#include <intent/cpu/fold_together.hpp>

#include "../expect.hpp"

#include <vector>

using namespace intent;

namespace {

const index_t kSizes[] = {0, 1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 127, 1000, 40000};

std::vector<float> numbers(index_t count) {
    std::vector<float> x(static_cast<std::size_t>(count) + 1);
    for (index_t i = 0; i < count; ++i) {
        x[static_cast<std::size_t>(i)] = static_cast<float>((i * 7 + 3) % 11 - 5);
    }
    return x;
}

// Every value is what a fold of its own gives, whatever the others are.
void two() {
    for (const index_t count : kSizes) {
        const std::vector<float> x = numbers(count);
        const float* const p = x.data();
        const auto value = [=](index_t i) { return Values{p[i], p[i] * p[i]}; };
        const float sum = fold(count, Add{}, [=](index_t i) { return p[i]; });
        const float squares = fold(count, Add{}, [=](index_t i) { return p[i] * p[i]; });
        const auto found = fold(count, Each<Add, Add>{}, value);
        EXPECT(found.first == sum && found.second == squares);
        const auto team = parallel_fold(count, Each<Add, Add>{}, value);
        EXPECT(team.first == sum && team.second == squares);
    }
}

void three_of_different_types() {
    for (const index_t count : kSizes) {
        const std::vector<float> x = numbers(count);
        const float* const p = x.data();
        const auto found = fold(count, Each<Maximum, Add, All>{}, [=](index_t i) {
            return Values{p[i], static_cast<double>(p[i]), p[i] > -5.0f};
        });
        EXPECT(found.first == fold(count, Maximum{}, [=](index_t i) { return p[i]; }));
        EXPECT(found.second == fold(count, Add{}, [=](index_t i) { return static_cast<double>(p[i]); }));
        EXPECT(found.third == fold(count, All{}, [=](index_t i) { return p[i] > -5.0f; }));
    }
}

void four() {
    for (const index_t count : kSizes) {
        const auto found = fold(count, Each<Minimum, Maximum, Add, Any>{}, [=](index_t i) {
            return Values{i - 3, i * 2, std::int32_t{1}, i == 40};
        });
        EXPECT(found.first == (count > 0 ? -3 : highest<index_t>()));
        EXPECT(found.second == (count > 0 ? 2 * (count - 1) : lowest<index_t>()));
        EXPECT(found.third == count && found.fourth == (count > 40));
    }
}

void nan_wins_in_its_own_reduction_only() {
    const auto found = fold(100, Each<Maximum, Add>{}, [](index_t i) {
        return Values{i == 77 ? quiet_nan<float>() : 1.0f, 1.0f};
    });
    EXPECT(is_nan(found.first) && found.second == 100.0f);
}

void rows() {
    const auto row_fold = [](index_t row) {
        return fold(300, Each<Add, Maximum>{}, [=](index_t i) { return Values{index_t{1}, row * 300 + i}; });
    };
    const auto found = parallel_fold_rows(500, 300, Each<Add, Maximum>{}, row_fold);
    EXPECT(found.first == 150000 && found.second == 149999);
}

}  // namespace

int main() {
    two();
    three_of_different_types();
    four();
    nan_wins_in_its_own_reduction_only();
    rows();
    return expect::failures();
}
