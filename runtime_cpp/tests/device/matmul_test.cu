// Matrix products by blocks: every accumulator, every kind of edge, several tiles, operands of other types.
#include "test.hpp"

#include <intent/device/block/matmul.cuh>
#include <intent/float16.hpp>
#include <intent/view.hpp>

#include <cmath>
#include <type_traits>

namespace {

using intent::index_t;
using intent::View;

template <class Acc, int kTileM, int kTileN, int kTileK, int kThreads, class A, class B, class C>
__global__ void __launch_bounds__(kThreads) matmul_kernel(View<const A, 2> a, View<const B, 2> b, View<C, 2> c) {
    const index_t m0 = index_t{blockIdx.y} * kTileM;
    const index_t n0 = index_t{blockIdx.x} * kTileN;
    intent::block_matmul<Acc, kTileM, kTileN, kTileK, kThreads>(
        a.extent(0), b.extent(1), a.extent(1), m0, n0,
        [=](index_t m, index_t k) { return a(m, k); },
        [=](index_t k, index_t n) { return b(k, n); },
        [=](index_t m, index_t n, Acc sum) { c(m, n) = static_cast<C>(sum); });
}

// Small whole numbers: every sum is exact in every type, so the order of additions does not matter.
template <class T>
T element(index_t i) {
    return static_cast<T>(static_cast<int>(i * 31 % 7) - 3);
}

template <class Acc, int kTileM, int kTileN, int kTileK, int kThreads, class A, class B, class C>
void test_product(index_t M, index_t N, index_t K) {
    test::Buffer<A> a(static_cast<std::size_t>(M * K));
    test::Buffer<B> b(static_cast<std::size_t>(K * N));
    test::Buffer<C> c(static_cast<std::size_t>(M * N), C(77));
    for (index_t i = 0; i < M * K; ++i) {
        a[static_cast<std::size_t>(i)] = element<A>(i);
    }
    for (index_t i = 0; i < K * N; ++i) {
        b[static_cast<std::size_t>(i)] = element<B>(i + 3);
    }
    const dim3 grid(static_cast<unsigned>((N + kTileN - 1) / kTileN), static_cast<unsigned>((M + kTileM - 1) / kTileM));
    intent::launch(matmul_kernel<Acc, kTileM, kTileN, kTileK, kThreads, A, B, C>, grid, dim3(kThreads), 0, nullptr,
                   intent::row_major<const A>(a.data(), M, K), intent::row_major<const B>(b.data(), K, N),
                   intent::row_major(c.data(), M, N));
    for (index_t m = 0; m < M; ++m) {
        for (index_t n = 0; n < N; ++n) {
            Acc sum = Acc(0);
            for (index_t k = 0; k < K; ++k) {
                sum = static_cast<Acc>(sum + static_cast<Acc>(a[static_cast<std::size_t>(m * K + k)]) *
                                                 static_cast<Acc>(b[static_cast<std::size_t>(k * N + n)]));
            }
            test::expect(c[static_cast<std::size_t>(m * N + n)] == static_cast<C>(sum), "an element of the product");
        }
    }
}

template <class Acc, int kTileM, int kTileN, int kTileK, int kThreads, class A = Acc, class B = A, class C = Acc>
void test_products() {
    struct Shape {
        index_t M, N, K;
    };
    for (const Shape shape : {Shape{1, 1, 1}, Shape{kTileM, kTileN, kTileK}, Shape{kTileM + 1, kTileN - 1, kTileK + 1},
                              Shape{3, 2 * kTileN + 5, 2 * kTileK - 1}, Shape{kTileM + 7, 9, 0}, Shape{33, 17, 50}}) {
        test_product<Acc, kTileM, kTileN, kTileK, kThreads, A, B, C>(shape.M, shape.N, shape.K);
    }
}

// c = a^T b^T: neighbours along m, and along k of b, are neighbours in memory.
__global__ void __launch_bounds__(64)
transposed_kernel(View<const float, 2> a, View<const float, 2> b, View<float, 2> c) {
    intent::block_matmul<float, 32, 32, 8, 64, false, true>(
        a.extent(1), b.extent(0), a.extent(0), index_t{blockIdx.y} * 32, index_t{blockIdx.x} * 32,
        [=](index_t m, index_t k) { return a(k, m); },
        [=](index_t k, index_t n) { return b(n, k); },
        [=](index_t m, index_t n, float sum) { c(m, n) = sum; });
}

void test_transposed() {
    constexpr index_t kM = 45;
    constexpr index_t kN = 37;
    constexpr index_t kK = 29;
    test::Buffer<float> a(kK * kM);
    test::Buffer<float> b(kN * kK);
    test::Buffer<float> c(kM * kN);
    for (index_t i = 0; i < kK * kM; ++i) {
        a[static_cast<std::size_t>(i)] = element<float>(i);
    }
    for (index_t i = 0; i < kN * kK; ++i) {
        b[static_cast<std::size_t>(i)] = element<float>(i + 1);
    }
    intent::launch(transposed_kernel, dim3(2, 2), dim3(64), 0, nullptr,
                   intent::row_major<const float>(a.data(), kK, kM), intent::row_major<const float>(b.data(), kN, kK),
                   intent::row_major(c.data(), kM, kN));
    for (std::size_t m = 0; m < kM; ++m) {
        for (std::size_t n = 0; n < kN; ++n) {
            float sum = 0.0f;
            for (std::size_t k = 0; k < kK; ++k) {
                sum += a[k * kM + m] * b[n * kK + k];
            }
            test::expect(c[m * kN + n] == sum, "an element of the product of transposed operands");
        }
    }
}

// Rows of NaN and infinity spoil their own results only.
void test_special_values() {
    constexpr index_t kSize = 20;
    test::Buffer<float> a(kSize * kSize, 1.0f);
    test::Buffer<float> b(kSize * kSize, 2.0f);
    test::Buffer<float> c(kSize * kSize);
    a[3 * kSize + 5] = NAN;
    b[7 * kSize + 11] = INFINITY;
    intent::launch(matmul_kernel<float, 16, 16, 8, 64, float, float, float>, dim3(2, 2), dim3(64), 0, nullptr,
                   intent::row_major<const float>(a.data(), kSize, kSize),
                   intent::row_major<const float>(b.data(), kSize, kSize), intent::row_major(c.data(), kSize, kSize));
    for (std::size_t m = 0; m < kSize; ++m) {
        for (std::size_t n = 0; n < kSize; ++n) {
            const float value = c[m * kSize + n];
            const bool right = m == 3 ? std::isnan(value) : (n == 11 ? std::isinf(value) : value == 40.0f);
            test::expect(right, "a special value stays in its row or column");
        }
    }
}

}  // namespace

int main() {
    return test::run_all([] {
        test_products<float, 64, 64, 16, 256>();
        test_products<float, 32, 64, 8, 128>();
        test_products<float, 16, 16, 16, 32>();
        test_products<float, 48, 32, 8, 96>();
        test_products<double, 32, 32, 8, 64>();
        test_products<std::int32_t, 32, 32, 16, 128>();
        test_products<std::int64_t, 16, 32, 8, 64>();
        test_products<float, 32, 32, 16, 64, intent::f16, intent::f16, intent::f16>();
        test_products<float, 32, 32, 16, 64, intent::bf16, float, float>();
        test_products<std::int32_t, 32, 32, 16, 64, std::int8_t>();
        test_products<double, 64, 64, 32, 128>();  // too large for two stages
        test_transposed();
        test_special_values();
    });
}
