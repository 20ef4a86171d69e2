// Reductions by warps and blocks: every type, empty and odd counts, several block sizes.
#include "test.hpp"

#include <intent/device/block/arg_max.cuh>
#include <intent/float16.hpp>

#include <cmath>
#include <type_traits>
#include <vector>

namespace {

using intent::index_t;

// The fold of x by warp 0 and by the block, and whether every thread got the same.
template <class T>
struct Folded {
    T by_warp;
    T by_block;
};

template <int kThreads, class T, class Combine>
__global__ void __launch_bounds__(kThreads)
fold_kernel(const T* __restrict__ x, index_t count, Folded<T>* __restrict__ out) {
    const auto value = [=](index_t i) { return x[i]; };
    const T first = intent::block_fold<kThreads>(count, Combine{}, value);
    const T again = intent::block_fold<kThreads>(count, Combine{}, value);  // right behind: no leftovers
    const T by_warp = intent::warp_fold(count, Combine{}, value);
    out[threadIdx.x] = {by_warp, first == again ? first : Combine::template identity<T>()};
}

template <int kThreads, class T, class Combine>
void test_fold(index_t count) {
    test::Buffer<T> x(static_cast<std::size_t>(count));
    T wanted = Combine::template identity<T>();
    for (index_t i = 0; i < count; ++i) {
        const int small = static_cast<int>(i * 7 % 13) - 5;
        x[static_cast<std::size_t>(i)] = std::is_same_v<T, bool> ? T(i % 3 != 1) : static_cast<T>(small);
        wanted = Combine{}(wanted, x[static_cast<std::size_t>(i)]);
    }
    test::Buffer<Folded<T>> out(kThreads);
    intent::launch(fold_kernel<kThreads, T, Combine>, dim3(1), dim3(kThreads), 0, nullptr, x.data(), count, out.data());
    for (std::size_t t = 0; t < kThreads; ++t) {
        test::expect(out[t].by_block == wanted, "a fold by a block");
        test::expect(out[t].by_warp == wanted, "a fold by a warp");
    }
}

template <int kThreads>
void test_folds() {
    for (const index_t count : {0, 1, 31, 32, 33, 255, 256, 257, 1000, 3001}) {
        test_fold<kThreads, float, intent::Add>(count);
        test_fold<kThreads, float, intent::Maximum>(count);
        test_fold<kThreads, double, intent::Minimum>(count);
        test_fold<kThreads, std::int32_t, intent::Add>(count);
        test_fold<kThreads, std::int64_t, intent::Maximum>(count);
        test_fold<kThreads, std::uint8_t, intent::Add>(count);
        test_fold<kThreads, bool, intent::All>(count);
        test_fold<kThreads, bool, intent::Any>(count);
        test_fold<kThreads, intent::f16, intent::Maximum>(count);
        test_fold<kThreads, intent::bf16, intent::Minimum>(count);
    }
}

template <int kThreads, class T>
__global__ void __launch_bounds__(kThreads)
arg_max_kernel(const T* __restrict__ x, index_t count, intent::Indexed<T>* __restrict__ out) {
    out[threadIdx.x] = intent::block_arg_max<kThreads>(count, [=](index_t i) { return x[i]; });
}

template <int kThreads, class T>
void test_arg_max(std::vector<T> values, index_t wanted) {
    test::Buffer<T> x(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        x[i] = values[i];
    }
    test::Buffer<intent::Indexed<T>> out(kThreads);
    intent::launch(arg_max_kernel<kThreads, T>, dim3(1), dim3(kThreads), 0, nullptr, x.data(),
                   static_cast<index_t>(values.size()), out.data());
    for (std::size_t t = 0; t < kThreads; ++t) {
        test::expect(out[t].index == wanted, "the place of the largest value");
        const T value = values.empty() ? intent::lowest<T>() : values[static_cast<std::size_t>(wanted)];
        test::expect(out[t].value == value || (intent::is_nan(out[t].value) && intent::is_nan(value)), "its value");
    }
}

template <int kThreads>
void test_arg_maxes() {
    std::vector<float> x(1000, 1.0f);
    test_arg_max<kThreads>(x, 0);
    x[777] = 2.0f;
    x[901] = 2.0f;
    test_arg_max<kThreads>(x, 777);
    x[950] = NAN;
    x[960] = NAN;
    test_arg_max<kThreads>(x, 950);
    test_arg_max<kThreads>(std::vector<float>(70, -INFINITY), 0);
    test_arg_max<kThreads>(std::vector<float>{}, intent::highest<index_t>());
    std::vector<int> whole(300, -5);
    whole[299] = -4;
    test_arg_max<kThreads>(whole, 299);
    std::vector<intent::f16> half(45, intent::f16(-1.0f));
    half[44] = intent::f16(0.5f);
    test_arg_max<kThreads>(half, 44);
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads) nan_kernel(const float* __restrict__ x, float* __restrict__ out) {
    const float largest = intent::block_fold<kThreads>(100, intent::Maximum{}, [=](index_t i) { return x[i]; });
    if (threadIdx.x == 0) {
        out[0] = largest;
    }
}

void test_nan() {
    for (std::size_t place = 0; place < 100; place += 33) {
        test::Buffer<float> x(100, 1.0f);
        test::Buffer<float> out(1);
        x[place] = NAN;
        intent::launch(nan_kernel<32>, dim3(1), dim3(32), 0, nullptr, x.data(), out.data());
        test::expect(std::isnan(out[0]), "NaN wins");
    }
}

}  // namespace

int main() {
    return test::run_all([] {
        test_folds<32>();
        test_folds<96>();
        test_folds<256>();
        test_folds<1024>();
        test_arg_maxes<32>();
        test_arg_maxes<128>();
        test_arg_maxes<512>();
        test_nan();
    });
}
