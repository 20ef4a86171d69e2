// The wrappers of PTX instructions: asynchronous copies, matrix loads and products, vector accesses.
#include "test.hpp"

#include <intent/device/instructions.cuh>
#include <intent/device/vector.cuh>
#include <intent/float16.hpp>

#include <cmath>
#include <cstring>

namespace {

using intent::index_t;

// Copies x to y through a ring of three stages in shared memory; what lies beyond `count` becomes 0.
__global__ void __launch_bounds__(32)
ring_kernel(const float* __restrict__ x, int count, float* __restrict__ y, int steps) {
    constexpr int kStages = 3;
    constexpr int kStep = 4 * 32;
    float* const ring = intent::shared_memory<float>();
    const int t = static_cast<int>(threadIdx.x);
    const auto fetch = [=](int step) {
        const int first = step * kStep + 4 * t;
        const bool valid = first < count;
        if (step < steps) {
            intent::cp_async16(ring + step % kStages * kStep + 4 * t, valid ? x + first : x, valid);
        }
        intent::cp_async_commit();
    };
    for (int step = 0; step < kStages - 1; ++step) {
        fetch(step);
    }
    for (int step = 0; step < steps; ++step) {
        intent::cp_async_wait<kStages - 2>();
        __syncthreads();  // the stage has arrived from all threads, and the stage before was read by all
        fetch(step + kStages - 1);
        for (int i = t; i < kStep; i += 32) {
            y[step * kStep + i] = ring[step % kStages * kStep + (i + 1) % kStep];
        }
    }
    intent::cp_async_wait<0>();
}

void test_ring() {
    constexpr int kSteps = 7;
    constexpr int kCount = 128 * 6 + 64;
    test::Buffer<float> x(kCount);
    test::Buffer<float> y(128 * kSteps, -1.0f);
    for (std::size_t i = 0; i < kCount; ++i) {
        x[i] = static_cast<float>(i + 1);
    }
    constexpr std::size_t kRingBytes = 3 * 128 * sizeof(float);
    intent::launch(ring_kernel, dim3(1), dim3(32), kRingBytes, nullptr, x.data(), kCount, y.data(), kSteps);
    for (int i = 0; i < 128 * kSteps; ++i) {
        const int source = i / 128 * 128 + (i + 1) % 128;
        test::expect(y[static_cast<std::size_t>(i)] == (source < kCount ? static_cast<float>(source + 1) : 0.0f),
                     "a copy through the ring");
    }
}

// Loads four 8x8 matrices from shared memory in every way. Lane l gets two neighbours each.
__global__ void __launch_bounds__(32)
ldmatrix_kernel(const std::uint16_t* __restrict__ x, unsigned* __restrict__ out) {
    __shared__ __align__(16) std::uint16_t tile[32][8];
    const int lane = static_cast<int>(threadIdx.x);
    for (int j = 0; j < 8; ++j) {
        tile[lane][j] = x[8 * lane + j];
    }
    __syncwarp();
    unsigned plain4[4];
    unsigned transposed4[4];
    unsigned plain2[2];
    unsigned transposed2[2];
    intent::ldmatrix_x4(plain4, tile[lane]);
    intent::ldmatrix_x4_trans(transposed4, tile[lane]);
    intent::ldmatrix_x2(plain2, tile[lane % 16]);
    intent::ldmatrix_x2_trans(transposed2, tile[lane % 16]);
    for (int i = 0; i < 4; ++i) {
        out[12 * lane + i] = plain4[i];
        out[12 * lane + 4 + i] = transposed4[i];
    }
    for (int i = 0; i < 2; ++i) {
        out[12 * lane + 8 + i] = plain2[i];
        out[12 * lane + 10 + i] = transposed2[i];
    }
}

void test_ldmatrix() {
    test::Buffer<std::uint16_t> x(256);
    for (std::size_t i = 0; i < 256; ++i) {
        x[i] = static_cast<std::uint16_t>(i);
    }
    test::Buffer<unsigned> out(12 * 32);
    intent::launch(ldmatrix_kernel, dim3(1), dim3(32), 0, nullptr, x.data(), out.data());
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned matrix = 0; matrix < 4; ++matrix) {
            const unsigned row = lane / 4;
            const unsigned column = lane % 4 * 2;
            const unsigned plain = 64 * matrix + 8 * row + column;
            const unsigned transposed = 64 * matrix + 8 * column + row;
            const unsigned wanted = plain | (plain + 1) << 16;
            const unsigned wanted_transposed = transposed | (transposed + 8) << 16;
            test::expect(out[12 * lane + matrix] == wanted, "ldmatrix_x4");
            test::expect(out[12 * lane + 4 + matrix] == wanted_transposed, "ldmatrix_x4_trans");
            if (matrix < 2) {
                test::expect(out[12 * lane + 8 + matrix] == wanted, "ldmatrix_x2");
                test::expect(out[12 * lane + 10 + matrix] == wanted_transposed, "ldmatrix_x2_trans");
            }
        }
    }
}

