// Kernels with one mistake each, and their correct twins. A comment `finds NAME: KIND` marks the line that the
// simulator must name for the broken version of the kernel NAME.
#include "bugs.hpp"

#include <intent/device/atomic.cuh>
#include <intent/device/block/fold.cuh>
#include <intent/device/block/matmul.cuh>
#include <intent/device/instructions.cuh>

namespace bugs {

constexpr int kThreads = 64;
constexpr int kTile = 16;

// Reverses a block's elements through shared memory.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) missing_barrier_kernel(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float tile[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    tile[thread] = x[thread];
    if constexpr (!kBroken) {
        __syncthreads();
    }
    y[thread] = tile[kThreads - 1 - thread];  // finds missing_barrier: shared-memory race|uninitialised
}

// Multiplies [16, K] by [K, 16] in steps; every step overwrites the tiles of the step before.
template <bool kBroken>
__global__ void __launch_bounds__(kTile * kTile)
missing_second_barrier_kernel(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float tile[kTile][kTile];
    const int row = static_cast<int>(threadIdx.y);
    const int column = static_cast<int>(threadIdx.x);
    float sum = 0.0f;
    for (int step = 0; step < 4; ++step) {
        tile[row][column] = x[(row * kTile + column + step) % 64];  // finds missing_second_barrier: shared-memory race
        __syncthreads();
        for (int k = 0; k < kTile; ++k) {
            sum += tile[row][k] * tile[k][column];
        }
        if constexpr (!kBroken) {
            __syncthreads();
        }
    }
    if (row * kTile + column < 64) {
        y[row * kTile + column] = sum;
    }
}

// Exchanges values inside a warp through shared memory.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads)
missing_warp_barrier_kernel(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float tile[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    tile[thread] = x[thread];
    if constexpr (!kBroken) {
        __syncwarp();
    }
    y[thread] = tile[thread ^ 1];  // finds missing_warp_barrier: shared-memory race|uninitialised
}

// Copies 1024 floats through shared memory, four steps of 256, two in flight.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) short_wait_kernel(const float* __restrict__ x, float* __restrict__ y) {
    constexpr int kStep = 4 * kThreads;
    float* const ring = intent::shared_memory<float>();
    const int thread = static_cast<int>(threadIdx.x);
    for (int step = 0; step < 2; ++step) {
        intent::cp_async16(ring + step * kStep + 4 * thread, x + step * kStep + 4 * thread);
        intent::cp_async_commit();
    }
    for (int step = 0; step < 2; ++step) {
        if (step == 0) {
            intent::cp_async_wait<kBroken ? 2 : 1>();
        } else {
            intent::cp_async_wait<0>();
        }
        __syncthreads();
        for (int i = thread; i < kStep; i += kThreads) {
            y[step * kStep + i] = ring[step * kStep + kStep - 1 - i];  // finds short_wait: uninitialised
        }
    }
}

// Sums over a block with one barrier inside a branch.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) early_return_kernel(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float tile[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    tile[thread] = x[thread];
    if (kBroken && thread >= 32) {
        return;
    }
    __syncthreads();  // finds early_return: divergent barrier
    y[thread] = tile[thread ^ 1];
}

// Two barriers that look like one.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) two_barriers_kernel(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float tile[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    tile[thread] = x[thread];
    if (kBroken && thread < 32) {
        __syncthreads();  // finds two_barriers: divergent barrier
    } else {
        __syncthreads();
    }
    y[thread] = tile[thread ^ 1];
}

// A full mask in half of a warp.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) wrong_mask_kernel(const float* __restrict__ x, float* __restrict__ y) {
    const int thread = static_cast<int>(threadIdx.x);
    float value = x[thread];
    if (!kBroken || thread % 32 < 16) {
        value = __shfl_xor_sync(0xffffffffu, value, 1);  // finds wrong_mask: deadlock
    } else {
        __syncwarp();
    }
    y[thread] = value;
}

// One element too many.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads)
wrong_guard_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (kBroken ? i <= n : i < n) {
        y[i] = 2.0f * x[i];  // finds wrong_guard: out of bounds
    }
}

// Asked for one element less than it uses.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) small_shared_kernel(const float* __restrict__ x, float* __restrict__ y) {
    float* const tile = intent::shared_memory<float>();
    const int thread = static_cast<int>(threadIdx.x);
    tile[thread] = x[thread];  // finds small_shared: out of bounds
    __syncthreads();
    y[thread] = tile[thread ^ 1];
}

// Leaves a static array.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) static_overrun_kernel(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float tile[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    tile[thread] = x[thread];
    __syncthreads();
    y[thread] = tile[kBroken ? thread + 5000 : thread];  // finds static_overrun: out of bounds
}

// Reads what nobody wrote.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) half_filled_kernel(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float tile[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    if (!kBroken || thread < 32) {
        tile[thread] = x[thread];
    }
    __syncthreads();
    y[thread] = tile[thread ^ 1];  // finds half_filled: uninitialised
}

