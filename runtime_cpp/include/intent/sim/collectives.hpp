// CUDA's barriers, shuffles, votes and matches for the host compiler. Each forwards to the scheduler with the place in
// the source that called it.
#pragma once

#include <intent/sim/language.hpp>

#include <source_location>

namespace intent::sim {

using Location = std::source_location;

enum class Vote { none, count, all, any };
enum class Combination { add, minimum, maximum, bit_and, bit_or, bit_xor };

// Waits for `threads` threads of the block (0: all that have not returned) at barrier `id`; returns their joint vote.
int block_barrier(int id, int threads, Vote vote, int predicate, Location location);

// The warp collectives: each waits for the lanes in `mask` that have not returned.
void warp_barrier(unsigned mask, Location location);
void warp_shuffle(unsigned mask, const void* value, void* result, int bytes, int source_lane, Location location);
unsigned warp_ballot(unsigned mask, int predicate, Location location);
unsigned warp_match(unsigned mask, const void* value, int bytes, Location location);
unsigned warp_combine(unsigned mask, unsigned value, Combination combination, bool is_signed, Location location);

// Lets the other threads of the block run.
void yield_thread() noexcept;

// Orders the memory accesses of the calling thread, for other blocks to see.
void memory_fence() noexcept;

// This thread's place in its warp.
[[gnu::const]] int lane_index() noexcept;

template <class T>
[[gnu::always_inline]] inline T shuffle(unsigned mask, T value, int source_lane, Location location) {
    T result;
    warp_shuffle(mask, &value, &result, sizeof value, source_lane, location);
    return result;
}

}  // namespace intent::sim

#define INTENT_SIM_SITE ::intent::sim::Location site = ::intent::sim::Location::current()

__forceinline__ void __syncthreads(INTENT_SIM_SITE) {
    intent::sim::block_barrier(0, 0, intent::sim::Vote::none, 0, site);
}
__forceinline__ int __syncthreads_count(int predicate, INTENT_SIM_SITE) {
    return intent::sim::block_barrier(0, 0, intent::sim::Vote::count, predicate, site);
}
__forceinline__ int __syncthreads_and(int predicate, INTENT_SIM_SITE) {
    return intent::sim::block_barrier(0, 0, intent::sim::Vote::all, predicate, site);
}
__forceinline__ int __syncthreads_or(int predicate, INTENT_SIM_SITE) {
    return intent::sim::block_barrier(0, 0, intent::sim::Vote::any, predicate, site);
}
__forceinline__ void __syncwarp(unsigned mask = ~0u, INTENT_SIM_SITE) { intent::sim::warp_barrier(mask, site); }

__forceinline__ void __threadfence() { intent::sim::memory_fence(); }
__forceinline__ void __threadfence_block() {}
__forceinline__ void __threadfence_system() { intent::sim::memory_fence(); }
__forceinline__ void __nanosleep(unsigned) { intent::sim::yield_thread(); }

// The lane that a shuffle reads: inside the caller's segment of `width` lanes, else the caller's own.
template <class T>
__forceinline__ T __shfl_sync(unsigned mask, T value, int source, int width = 32, INTENT_SIM_SITE) {
    const int segment = intent::sim::lane_index() & ~(width - 1);
    return intent::sim::shuffle(mask, value, segment | (source & (width - 1)), site);
}
template <class T>
__forceinline__ T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, INTENT_SIM_SITE) {
    const int lane = intent::sim::lane_index();
    const int source = lane ^ lane_mask;
    const bool later_segment = (source & ~(width - 1)) > (lane & ~(width - 1));
    return intent::sim::shuffle(mask, value, later_segment ? lane : source, site);
}
template <class T>
__forceinline__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, INTENT_SIM_SITE) {
    const int lane = intent::sim::lane_index();
    const bool inside = (lane & (width - 1)) + static_cast<int>(delta) < width;
    return intent::sim::shuffle(mask, value, inside ? lane + static_cast<int>(delta) : lane, site);
}
template <class T>
__forceinline__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, INTENT_SIM_SITE) {
    const int lane = intent::sim::lane_index();
    const bool inside = (lane & (width - 1)) >= static_cast<int>(delta);
    return intent::sim::shuffle(mask, value, inside ? lane - static_cast<int>(delta) : lane, site);
}

__forceinline__ unsigned __ballot_sync(unsigned mask, int predicate, INTENT_SIM_SITE) {
    return intent::sim::warp_ballot(mask, predicate, site);
}
__forceinline__ int __any_sync(unsigned mask, int predicate, INTENT_SIM_SITE) {
    return intent::sim::warp_ballot(mask, predicate, site) != 0;
}
__forceinline__ int __all_sync(unsigned mask, int predicate, INTENT_SIM_SITE) {
    return intent::sim::warp_ballot(mask, predicate == 0, site) == 0;
}
template <class T>
__forceinline__ unsigned __match_any_sync(unsigned mask, T value, INTENT_SIM_SITE) {
    return intent::sim::warp_match(mask, &value, sizeof value, site);
}

#define INTENT_SIM_REDUCE(NAME, TYPE, COMBINATION, IS_SIGNED)                                                         \
    __forceinline__ TYPE NAME(unsigned mask, TYPE value, INTENT_SIM_SITE) {                                           \
        return static_cast<TYPE>(intent::sim::warp_combine(                                                           \
            mask, static_cast<unsigned>(value), intent::sim::Combination::COMBINATION, IS_SIGNED, site));             \
    }
INTENT_SIM_REDUCE(__reduce_add_sync, unsigned, add, false)
INTENT_SIM_REDUCE(__reduce_add_sync, int, add, true)
INTENT_SIM_REDUCE(__reduce_min_sync, unsigned, minimum, false)
INTENT_SIM_REDUCE(__reduce_min_sync, int, minimum, true)
INTENT_SIM_REDUCE(__reduce_max_sync, unsigned, maximum, false)
INTENT_SIM_REDUCE(__reduce_max_sync, int, maximum, true)
INTENT_SIM_REDUCE(__reduce_and_sync, unsigned, bit_and, false)
INTENT_SIM_REDUCE(__reduce_or_sync, unsigned, bit_or, false)
INTENT_SIM_REDUCE(__reduce_xor_sync, unsigned, bit_xor, false)
#undef INTENT_SIM_REDUCE