// c = a * b + c for a [16, 16], b [16, 8] in rows.
template <class T>
__global__ void __launch_bounds__(32)
mma_kernel(const T* __restrict__ a, const T* __restrict__ b, float* __restrict__ c) {
    __shared__ __align__(16) T a_tile[16][16];
    __shared__ __align__(16) T b_tile[16][8];
    const int lane = static_cast<int>(threadIdx.x);
    for (int i = lane; i < 256; i += 32) {
        a_tile[i / 16][i % 16] = a[i];
    }
    for (int i = lane; i < 128; i += 32) {
        b_tile[i / 8][i % 8] = b[i];
    }
    __syncwarp();
    unsigned a_registers[4];
    unsigned b_registers[2];
    intent::ldmatrix_x4(a_registers, &a_tile[lane % 16][lane / 16 * 8]);
    intent::ldmatrix_x2_trans(b_registers, b_tile[lane % 16]);
    float d[4];
    for (int r = 0; r < 4; ++r) {
        d[r] = c[(lane / 4 + r / 2 * 8) * 8 + lane % 4 * 2 + r % 2];
    }
    intent::mma_m16n8k16<T>(d, a_registers, b_registers);
    for (int r = 0; r < 4; ++r) {
        c[(lane / 4 + r / 2 * 8) * 8 + lane % 4 * 2 + r % 2] = d[r];
    }
}

template <class T>
void test_mma() {
    test::Buffer<T> a(256);
    test::Buffer<T> b(128);
    test::Buffer<float> c(128);
    for (std::size_t i = 0; i < 256; ++i) {
        a[i] = T(static_cast<float>(i * 37 % 101) / 16.0f - 3.0f);
    }
    for (std::size_t i = 0; i < 128; ++i) {
        b[i] = T(static_cast<float>(i * 53 % 97) / 32.0f - 1.0f);
        c[i] = static_cast<float>(i);
    }
    intent::launch(mma_kernel<T>, dim3(1), dim3(32), 0, nullptr, a.data(), b.data(), c.data());
    for (std::size_t m = 0; m < 16; ++m) {
        for (std::size_t n = 0; n < 8; ++n) {
            double sum = static_cast<double>(m * 8 + n);
            for (std::size_t k = 0; k < 16; ++k) {
                sum += static_cast<double>(float(a[m * 16 + k])) * static_cast<double>(float(b[k * 8 + n]));
            }
            test::expect(std::fabs(static_cast<double>(c[m * 8 + n]) - sum) < 1e-4, "a matrix product");
        }
    }
}

template <class T>
__global__ void vector_kernel(const T* __restrict__ x, T* __restrict__ y, int count) {
    constexpr int kCount = intent::kVectorElements<T>;
    const int first = static_cast<int>(threadIdx.x) * kCount;
    T elements[kCount];
    if (first < count) {
        intent::load_vector<kCount>(x + first, elements);
        intent::store_vector<kCount>(y + first, elements);
    }
}

template <class T>
void test_vectors() {
    constexpr int kCount = 20 * intent::kVectorElements<T>;
    test::Buffer<T> x(kCount);
    test::Buffer<T> y(kCount, T(0));
    for (int i = 0; i < kCount; ++i) {
        x[static_cast<std::size_t>(i)] = static_cast<T>(i % 100);
    }
    test::expect(intent::is_vector_aligned(x.data()) && !intent::is_vector_aligned(x.data() + 1), "alignment");
    intent::launch(vector_kernel<T>, dim3(1), dim3(32), 0, nullptr, x.data(), y.data(), kCount);
    test::expect(std::memcmp(x.data(), y.data(), kCount * sizeof(T)) == 0, "vectors of 16 bytes");
}

}  // namespace

int main() {
    return test::run_all([] {
        test_ring();
        test_ldmatrix();
        test_mma<intent::f16>();
        test_mma<intent::bf16>();
        test_vectors<float>();
        test_vectors<double>();
        test_vectors<std::int8_t>();
        test_vectors<intent::f16>();
    });
}
