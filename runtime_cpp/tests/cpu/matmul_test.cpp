// Products of whole numbers: every order of summation gives the same result, so results are compared exactly.
#include <intent/cpu/matmul.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <cmath>
#include <vector>

using namespace intent;

namespace {

// A matrix in memory of its own, with the strides of `layout`: 0 rows contiguous, 1 columns contiguous, 2 both strided,
// 3 negative row stride, 4 negative column stride.
template <class T>
struct Storage {
    std::vector<T> memory;
    Matrix<T> matrix;

    Storage(index_t rows, index_t columns, int layout, T fill) {
        const index_t step = layout == 2 ? 3 : 1;
        const index_t tall = (rows + 2) * step;
        const index_t wide = (columns + 3) * step;
        memory.assign(static_cast<std::size_t>((rows + 2) * (columns + 3) * step * step + 8), fill);
        matrix = layout == 1 ? Matrix<T>{memory.data(), 1, tall} : Matrix<T>{memory.data(), wide, step};
        if (layout == 3 && rows > 0) {
            matrix = {memory.data() + (rows - 1) * wide, -wide, 1};
        }
        if (layout == 4 && columns > 0) {
            matrix = {memory.data() + columns - 1, wide, -1};
        }
    }
};

template <class T>
void fill(const Matrix<T>& matrix, index_t rows, index_t columns, test::Random& random) {
    for (index_t i = 0; i < rows; ++i) {
        for (index_t j = 0; j < columns; ++j) {
            matrix(i, j) = T(random.integer(std::is_unsigned_v<T> ? 0 : -8, 8));
        }
    }
}

template <class T>
Matrix<const T> read_only(const Matrix<T>& m) {
    return {m.data, m.row_stride, m.column_stride};
}

// Runs the product in every layout of a, b and c, plain and with an epilogue that reads c; elements beside c stay.
template <class Acc, class T, class C>
void check_shape(index_t M, index_t N, index_t K, int a_layout, int b_layout, int c_layout, test::Random& random) {
    Storage<T> a(M, K, a_layout, T(1));
    Storage<T> b(K, N, b_layout, T(1));
    Storage<C> c(M, N, c_layout, C(77));
    fill(a.matrix, M, K, random);
    fill(b.matrix, K, N, random);
    const Matrix<C> out = c.matrix;

    matmul<Acc>(M, N, K, read_only(a.matrix), read_only(b.matrix), out);
    std::size_t wrong = 0;
    std::vector<double> expected(static_cast<std::size_t>(M * N));
    for (index_t m = 0; m < M; ++m) {
        for (index_t n = 0; n < N; ++n) {
            double sum = 0.0;
            for (index_t k = 0; k < K; ++k) {
                sum += static_cast<double>(a.matrix(m, k)) * static_cast<double>(b.matrix(k, n));
            }
            expected[static_cast<std::size_t>(m * N + n)] = sum;
            wrong += out(m, n) != C(sum);
        }
    }
    EXPECT(wrong == 0);

    matmul<Acc>(M, N, K, read_only(a.matrix), read_only(b.matrix), out, [=](index_t m, index_t n, Acc sum) {
        return static_cast<Acc>(out(m, n)) + Acc(2) * sum + static_cast<Acc>(m - n);
    });
    index_t inside = 0;
    for (index_t m = 0; m < M; ++m) {
        for (index_t n = 0; n < N; ++n) {
            const double sum = expected[static_cast<std::size_t>(m * N + n)];
            wrong += out(m, n) != C(static_cast<double>(C(sum)) + 2.0 * sum + static_cast<double>(m - n));
            out(m, n) = C(77);
            ++inside;
        }
    }
    for (const C& element : c.memory) {
        wrong += element != C(77);
    }
    if (wrong != 0) {
        std::printf("%lld x %lld x %lld layouts %d %d %d\n", static_cast<long long>(M), static_cast<long long>(N),
                    static_cast<long long>(K), a_layout, b_layout, c_layout);
    }
    EXPECT(wrong == 0 && inside == M * N);
}

void all_small_shapes() {
    test::Random random(6);
    for (index_t M = 0; M <= 20; ++M) {
        for (index_t N = 0; N <= 20; ++N) {
            for (index_t K = 0; K <= 20; ++K) {
                const int layouts = static_cast<int>(random.integer(0, 124));
                check_shape<float, float, float>(M, N, K, layouts % 5, layouts / 5 % 5, layouts / 25, random);
            }
        }
    }
}

// One beside every limit: register tiles and the smaller ones that end them, operands read where they lie, blocks of k, skinny rows, skinny runs of columns.
template <class Acc, class T, class C>
void edges() {
    test::Random random(7);
    const index_t sizes[] = {1, 3, 4, 5, 13, 14, 15, 16, 17, 31, 32, 33, 48, 64, 100};
    const index_t depths[] = {1, 3, 4, 5, 16, 63, 65, 511, 512, 513, 800};
    for (const index_t M : sizes) {
        for (const index_t N : sizes) {
            const index_t K = depths[random.integer(0, 10)];
            const int layouts = static_cast<int>(random.integer(0, 124));
            check_shape<Acc, T, C>(M, N, K, layouts % 5, layouts / 5 % 5, layouts / 25, random);
        }
    }
    for (int layouts = 0; layouts < 125; layouts += 7) {
        check_shape<Acc, T, C>(90, 70, 390, layouts % 5, layouts / 5 % 5, layouts / 25, random);
        check_shape<Acc, T, C>(5, 700, 37, layouts % 5, layouts / 5 % 5, layouts / 25, random);
        check_shape<Acc, T, C>(700, 5, 37, layouts % 5, layouts / 5 % 5, layouts / 25, random);
    }
}

void large_blocks() {
    test::Random random(8);
    check_shape<float, float, float>(20, 4200, 20, 0, 0, 0, random);   // two blocks of columns
    check_shape<float, float, float>(6800, 40, 390, 0, 0, 1, random);  // two blocks of rows, sums kept apart
    check_shape<float, float, float>(1000, 30, 390, 0, 0, 0, random);  // several blocks of rows for one thread
    check_shape<float, float, float>(3, 5000, 50, 0, 0, 0, random);    // several runs of columns
}

// Special values go where arithmetic sends them and nowhere else.
template <class Run>
void special_values(index_t M, index_t N, index_t K, Run run) {
    std::vector<float> a(static_cast<std::size_t>(M * K), 1.0f);
    std::vector<float> b(static_cast<std::size_t>(K * N), 1.0f);
    std::vector<float> c(static_cast<std::size_t>(M * N));
    const auto at = [](index_t i) { return static_cast<std::size_t>(i); };
    a[at((M - 1) * K)] = quiet_nan<float>();
    b[at((K - 1) * N)] = infinity<float>();
    run(Matrix<const float>{a.data(), K, 1}, Matrix<const float>{b.data(), N, 1}, Matrix<float>{c.data(), N, 1});
    for (index_t m = 0; m < M; ++m) {
        for (index_t n = 0; n < N; ++n) {
            const float element = c[at(m * N + n)];
            const float finite = static_cast<float>(K);
            EXPECT(m == M - 1 ? is_nan(element) : element == (n == 0 ? infinity<float>() : finite));
        }
    }
}

void computed_operands() {
    constexpr index_t M = 37;
    constexpr index_t N = 53;
    constexpr index_t K = 400;
    std::vector<double> c(M * N);
    const Matrix<double> out{c.data(), N, 1};
    const auto a = computed<float>([](index_t m, index_t k) { return static_cast<float>((m + 2 * k) % 7); });
    const auto b = computed<float>([](index_t k, index_t n) { return static_cast<float>((3 * k + n) % 5); });
    for (const index_t rows : {index_t{5}, M}) {
        matmul<double>(rows, N, K, a, b, out);
        for (index_t m = 0; m < rows; ++m) {
            for (index_t n = 0; n < N; ++n) {
                double sum = 0.0;
                for (index_t k = 0; k < K; ++k) {
                    sum += static_cast<double>((m + 2 * k) % 7 * ((3 * k + n) % 5));
                }
                EXPECT(out(m, n) == sum);
            }
        }
    }
}

// Real numbers against sums in double precision.
void accuracy(index_t M, index_t N, index_t K) {
    test::Random random(9);
    std::vector<float> a(static_cast<std::size_t>(M * K));
    std::vector<float> b(static_cast<std::size_t>(K * N));
    std::vector<float> c(static_cast<std::size_t>(M * N));
    for (float& x : a) {
        x = static_cast<float>(random.real());
    }
    for (float& x : b) {
        x = static_cast<float>(random.real());
    }
    matmul<float>(M, N, K, Matrix<const float>{a.data(), K, 1}, Matrix<const float>{b.data(), N, 1},
                  Matrix<float>{c.data(), N, 1});
    for (index_t m = 0; m < M; m += 3) {
        for (index_t n = 0; n < N; n += 5) {
            double sum = 0.0;
            for (index_t k = 0; k < K; ++k) {
                sum += static_cast<double>(a[static_cast<std::size_t>(m * K + k)]) *
                       static_cast<double>(b[static_cast<std::size_t>(k * N + n)]);
            }
            EXPECT(std::fabs(static_cast<double>(c[static_cast<std::size_t>(m * N + n)]) - sum) <
                   1e-6 * static_cast<double>(K));
        }
    }
}

}  // namespace

