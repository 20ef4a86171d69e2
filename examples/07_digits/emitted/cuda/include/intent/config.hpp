// What every other header needs first: the index type and the function qualifiers of host and device code.
#pragma once

#include <cstdint>

namespace intent {

// Extents, strides and coordinates: signed 64 bit on every target.
using index_t = std::int64_t;

}  // namespace intent

// INTENT_HOST_DEVICE: a function of a common header, callable from host and device code, inlined into the loop that
// calls it (a call that stays a call keeps the loop from being vectorised).
#if defined(__CUDACC__)
#define INTENT_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define INTENT_HOST_DEVICE __attribute__((always_inline)) inline
#endif

// INTENT_INLINE_CALLS: a function whose loops call functions of the kernel. Long ones would stay calls, and the loops
// scalar.
#define INTENT_INLINE_CALLS __attribute__((flatten))
