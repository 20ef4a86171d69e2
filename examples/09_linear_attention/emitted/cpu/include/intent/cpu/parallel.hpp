// The few machine facts that emitted kernels refer to by name, and OpenMP queries that also work without OpenMP.
#pragma once

#include <intent/config.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace intent {

// Below this many scalar operations a parallel region costs more than it saves.
constexpr index_t kParallelWork = 32768;

// Outputs larger than this are streamed past the caches when nothing reads them soon (half of a common L3).
constexpr index_t kStreamBytes = index_t{16} << 20;

// The number of threads of the parallel region that this code runs in; 1 outside.
inline index_t current_team_size() noexcept {
#if defined(_OPENMP)
    return omp_get_num_threads();
#else
    return 1;
#endif
}

// The smaller and the larger of two counts; <algorithm> would cost every emitted file 50 ms of compile time.
constexpr index_t least(index_t a, index_t b) noexcept { return a < b ? a : b; }
constexpr index_t most(index_t a, index_t b) noexcept { return a > b ? a : b; }

}  // namespace intent