// Blocks that add to one element.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) block_race_kernel(const float* __restrict__ x, float* __restrict__ y) {
    const int thread = static_cast<int>(threadIdx.x);
    const float sum = intent::block_fold<kThreads>(
        kThreads, intent::Add{}, [=](intent::index_t i) { return x[i]; });
    if (thread == 0) {
        if constexpr (kBroken) {
            y[0] += sum;  // finds block_race: global-memory race
        } else {
            atomicAdd(&y[0], sum);
        }
    }
}

// Threads that write one element.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) thread_race_kernel(const float* __restrict__ x, float* __restrict__ y) {
    const int thread = static_cast<int>(threadIdx.x);
    y[kBroken ? thread / 2 : thread] = x[thread];  // finds thread_race: global-memory race
}

// A histogram that is flushed before it is complete.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) early_flush_kernel(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ int bins[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    bins[thread] = 0;
    __syncthreads();
    atomicAdd(&bins[static_cast<int>(x[thread]) % 8], 1);
    if constexpr (!kBroken) {
        __syncthreads();
    }
    y[thread] = static_cast<float>(bins[thread]);  // finds early_flush: shared-memory race
}

// 16 bytes at a time from where 16 bytes do not start.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) misaligned_kernel(const float* __restrict__ x, float* __restrict__ y) {
    const int thread = static_cast<int>(threadIdx.x);
    float* const ring = intent::shared_memory<float>();
    intent::cp_async16(ring + 4 * thread, x + 4 * thread + (kBroken ? 1 : 0));  // finds misaligned: misaligned address
    intent::cp_async_commit();
    intent::cp_async_wait<0>();
    y[thread] = ring[4 * thread];
}

// An operand that reaches one column too far, read inside the runtime.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads) wide_operand_kernel(const float* __restrict__ x, float* __restrict__ y) {
    intent::block_matmul<float, 16, 16, 8, kThreads>(
        16, 16, 16, 0, 0,
        [=](intent::index_t m, intent::index_t k) {
            return x[m * 16 + k + (kBroken ? 1024 - 255 : 0)];  // finds wide_operand: out of bounds
        },
        [=](intent::index_t k, intent::index_t n) { return x[k * 16 + n]; },
        [=](intent::index_t m, intent::index_t n, float sum) { y[m * 16 + n] = sum; });
}

// Every thread publishes a value under a flag, and looks at its neighbour's without waiting for it.
template <bool kBroken>
__global__ void __launch_bounds__(kThreads)
missing_release_kernel(const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float value[kThreads];
    __shared__ int flag[kThreads];
    constexpr intent::Order kPublish = kBroken ? intent::Order::kRelaxed : intent::Order::kRelease;
    const int thread = static_cast<int>(threadIdx.x);
    flag[thread] = 0;
    __syncthreads();
    value[thread] = x[thread];
    intent::atomic_store<kPublish>(&flag[thread], 1);
    const int other = (thread + kThreads - 1) % kThreads;
    const bool seen = intent::atomic_load<intent::Order::kAcquire>(&flag[other]) == 1;
    y[thread] = seen ? value[other] : x[other];  // finds missing_release: shared-memory race
}

template <bool kBroken>
void launch_bug(const char* name, const float* x, float* y) {
    const std::string_view bug(name);
    const dim3 one(1);
    const dim3 threads(kThreads);
    if (bug == "missing_barrier") {
        intent::launch(missing_barrier_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    } else if (bug == "missing_second_barrier") {
        intent::launch(missing_second_barrier_kernel<kBroken>, one, dim3(kTile, kTile), 0, nullptr, x, y);
    } else if (bug == "missing_warp_barrier") {
        intent::launch(missing_warp_barrier_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    } else if (bug == "short_wait") {
        intent::launch(short_wait_kernel<kBroken>, one, threads, 2 * 16 * kThreads, nullptr, x, y);
    } else if (bug == "early_return") {
        intent::launch(early_return_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    } else if (bug == "two_barriers") {
        intent::launch(two_barriers_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    } else if (bug == "wrong_mask") {
        intent::launch(wrong_mask_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    } else if (bug == "wrong_guard") {
        intent::launch(wrong_guard_kernel<kBroken>, dim3(17), threads, 0, nullptr, x, y, kElements);
    } else if (bug == "small_shared") {
        intent::launch(small_shared_kernel<kBroken>, one, threads, 4 * (kThreads - kBroken), nullptr, x, y);
    } else if (bug == "static_overrun") {
        intent::launch(static_overrun_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    } else if (bug == "half_filled") {
        intent::launch(half_filled_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    } else if (bug == "block_race") {
        intent::launch(block_race_kernel<kBroken>, dim3(2), threads, 0, nullptr, x, y);
    } else if (bug == "thread_race") {
        intent::launch(thread_race_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    } else if (bug == "early_flush") {
        intent::launch(early_flush_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    } else if (bug == "missing_release") {
        intent::launch(missing_release_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    } else if (bug == "misaligned") {
        intent::launch(misaligned_kernel<kBroken>, one, threads, 16 * kThreads, nullptr, x, y);
    } else if (bug == "wide_operand") {
        intent::launch(wide_operand_kernel<kBroken>, one, threads, 0, nullptr, x, y);
    }
}

void run(const char* name, bool broken, const float* x, float* y) {
    broken ? launch_bug<true>(name, x, y) : launch_bug<false>(name, x, y);
}

}  // namespace bugs
