#include <intent/combine.hpp>
#include <intent/cpu/fold_by.hpp>
#include <intent/float16.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <cmath>
#include <vector>

using namespace intent;

namespace {

const index_t kSizes[] = {0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 47, 97, 1009, 8191, 8192, 8193, 16385, 32771, 100003};

struct Moments {
    double count;
    double mean;
    double squares;
};

Moments merged(Moments a, Moments b) {
    const double count = a.count + b.count;
    const double difference = b.mean - a.mean;
    const double share = count > 0.0 ? b.count / count : 0.0;
    return {count, a.mean + difference * share, a.squares + b.squares + difference * difference * a.count * share};
}

// The largest number, the sum of all, and where the largest stands; the lowest place on ties.
struct Summary {
    std::int32_t largest;
    std::uint8_t sum;
    index_t place;
    bool any;
};

Summary joined(Summary a, Summary b) {
    const bool second = !a.any || (b.any && (b.largest > a.largest || (b.largest == a.largest && b.place < a.place)));
    return {second ? b.largest : a.largest, wrap_add(a.sum, b.sum), second ? b.place : a.place, a.any || b.any};
}

void structs() {
    test::Random random(1);
    for (const index_t count : kSizes) {
        std::vector<std::int32_t> x(static_cast<std::size_t>(count) + 1);
        Summary expected{0, 0, -1, false};
        for (index_t i = 0; i < count; ++i) {
            x[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(random.integer(-50, 50));
            expected = joined(expected, {x[static_cast<std::size_t>(i)],
                                         static_cast<std::uint8_t>(x[static_cast<std::size_t>(i)]), i, true});
        }
        const std::int32_t* const p = x.data();
        const auto value = [=](index_t i) { return Summary{p[i], static_cast<std::uint8_t>(p[i]), i, true}; };
        const auto combine = [](Summary a, Summary b) { return joined(a, b); };
        const Summary nothing{0, 0, -1, false};
        for (const Summary& got :
             {fold_by(count, nothing, combine, value), parallel_fold_by(count, nothing, combine, value)}) {
            EXPECT(got.largest == expected.largest && got.sum == expected.sum && got.place == expected.place &&
                   got.any == expected.any);
        }

        const auto combine_moments = [](Moments a, Moments b) { return merged(a, b); };
        const auto moment = [=](index_t i) { return Moments{1.0, static_cast<double>(p[i]), 0.0}; };
        const Moments one = fold_by(count, Moments{0.0, 0.0, 0.0}, combine_moments, moment);
        const Moments all = parallel_fold_by(count, Moments{0.0, 0.0, 0.0}, combine_moments, moment);
        EXPECT(one.count == static_cast<double>(count) && all.count == one.count);
        EXPECT(std::fabs(one.mean - all.mean) < 1e-9 && std::fabs(one.squares - all.squares) < 1e-6);
    }
}

// A captured operand, and an identity that counts exactly once although it is none.
void captured() {
    for (const index_t count : kSizes) {
        const std::int64_t modulus = 1009;
        const auto multiply = [=](std::int64_t a, std::int64_t b) { return a * b % modulus; };
        const auto value = [](index_t i) { return 2 + i % 7; };
        std::int64_t expected = 5;
        for (index_t i = 0; i < count; ++i) {
            expected = multiply(expected, value(i));
        }
        EXPECT(fold_by(count, std::int64_t{5}, multiply, value) == expected);
        EXPECT(parallel_fold_by(count, std::int64_t{5}, multiply, value) == expected);
    }
}

template <class T>
void nan_at_every_position() {
    T x[131];
    const T* const p = x;
    for (int at = 0; at < 131; ++at) {
        for (int i = 0; i < 131; ++i) {
            x[i] = T(i);
        }
        x[at] = quiet_nan<T>();
        EXPECT(is_nan(fold_by(index_t{131}, lowest<T>(), Maximum{}, [=](index_t i) { return p[i]; })));
    }
    x[130] = infinity<T>();
    EXPECT(fold_by(index_t{130}, lowest<T>(), Maximum{}, [=](index_t i) { return p[i]; }) == T(129));
}

void columns() {
    for (const index_t rows : {0, 1, 2, 3, 17, 700, 5003}) {
        for (const index_t count : {0, 1, 7, 63, 64, 65, 130, 2049}) {
            if (rows * count > 1200000) {
                continue;
            }
            const auto value = [=](index_t row, index_t column) {
                const auto x = static_cast<std::int32_t>((row * 31 + column * 17) % 1001 - 500);
                return Summary{x, static_cast<std::uint8_t>(x), row, true};
            };
            const auto combine = [](Summary a, Summary b) { return joined(a, b); };
            const Summary nothing{7, 3, -1, false};
            std::vector<Summary> one(static_cast<std::size_t>(count) + 1, Summary{1, 1, 1, true});
            std::vector<Summary> all = one;
            Summary* const p = one.data();
            Summary* const q = all.data();
            fold_columns_by(rows, count, nothing, combine, value, [=](index_t column, Summary s) { p[column] = s; });
            parallel_fold_columns_by(rows, count, nothing, combine, value,
                                     [=](index_t column, Summary s) { q[column] = s; });
            for (index_t column = 0; column < count; ++column) {
                const Summary expected =
                    fold_by(rows, nothing, combine, [=](index_t row) { return value(row, column); });
                EXPECT(p[column].sum == expected.sum && p[column].place == expected.place &&
                       p[column].largest == expected.largest && p[column].any == expected.any);
                EXPECT(q[column].sum == expected.sum && q[column].place == expected.place &&
                       q[column].largest == expected.largest && q[column].any == expected.any);
            }
            EXPECT(p[count].place == 1 && q[count].place == 1);
        }
    }
}

// An index past 2^31 arrives unharmed.
void far_index() {
    const index_t far = (index_t{1} << 32) + 12345;
    const auto sum = [](index_t a, index_t b) { return a + b; };
    EXPECT(fold_by(index_t{1000}, index_t{0}, sum, [=](index_t i) { return far + i; }) == 1000 * far + 999 * 500);
}

}  // namespace

int main() {
    structs();
    captured();
    nan_at_every_position<float>();
    nan_at_every_position<double>();
    nan_at_every_position<f16>();
    columns();
    far_index();
    return expect::failures();
}
