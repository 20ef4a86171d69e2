// Whole kernels give the same bits whatever order their threads run in, and right ones.
#include "test.hpp"

#include <intent/device/atomic.cuh>
#include <intent/device/block/fold.cuh>
#include <intent/device/instructions.cuh>
#include <intent/device/math.cuh>
#include <intent/device/vector.cuh>
#include <intent/float16.hpp>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

using intent::index_t;

// Remembers the first bits of `name` and compares later ones with them.
template <class T>
void expect_same_bits(const char* name, test::Buffer<T>& buffer) {
    static std::map<std::string, std::vector<unsigned char>> first;
    std::vector<unsigned char> bits(buffer.size() * sizeof(T));
    std::memcpy(bits.data(), buffer.data(), bits.size());
    test::expect(first.emplace(name, bits).first->second == bits, name);
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads)
softmax_kernel(const float* __restrict__ x, float* __restrict__ y, index_t columns) {
    const float* const x_row = x + blockIdx.x * columns;
    float* const y_row = y + blockIdx.x * columns;
    const float peak = intent::block_fold<kThreads>(columns, intent::Maximum{}, [=](index_t i) { return x_row[i]; });
    const float total = intent::block_fold<kThreads>(
        columns, intent::Add{}, [=](index_t i) { return intent::exp(x_row[i] - peak); });
    for (index_t i = threadIdx.x; i < columns; i += kThreads) {
        y_row[i] = intent::exp(x_row[i] - peak) / total;
    }
}

void test_softmax() {
    constexpr std::size_t kRows = 9;
    constexpr std::size_t kColumns = 301;
    test::Buffer<float> x(kRows * kColumns);
    test::Buffer<float> y(kRows * kColumns);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i * 37 % 101) / 10.0f;
    }
    intent::launch(softmax_kernel<128>, dim3(kRows), dim3(128), 0, nullptr, x.data(), y.data(), index_t{kColumns});
    for (std::size_t row = 0; row < kRows; ++row) {
        double sum = 0.0;
        for (std::size_t column = 0; column < kColumns; ++column) {
            sum += static_cast<double>(y[row * kColumns + column]);
        }
        test::expect(std::fabs(sum - 1.0) < 1e-5, "a row of softmax sums to 1");
    }
    expect_same_bits("softmax", y);
}

constexpr int kBins = 16;

__global__ void __launch_bounds__(64) histogram_kernel(const int* __restrict__ x, int count, int* __restrict__ bins) {
    __shared__ int block_bins[kBins];
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < kBins) {
        block_bins[thread] = 0;
    }
    __syncthreads();  // bins cleared
    for (int i = static_cast<int>(blockIdx.x) * 64 + thread; i < count; i += static_cast<int>(gridDim.x) * 64) {
        atomicAdd(&block_bins[x[i] % kBins], 1);
    }
    __syncthreads();  // bins complete
    if (thread < kBins) {
        atomicAdd(&bins[thread], block_bins[thread]);
    }
}

void test_histogram() {
    constexpr int kCount = 5000;
    test::Buffer<int> x(kCount);
    test::Buffer<int> bins(kBins, 0);
    std::vector<int> wanted(kBins, 0);
    for (int i = 0; i < kCount; ++i) {
        x[static_cast<std::size_t>(i)] = i * i % 1009;
        ++wanted[static_cast<std::size_t>(i * i % 1009 % kBins)];
    }
    intent::launch(histogram_kernel, dim3(7), dim3(64), 0, nullptr, x.data(), kCount, bins.data());
    for (std::size_t bin = 0; bin < kBins; ++bin) {
        test::expect(bins[bin] == wanted[bin], "a bin of the histogram");
    }
}

constexpr int kScanThreads = 128;
constexpr unsigned kAggregate = 1;  // the sum of the tile alone
constexpr unsigned kPrefix = 2;     // the sum up to the end of the tile

