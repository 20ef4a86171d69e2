// The words that CUDA adds to C++, for the host compiler: qualifiers, vector types and the coordinates of a thread.
#pragma once

#include <intent/device/stream.hpp>

#include <cstddef>
#include <cstdint>

#define __global__
#define __device__
#define __host__
#define __constant__ const
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// One block runs on one operating system thread at a time, so what belongs to the thread belongs to the block.
#define __shared__ thread_local

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
struct alignas(8) int2 {
    int x, y;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

namespace intent::sim {

// A kernel runs as one thread from its first statement to its last, so its coordinates are constants to it.
[[gnu::const]] uint3 thread_index() noexcept;
[[gnu::const]] uint3 block_index() noexcept;
[[gnu::const]] dim3 block_extent() noexcept;
[[gnu::const]] dim3 grid_extent() noexcept;

}  // namespace intent::sim

#define threadIdx (::intent::sim::thread_index())
#define blockIdx (::intent::sim::block_index())
#define blockDim (::intent::sim::block_extent())
#define gridDim (::intent::sim::grid_extent())

constexpr int warpSize = 32;
