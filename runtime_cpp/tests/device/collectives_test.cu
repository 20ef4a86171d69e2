// Barriers, votes, shuffles and matches, for whole and partial warps.
#include "test.hpp"

#include <intent/device/device.cuh>
#include <intent/device/instructions.cuh>

namespace {

constexpr unsigned kFull = 0xffffffffu;
constexpr int kResults = 16;

struct Results {
    int values[kResults];
};

// Every collective once; what thread t gets is in results[t]. Shuffles only between lanes that exist.
template <bool kShuffles>
__global__ void collectives_kernel(Results* __restrict__ results) {
    const int t = static_cast<int>(threadIdx.x);
    Results mine{};
    if constexpr (kShuffles) {
        mine.values[0] = __shfl_sync(kFull, 10 * t, 3);
        mine.values[1] = __shfl_sync(kFull, 10 * t, 5, 4);
        mine.values[2] = __shfl_xor_sync(kFull, 10 * t, 1);
        mine.values[3] = __shfl_down_sync(kFull, 10 * t, 2u);
        mine.values[4] = __shfl_up_sync(kFull, 10 * t, 3u, 8);
        mine.values[14] = static_cast<int>(8.0 * __shfl_xor_sync(kFull, 0.125 * t, 4));
    }
    mine.values[5] = static_cast<int>(__ballot_sync(kFull, t % 3 == 0));
    mine.values[6] = __any_sync(kFull, t % 32 == 7) * 2 + __all_sync(kFull, t >= 0);
    mine.values[7] = static_cast<int>(__match_any_sync(kFull, t % 4));
    mine.values[8] = __reduce_add_sync(kFull, t % 32);
    mine.values[9] = __reduce_min_sync(kFull, 5 - t % 32);
    mine.values[10] = __reduce_max_sync(kFull, 5 - t % 32);
    mine.values[11] = static_cast<int>(__reduce_or_sync(kFull, 1u << (t % 32)));
    mine.values[12] = __syncthreads_count(t % 2);
    mine.values[13] = __syncthreads_and(t < 1000) * 2 + __syncthreads_or(t == 5);
    mine.values[15] = static_cast<int>(__reduce_and_sync(kFull, ~(1u << (t % 32))) ^
                                       __reduce_xor_sync(kFull, static_cast<unsigned>(t % 32)));
    results[t] = mine;
}

// The warp of `threads` threads that thread t is in.
struct WarpOf {
    int first;
    int lanes;

    WarpOf(int t, int threads) : first(t / 32 * 32), lanes(threads - first < 32 ? threads - first : 32) {}

    template <class Value>
    unsigned ballot(Value value) const {
        unsigned bits = 0;
        for (int lane = 0; lane < lanes; ++lane) {
            bits |= value(first + lane) ? 1u << lane : 0u;
        }
        return bits;
    }
};

Results expected(int t, int threads) {
    const WarpOf warp(t, threads);
    const int lane = t % 32;
    unsigned lane_xor = 0;
    for (int other = 0; other < warp.lanes; ++other) {
        lane_xor ^= static_cast<unsigned>(other);
    }
    const unsigned all = warp.ballot([](int) { return true; });
    return {{10 * (warp.first + 3),
             10 * (t / 4 * 4 + 1),
             10 * (t ^ 1),
             10 * (lane + 2 < 32 ? t + 2 : t),
             10 * (t % 8 >= 3 ? t - 3 : t),
             static_cast<int>(warp.ballot([](int u) { return u % 3 == 0; })),
             (warp.lanes > 7 ? 2 : 0) + 1,
             static_cast<int>(warp.ballot([=](int u) { return u % 4 == t % 4; })),
             warp.lanes * (warp.lanes - 1) / 2,
             5 - (warp.lanes - 1),
             5,
             static_cast<int>(all),
             threads / 2,
             (threads <= 1000 ? 2 : 0) + (threads > 5 ? 1 : 0),
             t ^ 4,
             static_cast<int>(~all ^ lane_xor)}};
}

template <bool kShuffles>
void test_collectives(int threads) {
    test::Buffer<Results> results(static_cast<std::size_t>(threads));
    const dim3 block(static_cast<unsigned>(threads));
    intent::launch(collectives_kernel<kShuffles>, dim3(1), block, 0, nullptr, results.data());
    for (int t = 0; t < threads; ++t) {
        const Results wanted = expected(t, threads);
        for (int i = 0; i < kResults; ++i) {
            const bool is_shuffle = i < 5 || i == 14;
            if (is_shuffle && !kShuffles) {
                continue;
            }
            const int got = results[static_cast<std::size_t>(t)].values[i];
            test::expect(got == wanted.values[i], "a collective");
            if (got != wanted.values[i]) {
                std::printf("  thread %d of %d, collective %d: %d, not %d\n", t, threads, i, got, wanted.values[i]);
            }
        }
    }
}

// Passes a value from thread to thread, in different warps and threads of a block, one barrier each.
__global__ void relay_kernel(int* __restrict__ out) {
    __shared__ int value;
    const int threads = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    const int t = static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    for (int turn = 0; turn < threads; ++turn) {
        if (turn == t) {
            value = turn == 0 ? 1 : value + turn;
        }
        __syncthreads();
    }
    out[blockIdx.x * static_cast<unsigned>(threads) + static_cast<unsigned>(t)] = value;
}

void test_relay(dim3 block) {
    const unsigned threads = block.x * block.y * block.z;
    test::Buffer<int> out(3 * threads);
    intent::launch(relay_kernel, dim3(3), block, 0, nullptr, out.data());
    const int sum = static_cast<int>(1 + threads * (threads - 1) / 2);
    for (std::size_t i = 0; i < out.size(); ++i) {
        test::expect(out[i] == sum, "each thread adds its number once");
    }
}

// Warps 0 and 1 hand over to each other at a barrier of their own; warp 2 has none.
__global__ void named_barrier_kernel(int* __restrict__ out) {
    __shared__ int tile[64];
    const int t = static_cast<int>(threadIdx.x);
    if (t < 64) {
        tile[t] = t;
        intent::named_barrier<1>(64);
        out[t] = tile[63 - t];
    } else {
        out[t] = t;
    }
}

void test_named_barrier() {
    test::Buffer<int> out(96);
    intent::launch(named_barrier_kernel, dim3(1), dim3(96), 0, nullptr, out.data());
    for (int t = 0; t < 96; ++t) {
        test::expect(out[static_cast<std::size_t>(t)] == (t < 64 ? 63 - t : t), "a barrier of two warps");
    }
}

}  // namespace

int main() {
    return test::run_all([] {
        for (const int threads : {32, 64, 256, 1024}) {
            test_collectives<true>(threads);
        }
        for (const int threads : {1, 7, 40, 95, 999}) {
            test_collectives<false>(threads);
        }
        for (const dim3 block : {dim3(1), dim3(7), dim3(32), dim3(33), dim3(8, 4, 3), dim3(100, 1, 2)}) {
            test_relay(block);
        }
        test_named_barrier();
    });
}