__device__ unsigned long long pack(unsigned status, float value) {
    return static_cast<unsigned long long>(status) << 32 | __float_as_uint(value);
}

// The sum of the tiles before `tile`: looks back until one knows its whole prefix.
__device__ float look_back(const unsigned long long* states, int tile) {
    float sum = 0.0f;
    for (int before = tile - 1; before >= 0; --before) {
        unsigned long long state = intent::load_acquire(&states[before]);
        while (state >> 32 == 0) {
            __nanosleep(20);
            state = intent::load_acquire(&states[before]);
        }
        sum += __uint_as_float(static_cast<unsigned>(state));
        if (state >> 32 == kPrefix) {
            break;
        }
    }
    return sum;
}

// y[i] = x[0] + ... + x[i] in one pass; tiles are taken in the order in which blocks start.
__global__ void __launch_bounds__(kScanThreads)
scan_kernel(const float* __restrict__ x, float* __restrict__ y, unsigned long long* __restrict__ states,
            unsigned* __restrict__ ticket, int count) {
    __shared__ float warp_sums[kScanThreads / 32];
    __shared__ float tile_prefix;
    __shared__ int shared_tile;
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
        shared_tile = static_cast<int>(atomicAdd(ticket, 1u));
    }
    __syncthreads();  // the tile is known
    const int tile = shared_tile;
    const int i = tile * kScanThreads + thread;
    float sum = i < count ? x[i] : 0.0f;
    for (int distance = 1; distance < 32; distance *= 2) {
        const float other = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(distance));
        sum += thread % 32 >= distance ? other : 0.0f;
    }
    if (thread % 32 == 31) {
        warp_sums[thread / 32] = sum;
    }
    __syncthreads();  // sums of all warps written
    float before = 0.0f;
    float total = 0.0f;
    for (int warp = 0; warp < kScanThreads / 32; ++warp) {
        before += warp < thread / 32 ? warp_sums[warp] : 0.0f;
        total += warp_sums[warp];
    }
    if (thread == 0) {
        if (tile > 0) {
            intent::store_release(&states[tile], pack(kAggregate, total));
        }
        tile_prefix = look_back(states, tile);
        intent::store_release(&states[tile], pack(kPrefix, tile_prefix + total));
    }
    __syncthreads();  // the prefix of the tile is known
    if (i < count) {
        y[i] = tile_prefix + before + sum;
    }
}

void test_scan() {
    constexpr int kCount = 3000;
    constexpr unsigned kTiles = (kCount + kScanThreads - 1) / kScanThreads;
    test::Buffer<float> x(kCount);
    test::Buffer<float> y(kCount);
    test::Buffer<unsigned long long> states(kTiles, 0u);
    test::Buffer<unsigned> ticket(1, 0u);
    for (int i = 0; i < kCount; ++i) {
        x[static_cast<std::size_t>(i)] = static_cast<float>(i % 8);
    }
    intent::launch(scan_kernel, dim3(kTiles), dim3(kScanThreads), 0, nullptr, x.data(), y.data(), states.data(),
                   ticket.data(), kCount);
    float sum = 0.0f;
    for (std::size_t i = 0; i < kCount; ++i) {
        sum += x[i];
        test::expect(y[i] == sum, "a prefix sum");
    }
}

constexpr int kTileM = 32;
constexpr int kTileN = 16;
constexpr int kTileK = 32;
constexpr int kStages = 3;
constexpr int kPitchA = kTileK + 8;  // rows of the tiles start in different banks
constexpr int kPitchB = kTileN + 8;
constexpr int kStageA = kTileM * kPitchA;
constexpr int kStageB = kTileK * kPitchB;

