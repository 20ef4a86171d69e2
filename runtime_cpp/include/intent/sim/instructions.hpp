// The twins of device/instructions.cuh: what the PTX instructions do, done by the scheduler.
#pragma once

#include <intent/float16.hpp>
#include <intent/sim/atomics.hpp>
#include <intent/sim/collectives.hpp>

#include <type_traits>

namespace intent {

namespace sim {

void copy_async(void* destination, const void* source, int bytes, bool valid, Location location);
void copy_async_commit();
void copy_async_wait(int pending);
void load_matrices(unsigned* registers, const void* row, int count, bool transposed, Location location);
void multiply_matrices(float* d, const unsigned* a, const unsigned* b, bool is_bf16, Location location);
unsigned char* dynamic_shared() noexcept;

}  // namespace sim

// The block's dynamic shared memory: as many bytes as the launch asked for, aligned to 1024.
template <class T>
__forceinline__ T* shared_memory() {
    return reinterpret_cast<T*>(sim::dynamic_shared());
}

// `kCount` elements of static shared memory, the same for every caller that names the same `Tag`, type and count.
template <class Tag, class T, int kCount>
inline T* shared_array() {
    alignas(16) static __shared__ T storage[kCount];
    return storage;
}

__forceinline__ void cp_async16(void* shared, const void* global, bool valid = true, INTENT_SIM_SITE) {
    sim::copy_async(shared, global, 16, valid, site);
}
__forceinline__ void cp_async_commit() { sim::copy_async_commit(); }
template <int kPending>
__forceinline__ void cp_async_wait() {
    sim::copy_async_wait(kPending);
}

template <int kBarrier>
__forceinline__ void named_barrier(int threads, INTENT_SIM_SITE) {
    static_assert(kBarrier > 0 && kBarrier < 16, "barrier 0 belongs to __syncthreads");
    sim::block_barrier(kBarrier, threads, sim::Vote::none, 0, site);
}

__forceinline__ void ldmatrix_x2(unsigned (&registers)[2], const void* row, INTENT_SIM_SITE) {
    sim::load_matrices(registers, row, 2, false, site);
}
__forceinline__ void ldmatrix_x4(unsigned (&registers)[4], const void* row, INTENT_SIM_SITE) {
    sim::load_matrices(registers, row, 4, false, site);
}
__forceinline__ void ldmatrix_x2_trans(unsigned (&registers)[2], const void* row, INTENT_SIM_SITE) {
    sim::load_matrices(registers, row, 2, true, site);
}
__forceinline__ void ldmatrix_x4_trans(unsigned (&registers)[4], const void* row, INTENT_SIM_SITE) {
    sim::load_matrices(registers, row, 4, true, site);
}

template <class T>
__forceinline__ void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], INTENT_SIM_SITE) {
    static_assert(std::is_same_v<T, f16> || std::is_same_v<T, bf16>, "mma_m16n8k16 multiplies f16 or bf16");
    sim::multiply_matrices(d, a, b, std::is_same_v<T, bf16>, site);
}

template <class T>
__forceinline__ T load_acquire(const T* address) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "load_acquire reads 4 or 8 bytes");
    T value;
    sim::atomic_load(address, &value, sizeof value);
    return value;
}
template <class T>
__forceinline__ void store_release(T* address, T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "store_release writes 4 or 8 bytes");
    sim::atomic_store(address, &value, sizeof value);
}

}  // namespace intent