int main() {
    all_small_shapes();
    edges<float, float, float>();
    edges<double, double, double>();
    edges<float, f16, f16>();
    edges<float, bf16, float>();
    edges<std::int32_t, std::int16_t, std::int32_t>();  // bytes: matmul_bytes_test.cpp
    edges<std::int64_t, std::int32_t, std::int64_t>();
    large_blocks();
    for (const auto& shape : {std::initializer_list<index_t>{3, 3, 3}, {8, 64, 64}, {64, 8, 64}, {50, 60, 500}}) {
        const index_t* const s = shape.begin();
        special_values(s[0], s[1], s[2], [=](auto a, auto b, auto c) { matmul<float>(s[0], s[1], s[2], a, b, c); });
    }
    computed_operands();
    accuracy(50, 60, 1000);
    accuracy(8, 300, 2000);
    accuracy(3, 40, 20000);
    accuracy(300, 4, 2000);

    // The type of the sums is that of c, or f32 for 16-bit floats, when none is named: 1 + 2048 needs more than f16.
    f16 narrow[2] = {f16(1.0f), f16(2048.0f)};
    f16 sum_of_two[1];
    const f16 weights[2] = {f16(1.0f), f16(1.0f)};
    matmul(1, 1, 2, Matrix<const f16>{narrow, 2, 1}, Matrix<const f16>{weights, 1, 1}, Matrix<f16>{sum_of_two, 1, 1},
           [](index_t, index_t, float sum) { return sum - 2048.0f; });
    EXPECT(sum_of_two[0] == 1.0f);

    // Integers wrap.
    const std::int32_t big = 1 << 30;
    std::vector<std::int32_t> wide(1000, big);
    std::vector<std::int32_t> result(100);
    matmul<std::int32_t>(10, 10, 100, Matrix<const std::int32_t>{wide.data(), 100, 1},
                         Matrix<const std::int32_t>{wide.data(), 10, 1}, Matrix<std::int32_t>{result.data(), 10, 1});
    EXPECT(result[0] == 0 && result[99] == 0);

    // From inside a parallel region: every thread its own product.
    std::vector<float> ones(64 * 64, 1.0f);
    std::vector<float> products(4 * 64 * 64);
    #pragma omp parallel for num_threads(4)
    for (int i = 0; i < 4; ++i) {
        matmul<float>(64, 64, 64, Matrix<const float>{ones.data(), 64, 1}, Matrix<const float>{ones.data(), 64, 1},
                      Matrix<float>{products.data() + i * 4096, 64, 1});
    }
    for (const float element : products) {
        EXPECT(element == 64.0f);
    }
    return expect::failures();
}