// c = a * b on tensor cores: two warps, each 16 rows of the tile; tiles arrive asynchronously, kStages in flight.
__global__ void __launch_bounds__(64)
mma_kernel(const intent::f16* __restrict__ a, const intent::f16* __restrict__ b, float* __restrict__ c, int N, int K) {
    intent::f16* const a_tiles = intent::shared_memory<intent::f16>();
    intent::f16* const b_tiles = a_tiles + kStages * kStageA;
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % 32;
    const int m_local = thread / 32 * 16;
    const int m0 = static_cast<int>(blockIdx.y) * kTileM;
    const int n0 = static_cast<int>(blockIdx.x) * kTileN;
    const auto fetch = [=](int step) {
        const int stage = step % kStages;
        for (int i = thread; i < kTileM * kTileK / 8; i += 64) {
            const int m = i / (kTileK / 8);
            const int k = i % (kTileK / 8) * 8;
            intent::cp_async16(a_tiles + stage * kStageA + m * kPitchA + k, a + (m0 + m) * K + step * kTileK + k);
        }
        for (int i = thread; i < kTileK * kTileN / 8; i += 64) {
            const int k = i / (kTileN / 8);
            const int n = i % (kTileN / 8) * 8;
            intent::cp_async16(b_tiles + stage * kStageB + k * kPitchB + n, b + (step * kTileK + k) * N + n0 + n);
        }
    };
    const int steps = K / kTileK;
    float acc[2][4] = {};
    for (int step = 0; step < kStages - 1; ++step) {
        if (step < steps) {
            fetch(step);
        }
        intent::cp_async_commit();
    }
    for (int step = 0; step < steps; ++step) {
        intent::cp_async_wait<kStages - 2>();
        __syncthreads();  // this stage has arrived, and the one before has been used
        if (step + kStages - 1 < steps) {
            fetch(step + kStages - 1);
        }
        intent::cp_async_commit();
        const intent::f16* const a_tile = a_tiles + step % kStages * kStageA;
        const intent::f16* const b_tile = b_tiles + step % kStages * kStageB;
        for (int k = 0; k < kTileK; k += 16) {
            unsigned a_registers[4];
            intent::ldmatrix_x4(a_registers, a_tile + (m_local + lane % 16) * kPitchA + k + lane / 16 * 8);
            for (int j = 0; j < 2; ++j) {
                unsigned b_registers[2];
                intent::ldmatrix_x2_trans(b_registers, b_tile + (k + lane % 16) * kPitchB + 8 * j);
                intent::mma_m16n8k16<intent::f16>(acc[j], a_registers, b_registers);
            }
        }
    }
    intent::cp_async_wait<0>();
    for (int j = 0; j < 2; ++j) {
        for (int r = 0; r < 2; ++r) {
            const int m = m0 + m_local + lane / 4 + 8 * r;
            const int n = n0 + 8 * j + lane % 4 * 2;
            intent::store_vector<2>(c + m * N + n, &acc[j][2 * r]);
        }
    }
}

void test_mma() {
    constexpr int kM = 64;
    constexpr int kN = 48;
    constexpr int kK = 160;
    constexpr std::size_t kBytes = kStages * (kStageA + kStageB) * sizeof(intent::f16);
    test::Buffer<intent::f16> a(kM * kK);
    test::Buffer<intent::f16> b(kK * kN);
    test::Buffer<float> c(kM * kN);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = intent::f16(static_cast<float>(i * 7 % 11) - 5.0f);
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = intent::f16(static_cast<float>(i * 5 % 13) - 6.0f);
    }
    intent::launch(mma_kernel, dim3(kN / kTileN, kM / kTileM), dim3(64), kBytes, nullptr, a.data(), b.data(), c.data(),
                   kN, kK);
    for (std::size_t m = 0; m < kM; ++m) {
        for (std::size_t n = 0; n < kN; ++n) {
            float sum = 0.0f;
            for (std::size_t k = 0; k < kK; ++k) {
                sum += static_cast<float>(a[m * kK + k]) * static_cast<float>(b[k * kN + n]);
            }
            test::expect(c[m * kN + n] == sum, "an element of the product");
        }
    }
}

}  // namespace

int main() {
    return test::run_all([] {
        test_softmax();
        test_histogram();
        test_scan();
        test_mma();
    });
}
