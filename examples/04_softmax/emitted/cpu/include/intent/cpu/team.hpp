// The threads of a parallel region: their numbers, their count, and where they wait for each other. Without OpenMP, and
// with OpenMP's simd directives alone, a team is one thread.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>

namespace intent {

namespace detail {

// The number of this thread in its team.
inline index_t team_member() noexcept {
#if defined(_OPENMP)
    return omp_get_thread_num();
#else
    return 0;
#endif
}

// No thread of the team passes before all have come here, and each sees what the others wrote before.
inline void team_barrier() noexcept {
#if defined(_OPENMP)
    #pragma omp barrier
#endif
}

// No parallel region that starts here has more threads.
inline index_t most_threads() noexcept {
#if defined(_OPENMP)
    return omp_get_max_threads();
#else
    return 1;
#endif
}

// The same for the region that comes next: where no more regions may be active, it has one thread.
inline index_t next_threads() noexcept {
#if defined(_OPENMP)
    return omp_get_active_level() >= omp_get_max_active_levels() ? 1 : omp_get_max_threads();
#else
    return 1;
#endif
}

// How many threads a parallel region from here on can be expected to have: one inside another region.
inline index_t expected_threads() noexcept {
#if defined(_OPENMP)
    return omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
#else
    return 1;
#endif
}

}  // namespace detail

}  // namespace intent
