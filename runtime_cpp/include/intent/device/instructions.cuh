// PTX instructions that have no name in CUDA C++. The simulator's twin is sim/instructions.hpp: a kernel text may use
// nothing that has no twin.
#pragma once

#include <intent/device/shared.cuh>

#if defined(__CUDACC__)
#include <intent/float16.hpp>

#include <cuda_runtime.h>
#include <type_traits>

namespace intent {

// The address that instructions on shared memory take.
__device__ __forceinline__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Starts copying 16 bytes from global to shared memory; zeros when not `valid`. Both 16-byte aligned.
__device__ __forceinline__ void cp_async16(void* shared, const void* global, bool valid = true) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(shared_address(shared)), "l"(global), "r"(valid ? 16 : 0)
                 : "memory");
}

// Closes this thread's group of copies.
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most `kPending` of this thread's groups are on their way. Other threads' copies need a barrier too.
template <int kPending>
__device__ __forceinline__ void cp_async_wait() {
    asm volatile("cp.async.wait_group %0;" : : "n"(kPending) : "memory");
}

// Waits for `threads` threads of the block, a multiple of 32, at barrier `kBarrier`.
template <int kBarrier>
__device__ __forceinline__ void named_barrier(int threads) {
    static_assert(kBarrier > 0 && kBarrier < 16, "barrier 0 belongs to __syncthreads");
    asm volatile("bar.sync %0, %1;" : : "n"(kBarrier), "r"(threads) : "memory");
}

// Loads 8x8 matrices of 16-bit elements from shared memory into a warp's fragments. Lane l gives the address of row
// l % 8 of matrix l / 8, 16-byte aligned; lane l receives elements 2 * (l % 4) and the next of row l / 4.
__device__ __forceinline__ void ldmatrix_x2(unsigned (&registers)[2], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(registers[0]), "=r"(registers[1])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ __forceinline__ void ldmatrix_x4(unsigned (&registers)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// The same with each matrix transposed on its way.
__device__ __forceinline__ void ldmatrix_x2_trans(unsigned (&registers)[2], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(registers[0]), "=r"(registers[1])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&registers)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// d += a * b for a warp: a is 16x16 in rows, b 16x8 in columns, both of T (f16 or bf16), d 16x8 of float, in the
// register layout of PTX's m16n8k16. All 32 lanes take part.
template <class T>
__device__ __forceinline__ void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    static_assert(std::is_same_v<T, f16> || std::is_same_v<T, bf16>, "mma_m16n8k16 multiplies f16 or bf16");
    if constexpr (std::is_same_v<T, f16>) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    } else {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
}

// Reads 4 or 8 bytes of global memory; what their writer wrote before `store_release` is visible after it.
template <class T>
__device__ __forceinline__ T load_acquire(const T* address) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "load_acquire reads 4 or 8 bytes");
    T value;
    if constexpr (sizeof(T) == 4) {
        unsigned bits;
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(bits) : "l"(address) : "memory");
        memcpy(&value, &bits, sizeof value);
    } else {
        unsigned long long bits;
        asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(address) : "memory");
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}

// Writes 4 or 8 bytes of global memory, after everything that this thread wrote before.
template <class T>
__device__ __forceinline__ void store_release(T* address, T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "store_release writes 4 or 8 bytes");
    if constexpr (sizeof(T) == 4) {
        unsigned bits;
        memcpy(&bits, &value, sizeof value);
        asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(address), "r"(bits) : "memory");
    } else {
        unsigned long long bits;
        memcpy(&bits, &value, sizeof value);
        asm volatile("st.release.gpu.global.u64 [%0], %1;" : : "l"(address), "l"(bits) : "memory");
    }
}

}  // namespace intent
#endif
