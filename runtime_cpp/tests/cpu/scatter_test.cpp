#include <intent/cpu/scatter.hpp>
#include <intent/float16.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <cmath>
#include <vector>

using namespace intent;

namespace {

// How the places are chosen.
enum class Places { kEven, kSkewed, kOne, kRising };

index_t place_of(Places places, index_t i, index_t count, index_t rows, test::Random& random) {
    switch (places) {
        case Places::kEven:
            return random.integer(0, rows - 1);
        case Places::kSkewed: {
            const double u = 0.5 * random.real() + 0.5;
            return static_cast<index_t>(u * u * u * u * static_cast<double>(rows));
        }
        case Places::kOne:
            return rows - 1;
        case Places::kRising:
            return i * rows / count;
    }
    return 0;
}

// Whole numbers, so that no order of additions shows; rows with a gap between them and a start that is not zero.
template <class T>
void exact(index_t count, index_t width, index_t rows, Places places) {
    test::Random random(static_cast<std::uint64_t>(count + 31 * width + 977 * rows));
    std::vector<std::int32_t> place(static_cast<std::size_t>(count) + 1);
    for (index_t i = 0; i < count; ++i) {
        place[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(place_of(places, i, count, rows, random));
    }
    const index_t stride = width + 1;
    std::vector<T> out(static_cast<std::size_t>(rows * stride) + 1, T(3));
    std::vector<T> expected = out;
    const auto value = [=](index_t i, index_t j) { return static_cast<T>((i * 7 + j * 3) % 5 - 2); };
    for (index_t i = 0; i < count; ++i) {
        for (index_t j = 0; j < width; ++j) {
            T& element = expected[static_cast<std::size_t>(place[static_cast<std::size_t>(i)] * stride + j)];
            element = Add{}(element, value(i, j));
        }
    }
    T* const p = out.data();
    const std::int32_t* const q = place.data();
    scatter_add(
        count, width, rows, [=](index_t i) { return index_t{q[i]}; }, value,
        [=](index_t row, index_t j) -> T& { return p[row * stride + j]; });
    EXPECT(out == expected);
}

template <class T>
void sizes(Places places) {
    for (const index_t count : {0, 1, 2, 97, 40009}) {
        for (const index_t width : {0, 1, 2, 7, 33}) {
            for (const index_t rows : {1, 2, 1009, 70001}) {
                exact<T>(count, width, rows, places);
            }
        }
    }
    exact<T>(60, 700, 101, places);     // by columns
    exact<T>(300007, 1, 100, places);   // sums of their own, in sixteen copies
    exact<T>(1601, 1, 20, places);      // the same on one thread
    exact<T>(300007, 1, 3000, places);  // sums of their own, in four copies
    exact<T>(300007, 1, 9001, places);  // sums of their own
}

// Rounded sums are the same at every run, and near the exact ones.
void repeatable() {
    constexpr index_t kCount = 200003;
    constexpr index_t kWidth = 3;
    constexpr index_t kRows = 30011;
    test::Random random(5);
    std::vector<index_t> place(kCount);
    for (index_t& row : place) {
        row = place_of(Places::kSkewed, 0, kCount, kRows, random);
    }
    const index_t* const q = place.data();
    const auto sum_into = [=](auto* out) {
        using T = std::decay_t<decltype(*out)>;
        scatter_add(
            kCount, kWidth, kRows, [=](index_t i) { return q[i]; },
            [](index_t i, index_t j) { return static_cast<T>(1.0f / static_cast<float>(1 + i % 1000 + j)); },
            [=](index_t row, index_t j) -> T& { return out[row * kWidth + j]; });
    };
    std::vector<float> first(kRows * kWidth, 0.0f);
    std::vector<float> second = first;
    std::vector<double> wide(first.size(), 0.0);
    sum_into(first.data());
    sum_into(second.data());
    sum_into(wide.data());
    EXPECT(first == second);
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT(std::fabs(static_cast<double>(first[i]) - wide[i]) <= 1e-4 * std::fabs(wide[i]));
    }
}

void narrow_and_special() {
    std::vector<f16> half(3, f16(0.0f));
    f16* const p = half.data();
    scatter_add(
        1000, 1, 3, [](index_t i) { return i % 2; }, [](index_t, index_t) { return f16(1.0f); },
        [=](index_t row, index_t) -> f16& { return p[row]; });
    EXPECT(p[0] == f16(500.0f) && p[1] == f16(500.0f) && p[2] == f16(0.0f));

    std::vector<double> x(100000, 1.0);
    double* const q = x.data();
    scatter_add(
        100000, 1, 100000, [](index_t i) { return i; },
        [](index_t i, index_t) { return i == 17   ? quiet_nan<double>()
                                        : i == 18 ? infinity<double>()
                                                  : 1.0; },
        [=](index_t row, index_t) -> double& { return q[row]; });
    EXPECT(q[16] == 2.0 && is_nan(q[17]) && q[18] == infinity<double>() && q[99999] == 2.0);
}

// Rows past 2^31, more than memory has: in order, and sorted by owner.
void far_rows() {
    const index_t rows = index_t{1} << 33;
    for (const index_t count : {100, 60000}) {
        std::vector<std::int64_t> last(50, 0);
        std::int64_t* const p = last.data();
        scatter_add(
            count, 1, rows, [=](index_t i) { return rows - 1 - i % 50; }, [](index_t i, index_t) { return i; },
            [=](index_t row, index_t) -> std::int64_t& { return p[rows - 1 - row]; });
        for (index_t i = 0; i < 50; ++i) {
            const index_t terms = count / 50;
            EXPECT(p[i] == terms * i + 50 * (terms * (terms - 1) / 2));
        }
    }
}

// Called from inside a parallel region: each thread adds to places of its own.
void nested() {
    constexpr index_t kCount = 50000;
    std::vector<float> out(2 * 1000, 0.0f);
    float* const p = out.data();
    #pragma omp parallel for num_threads(2)
    for (int half = 0; half < 2; ++half) {
        float* const own = p + 1000 * half;
        scatter_add(
            kCount, 1, 1000, [](index_t i) { return i % 1000; }, [](index_t, index_t) { return 1.0f; },
            [=](index_t row, index_t) -> float& { return own[row]; });
    }
    for (const float sum : out) {
        EXPECT(sum == 50.0f);
    }
}

}  // namespace

int main() {
    for (const Places places : {Places::kEven, Places::kSkewed, Places::kOne, Places::kRising}) {
        sizes<float>(places);
    }
    sizes<std::int64_t>(Places::kSkewed);
    sizes<std::uint8_t>(Places::kEven);
    repeatable();
    narrow_and_special();
    far_rows();
    nested();
    return expect::failures();
}
