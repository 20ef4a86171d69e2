#include <intent/cpu/fold.hpp>
#include <intent/float16.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <cmath>
#include <vector>

using namespace intent;

namespace {

const index_t kSizes[] = {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 97, 127, 1000, 2047, 2048, 2049, 4099};

// Whole numbers: every order of summation gives the same result.
template <class T>
void sums() {
    for (const index_t count : kSizes) {
        T expected = T(0);
        for (index_t i = 0; i < count; ++i) {
            expected = Add{}(expected, T(i % 13));
        }
        const auto value = [](index_t i) { return T(i % 13); };
        EXPECT(fold(count, Add{}, value) == expected);
        EXPECT(parallel_fold(count, Add{}, value) == expected);
    }
}

template <class T>
void extremes() {
    test::Random random(4);
    for (const index_t count : kSizes) {
        std::vector<T> x(static_cast<std::size_t>(count) + 1);
        const T* const p = x.data();
        T largest = lowest<T>();
        T smallest = highest<T>();
        for (index_t i = 0; i < count; ++i) {
            x[static_cast<std::size_t>(i)] = T(random.integer(-100, 100));
            largest = maximum(largest, p[i]);
            smallest = minimum(smallest, p[i]);
        }
        EXPECT(fold(count, Maximum{}, [=](index_t i) { return p[i]; }) == largest);
        EXPECT(fold(count, Minimum{}, [=](index_t i) { return p[i]; }) == smallest);
        EXPECT(parallel_fold(count, Maximum{}, [=](index_t i) { return p[i]; }) == largest);
        const Indexed<T> best = arg_max(count, [=](index_t i) { return p[i]; });
        EXPECT(best.value == largest);
        index_t first = 0;
        while (first < count && p[first] != largest) {
            ++first;
        }
        EXPECT(best.index == (count == 0 ? INT64_MAX : first));
    }
}

template <class T>
void nan_at_every_position() {
    constexpr index_t kCount = 131;
    T x[kCount];
    for (index_t i = 0; i < kCount; ++i) {
        x[i] = T(i);
    }
    const T* const p = x;
    const auto value = [=](index_t i) { return p[i]; };
    for (index_t at = 0; at < kCount; ++at) {
        x[at] = quiet_nan<T>();
        EXPECT(is_nan(fold(kCount, Maximum{}, value)) && is_nan(fold(kCount, Minimum{}, value)) &&
               is_nan(fold(kCount, Add{}, value)));
        const Indexed<T> best = arg_max(kCount, value);
        EXPECT(is_nan(best.value) && best.index == at);
        x[at] = T(at);
    }
    x[100] = x[40] = quiet_nan<T>();
    EXPECT(arg_max(kCount, value).index == 40);
}

void arg_max_ties_and_ends() {
    EXPECT(arg_max(5000, [](index_t) { return 3.0f; }).index == 0);
    EXPECT(arg_max(5000, [](index_t i) { return i >= 3000 ? 1.0f : 0.0f; }).index == 3000);
    EXPECT(arg_max(5000, [](index_t) { return -infinity<float>(); }).index == 0);
    EXPECT(arg_max(5000, [](index_t) { return lowest<int>(); }).index == 0);
    EXPECT(arg_max(5000, [](index_t i) { return i == 4999; }).index == 4999);
    EXPECT(arg_max(9000, [](index_t i) { return i % 3000 == 2500 ? 9 : static_cast<int>(i % 7); }).index == 2500);
    for (const index_t at : {0, 2047, 2048, 4095, 6000, 8191, 8999}) {
        const auto one_nan = [=](index_t i) { return i >= at && i % 2 == at % 2 ? quiet_nan<float>() : 1.0f; };
        EXPECT(arg_max(9000, one_nan).index == at && is_nan(arg_max(9000, one_nan).value));
        EXPECT(arg_max(9000, [=](index_t i) { return i >= at ? 2.5 : -1e9 - static_cast<double>(i); }).index == at);
    }
    EXPECT(arg_max(0, [](index_t) { return 1.0; }).value == -infinity<double>());
    EXPECT(arg_max(100000, [](index_t i) { return i; }).index == 99999);
}

void logic() {
    for (const index_t count : kSizes) {
        EXPECT(fold(count, All{}, [](index_t) { return true; }) && !fold(count, Any{}, [](index_t) { return false; }));
        for (index_t at = 0; at < count && at < 200; ++at) {
            EXPECT(!fold(count, All{}, [=](index_t i) { return i != at; }) &&
                   fold(count, Any{}, [=](index_t i) { return i == at; }));
        }
    }
    EXPECT(parallel_fold(100000, Any{}, [](index_t i) { return i == 77777; }));
}

// One pass that also stores, with the next row or what lies ahead prefetched.
void storing() {
    float x[1000];
    float y[1000] = {};
    for (int i = 0; i < 1000; ++i) {
        x[i] = static_cast<float>(i);
    }
    const float* const p = x;
    float* const q = y;
    const auto value = [=](index_t i) {
        q[i] = 2.0f * p[i];
        return q[i];
    };
    EXPECT(fold(999, Add{}, value, PrefetchRow{p}) == 999.0f * 998.0f);
    EXPECT(fold(999, Add{}, value, PrefetchAhead{Line<const float, true>{p, 1}}) == 999.0f * 998.0f);
    EXPECT(fold(499, Add{}, value, PrefetchAhead{Line<const float, false>{p, 2}}) == 499.0f * 498.0f);
    EXPECT(y[0] == 0.0f && y[998] == 1996.0f && y[999] == 0.0f);
}

// Whatever the number of members: each is asked for once; none, or fewer than none, leave the identity.
void each_member_once() {
    for (index_t count = 0; count < 300; ++count) {
        int asked[300] = {};
        int* const p = asked;
        const auto value = [=](index_t i) {
            ++p[i];
            return 1;
        };
        EXPECT(fold(count, Add{}, value) == static_cast<int>(count));
        for (index_t i = 0; i < 300; ++i) {
            EXPECT(asked[i] == (i < count ? 1 : 0));
        }
    }
    for (const index_t count : {-1, -17, -64, -100}) {
        EXPECT(fold(count, Add{}, [](index_t i) { return static_cast<float>(i); }) == 0.0f);
        EXPECT(fold(count, Maximum{}, [](index_t i) { return static_cast<float>(i); }) == -infinity<float>());
    }
}

// Blocks that are read as several streams, and what is left of the last one: each member counts once, wherever it is.
template <class T>
void long_lines() {
    for (const index_t count : {index_t{8191}, index_t{8192}, index_t{8193}, index_t{30000}, kFoldBlock - 1, kFoldBlock,
                                kFoldBlock + 1, 3 * kFoldBlock + 77}) {
        std::vector<int> asked(static_cast<std::size_t>(count));
        int* const times = asked.data();
        const T sum = parallel_fold(count, Add{}, [=](index_t i) {
            ++times[i];
            return static_cast<T>(i % 7);
        });
        T expected = 0;
        for (index_t i = 0; i < count; ++i) {
            expected += static_cast<T>(i % 7);
            EXPECT(times[i] == 1);
        }
        EXPECT(sum == expected);
        for (index_t at = 0; at < count; at += 1021) {
            const auto peak = [=](index_t i) { return static_cast<T>(i >= at ? 5 : 4); };
            EXPECT(parallel_fold(count, Maximum{}, peak) == T(5) && arg_max(count, peak).index == at);
            const auto gap = [=](index_t i) { return i == at ? quiet_nan<T>() : T(1); };
            EXPECT(is_nan(parallel_fold(count, Maximum{}, gap)) && arg_max(count, gap).index == at);
        }
    }
}

void columns() {
    for (const index_t rows : {0, 1, 2, 3, 4, 5, 17}) {
        for (const index_t count : {0, 1, 7, 8, 33, 600}) {
            std::vector<float> result(static_cast<std::size_t>(count) + 1, 7.0f);
            std::vector<float> peak(static_cast<std::size_t>(count) + 1, 7.0f);
            fold_columns(
                rows, count, Add{}, [](index_t row, index_t column) { return static_cast<float>(row * 10 + column); },
                result.data());
            fold_columns(
                rows, count, Maximum{},
                [](index_t row, index_t column) {
                    return row == 1 && column == 5 ? quiet_nan<float>() : static_cast<float>(row);
                },
                peak.data());
            for (index_t column = 0; column < count; ++column) {
                const auto at = static_cast<std::size_t>(column);
                EXPECT(result[at] == static_cast<float>(5 * rows * (rows - 1) + rows * column));
                EXPECT(rows > 1 && column == 5
                           ? is_nan(peak[at])
                           : peak[at] == (rows == 0 ? -infinity<float>() : static_cast<float>(rows - 1)));
            }
            EXPECT(result[static_cast<std::size_t>(count)] == 7.0f);
        }
    }
}

// Few columns are split into blocks of rows, many into runs of columns.
void columns_on_all_threads() {
    struct Shape {
        index_t rows;
        index_t columns;
    };
    for (const Shape shape : {Shape{0, 5}, {5, 0}, {3, 7}, {100000, 3}, {300000, 1}, {700, 1000}, {50, 9000}}) {
        std::vector<double> result(static_cast<std::size_t>(shape.columns) + 1, -7.0);
        parallel_fold_columns(
            shape.rows, shape.columns, Add{},
            [](index_t row, index_t column) { return static_cast<double>(row % 7 + column); }, result.data());
        double rows_sum = 0.0;
        for (index_t row = 0; row < shape.rows; ++row) {
            rows_sum += static_cast<double>(row % 7);
        }
        for (index_t column = 0; column < shape.columns; ++column) {
            EXPECT(result[static_cast<std::size_t>(column)] == rows_sum + static_cast<double>(shape.rows * column));
        }
        EXPECT(result[static_cast<std::size_t>(shape.columns)] == -7.0);
    }
}

// Real numbers: close to the exact sum, and the same for any number of threads.
void accuracy_and_threads() {
    constexpr index_t kCount = 1000003;
    std::vector<float> x(kCount);
    test::Random random(5);
    double exact = 0.0;
    for (float& element : x) {
        element = static_cast<float>(random.real()) + 0.5f;
        exact += static_cast<double>(element);
    }
    const float* const p = x.data();
    const float sum = parallel_fold(kCount, Add{}, [=](index_t i) { return p[i]; });
    EXPECT(std::fabs(static_cast<double>(sum) - exact) < 1e-5 * exact);
#if defined(_OPENMP)
    for (const int threads : {1, 2, 3, 7}) {
        omp_set_num_threads(threads);
        EXPECT(parallel_fold(kCount, Add{}, [=](index_t i) { return p[i]; }) == sum);
    }
#endif
}

}  // namespace

int main() {
    sums<float>();
    sums<double>();
    sums<std::int8_t>();
    sums<std::int32_t>();
    sums<std::int64_t>();
    extremes<float>();
    extremes<double>();
    extremes<f16>();
    extremes<std::int8_t>();
    extremes<std::int64_t>();
    nan_at_every_position<float>();
    nan_at_every_position<double>();
    nan_at_every_position<f16>();
    nan_at_every_position<bf16>();
    arg_max_ties_and_ends();
    logic();
    storing();
    each_member_once();
    long_lines<float>();
    long_lines<double>();
    columns();
    columns_on_all_threads();
    accuracy_and_threads();
    return expect::failures();
}
