// Grids, what is refused, kernels that do not end, and how blocks may depend on each other.
#include "test.hpp"

#include <intent/device/atomic.cuh>
#include <intent/device/instructions.cuh>
#include <intent/device/scratch.cuh>

#include <thread>
#include <vector>

namespace {

__global__ void coordinates_kernel(int* __restrict__ out) {
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    out[block * threads + thread] = static_cast<int>(block * 1000 + thread);
}

void test_coordinates() {
    const dim3 grid(5, 3, 2);
    const dim3 block(7, 2, 3);
    test::Buffer<int> out(30 * 42, -1);
    intent::launch(coordinates_kernel, grid, block, 0, nullptr, out.data());
    for (int i = 0; i < 30 * 42; ++i) {
        test::expect(out[static_cast<std::size_t>(i)] == i / 42 * 1000 + i % 42, "every thread runs once");
    }
}

void test_refusals() {
    const auto refused = [](dim3 grid, dim3 block, std::size_t shared_bytes) {
        int* const nowhere = nullptr;
        return test::throws_device_error(
            [=] { intent::launch(coordinates_kernel, grid, block, shared_bytes, nullptr, nowhere); });
    };
    test::expect(refused(dim3(0), dim3(32), 0), "a grid of no blocks");
    test::expect(refused(dim3(1), dim3(0), 0), "a block of no threads");
    test::expect(refused(dim3(1), dim3(1025), 0), "a block of too many threads");
    test::expect(refused(dim3(1), dim3(32, 33), 0), "a block of too many threads in all");
    test::expect(refused(dim3(1), dim3(1, 1, 65), 0), "a block too deep");
    test::expect(refused(dim3(1, 65536), dim3(1), 0), "a grid too high");
    test::expect(refused(dim3(1), dim3(32), 300 * 1024), "too much shared memory");
}

__global__ void spin_kernel(const unsigned* __restrict__ flag) {
    while (intent::load_acquire(flag) == 0) {
        __nanosleep(20);
    }
}

__global__ void lonely_barrier_kernel() {
    if (threadIdx.x < 32) {
        intent::named_barrier<1>(64);
    }
}

void test_endless() {
    test::Buffer<unsigned> flag(1, 0u);
    const auto spin = [&] { intent::launch(spin_kernel, dim3(2), dim3(64), 0, nullptr, flag.data()); };
    const auto wait = [] { intent::launch(lonely_barrier_kernel, dim3(2), dim3(64), 0, nullptr); };
    test::expect(test::throws_device_error(wait), "a barrier that half of the threads miss");
    test::expect(intent_sim_report_count() == 1, "and it is reported");
    test::expect(test::throws_device_error(spin), "a flag that nobody sets");
    intent_sim_clear();
}

// The last block to finish adds up what all have left.
__global__ void last_block_kernel(const int* __restrict__ x, int* __restrict__ partials, unsigned* __restrict__ ticket,
                                  int* __restrict__ out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = x[blockIdx.x] * 2;
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned block = 0; block < gridDim.x; ++block) {
            sum += partials[block];
        }
        out[0] = sum;
    }
}

void test_last_block() {
    constexpr int kBlocks = 50;
    test::Buffer<int> x(kBlocks);
    test::Buffer<unsigned> ticket(1, 0u);
    test::Buffer<int> out(1);
    int sum = 0;
    for (int i = 0; i < kBlocks; ++i) {
        x[static_cast<std::size_t>(i)] = i;
        sum += 2 * i;
    }
    const intent::DeviceScratch<int> partials(kBlocks, nullptr);
    intent::launch(last_block_kernel, dim3(kBlocks), dim3(64), 0, nullptr, x.data(), partials.data(), ticket.data(),
                   out.data());
    test::expect(out[0] == sum, "the last block sees what the others wrote");
}

// Each block waits for the one before it.
__global__ void chain_kernel(unsigned* __restrict__ ready, int* __restrict__ out) {
    if (threadIdx.x != 0) {
        return;
    }
    const unsigned block = blockIdx.x;
    int before = 0;
    if (block > 0) {
        while (intent::load_acquire(&ready[block - 1]) == 0) {
            __nanosleep(20);
        }
        before = out[block - 1];
    }
    out[block] = before + static_cast<int>(block);
    intent::store_release(&ready[block], 1u);
}

void test_chain() {
    constexpr int kBlocks = 200;
    test::Buffer<unsigned> ready(kBlocks, 0u);
    test::Buffer<int> out(kBlocks);
    intent::launch(chain_kernel, dim3(kBlocks), dim3(96), 0, nullptr, ready.data(), out.data());
    test::expect(out[kBlocks - 1] == kBlocks * (kBlocks - 1) / 2, "blocks may wait for earlier blocks");
}

template <class T>
__global__ void atomics_kernel(T* __restrict__ out) {
    const T value = static_cast<T>(static_cast<int>(threadIdx.x % 7) - 3);
    intent::atomic_add<intent::Order::kRelaxed>(&out[0], value);
    intent::atomic_max<intent::Order::kRelaxed>(&out[1], value);
    intent::atomic_min<intent::Order::kRelaxed>(&out[2], value);
}

template <class T>
void test_atomics() {
    test::Buffer<T> out(3, T(0));
    intent::launch(atomics_kernel<T>, dim3(20), dim3(70), 0, nullptr, out.data());
    test::expect(out[0] == T(0) && out[1] == T(3) && out[2] == static_cast<T>(-3), "atomic add, max and min");
}

// Two host threads at once, each with buffers and reports of its own.
void test_host_threads() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([] {
            for (int repeat = 0; repeat < 5; ++repeat) {
                test_last_block();
                test_coordinates();
            }
            test::expect(intent_sim_report_count() == 0, "nothing found by another thread");
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace

int main() {
    return test::run_all([] {
        test_endless();
        test_coordinates();
        test_refusals();
        test_last_block();
        test_chain();
        test_atomics<int>();
        test_atomics<float>();
        test_atomics<double>();
        test_atomics<std::int64_t>();
        test_atomics<std::int16_t>();
        test_atomics<intent::f16>();
        test_atomics<intent::bf16>();
        test_host_threads();
    });
}
