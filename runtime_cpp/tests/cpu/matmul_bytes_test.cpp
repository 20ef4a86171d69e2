// Products of bytes with 32-bit sums: exact modulo 2^32, by the matrix unit where there is one. With an argument, the
// system is made to refuse it first.
#include <intent/cpu/matmul.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <csignal>
#include <memory>
#include <vector>

using namespace intent;

namespace {

// A matrix of random bytes, the ends of their range often: 0 rows contiguous, 1 columns contiguous, 2 both strided, 3
// negative row stride.
template <class T>
struct Operand {
    std::unique_ptr<T[]> memory;
    Matrix<const T> matrix;

    Operand(index_t rows, index_t columns, int layout, test::Random& random) {
        const index_t step = layout == 2 ? 2 : 1;
        const index_t count = (rows + 1) * (columns + 3) * step * step;
        memory = std::make_unique<T[]>(static_cast<std::size_t>(count));
        for (index_t i = 0; i < count; ++i) {
            const std::uint64_t bits = random.bits();
            const int extreme = bits % 3 == 0 ? 127 : 128;
            const int any = static_cast<int>(bits >> 56);
            memory[static_cast<std::size_t>(i)] = static_cast<T>(bits % 2 == 0 ? any : extreme);
        }
        const index_t apart = (layout == 1 ? rows + 1 : (columns + 3) * step) * step;
        matrix = layout == 1 ? Matrix<const T>{memory.get(), 1, apart} : Matrix<const T>{memory.get(), apart, step};
        if (layout == 3) {
            matrix = {memory.get() + (rows - 1) * apart, -apart, 1};
        }
    }
};

template <class A, class B>
std::vector<std::int32_t> expected_sums(index_t M, index_t N, index_t K, const A& a, const B& b) {
    std::vector<std::int32_t> sums;
    for (index_t m = 0; m < M; ++m) {
        for (index_t n = 0; n < N; ++n) {
            std::uint32_t sum = 0;
            for (index_t k = 0; k < K; ++k) {
                sum += static_cast<std::uint32_t>(static_cast<int>(a(m, k)) * static_cast<int>(b(k, n)));
            }
            sums.push_back(static_cast<std::int32_t>(sum));
        }
    }
    return sums;
}

// Into c of this row and column stride, plain and with an epilogue that changes the type; elements beside c stay.
template <class C, class A, class B, class Epilogue>
int wrong_elements(index_t M, index_t N, index_t K, const A& a, const B& b, index_t row_stride, index_t column_stride,
                   const std::vector<std::int32_t>& sums, Epilogue epilogue) {
    std::vector<C> memory(static_cast<std::size_t>((M + 1) * row_stride + (N + 1) * column_stride), C(77));
    const Matrix<C> c{memory.data() + 1, row_stride, column_stride};
    matmul<std::int32_t>(M, N, K, a, b, c, epilogue);
    int wrong = 0;
    for (index_t m = 0; m < M; ++m) {
        for (index_t n = 0; n < N; ++n) {
            wrong += c(m, n) != static_cast<C>(epilogue(m, n, sums[static_cast<std::size_t>(m * N + n)]));
            c(m, n) = C(77);
        }
    }
    for (const C& element : memory) {
        wrong += element != C(77);
    }
    return wrong;
}

template <class A, class B>
void check_product(index_t M, index_t N, index_t K, const A& a, const B& b) {
    const std::vector<std::int32_t> sums = expected_sums(M, N, K, a, b);
    const auto scaled = [](index_t m, index_t n, std::int32_t sum) {
        return static_cast<double>(sum) * 0.5 + static_cast<double>(m - 3 * n);
    };
    EXPECT(wrong_elements<std::int32_t>(M, N, K, a, b, N + 2, 1, sums, StoreSum{}) == 0);
    EXPECT(wrong_elements<std::int32_t>(M, N, K, a, b, 1, M + 1, sums, StoreSum{}) == 0);
    EXPECT(wrong_elements<double>(M, N, K, a, b, N + 1, 1, sums, scaled) == 0);
    EXPECT(wrong_elements<double>(M, N, K, a, b, 2 * N, 2, sums, scaled) == 0);
}

// One beside every limit: tiles of 16 and 32, quads of 4, steps of 64, blocks of 2560.
template <class A, class B>
void shapes(std::uint64_t seed) {
    test::Random random(seed);
    const index_t sizes[] = {17, 31, 32, 33, 65};
    const index_t depths[] = {1, 3, 47, 48, 50, 64, 65, 127, 129, 260};
    for (const index_t M : sizes) {
        for (const index_t N : sizes) {
            const index_t K = depths[random.integer(0, 9)];
            const Operand<A> a(M, K, static_cast<int>(random.integer(0, 3)), random);
            const Operand<B> b(K, N, static_cast<int>(random.integer(0, 3)), random);
            check_product(M, N, K, a.matrix, b.matrix);
        }
    }
    for (int layout = 0; layout < 4; ++layout) {
        const index_t K = 70 + 50 * layout;
        const Operand<A> a(50, K, layout, random);
        const Operand<B> b(K, 40, 3 - layout, random);
        check_product(50, 40, K, a.matrix, b.matrix);
    }
    const Operand<A> deep_a(40, 2570, 0, random);
    const Operand<B> deep_b(2570, 35, 0, random);
    check_product(40, 35, 2570, deep_a.matrix, deep_b.matrix);
    const Operand<A> tall(700, 64, 0, random);  // several blocks of rows, on all threads
    const Operand<B> wide(64, 600, 0, random);
    check_product(700, 600, 64, tall.matrix, wide.matrix);
}

template <class A, class B>
void computed_operands() {
    test::Random random(13);
    const Operand<A> a(45, 150, 0, random);
    const Operand<B> b(150, 37, 0, random);
    const auto a_value = computed<A>([m = a.matrix](index_t i, index_t k) { return m(i, k); });
    const auto b_value = computed<B>([m = b.matrix](index_t k, index_t j) { return m(k, j); });
    check_product(45, 37, 150, a_value, b_value);
    check_product(5, 37, 150, a_value, b_value);
    check_product(45, 37, 150, a.matrix, b_value);
}

// 255 * 255 * 70000 is more than 2^32, and 128 * 128 * 140000 more than 2^31.
template <class T>
void wrap_around(T value, index_t K) {
    const std::vector<T> ones(static_cast<std::size_t>(20 * K), value);
    check_product(20, 18, K, Matrix<const T>{ones.data(), K, 1}, Matrix<const T>{ones.data(), 18, 1});
}

// From inside a parallel region: every thread its own product.
void in_a_region() {
    const std::vector<std::int8_t> threes(64 * 64, 3);
    std::vector<std::int32_t> products(8 * 64 * 64);
    #pragma omp parallel for num_threads(4)
    for (int i = 0; i < 8; ++i) {
        matmul<std::int32_t>(64, 64, 64, Matrix<const std::int8_t>{threes.data(), 64, 1},
                             Matrix<const std::int8_t>{threes.data(), 64, 1},
                             Matrix<std::int32_t>{products.data() + i * 4096, 64, 1});
    }
    for (const std::int32_t element : products) {
        EXPECT(element == 9 * 64);
    }
}

// The system grants no tiles to a process with a signal stack that they do not fit on.
void have_tiles_refused() {
#if defined(__linux__)
    static char memory[6000];
    stack_t stack = {};
    stack.ss_sp = memory;
    stack.ss_size = sizeof memory;
    EXPECT(sigaltstack(&stack, nullptr) == 0);
#endif
    EXPECT(!tiles_granted());
}

}  // namespace

int main(int count, char**) {
    if (count > 1) {
        have_tiles_refused();
    }
    shapes<std::int8_t, std::int8_t>(1);
    shapes<std::uint8_t, std::uint8_t>(2);
    shapes<std::int8_t, std::uint8_t>(3);
    shapes<std::uint8_t, std::int8_t>(4);
    shapes<std::uint8_t, bool>(5);
    computed_operands<std::uint8_t, std::int8_t>();
    wrap_around<std::uint8_t>(255, 70000);
    wrap_around<std::int8_t>(-128, 140000);
    in_a_region();
    return expect::failures();
}
