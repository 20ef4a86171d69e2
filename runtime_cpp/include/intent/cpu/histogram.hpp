// How often each number stands in a line: private counters that neighbours do not share, or numbers sorted by range.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scatter.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/team.hpp>

namespace intent {

namespace detail {

struct HistogramCounters;  // scratch of the calling thread, written by its team

// Bins that are counted in private with eight, four and two counters each: equal neighbours hit different ones and do
// not wait for each other's store. 64, 256 and 512 KiB a thread.
constexpr index_t kBinsOfEight = 2048;
constexpr index_t kBinsOfFour = 16384;
constexpr index_t kBinsOfTwo = 65536;
// Private counters of all threads together at most: 64 MiB.
constexpr index_t kPrivateCounters = index_t{1} << 24;
// Members that 32-bit counters take.
constexpr index_t kCountedTogether = index_t{1} << 31;

// Adds to `counters`, kCopies arrays of bins + 1 each, the members of [first, last). Inactive ones go to the last
// counter.
template <index_t kCopies, class Bin, class Valid>
void count_members(index_t first, index_t last, index_t bins, Bin bin, Valid valid, std::uint32_t* counters) {
    const index_t stride = bins + 1;
    index_t i = first;
    for (; i + kCopies <= last; i += kCopies) {
        index_t place[kCopies];
        #pragma GCC unroll 8
        for (index_t copy = 0; copy < kCopies; ++copy) {
            place[copy] = valid(i + copy) ? static_cast<index_t>(bin(i + copy)) : bins;
        }
        #pragma GCC unroll 8
        for (index_t copy = 0; copy < kCopies; ++copy) {
            ++counters[copy * stride + place[copy]];
        }
    }
    for (; i < last; ++i) {
        ++counters[valid(i) ? static_cast<index_t>(bin(i)) : bins];
    }
}

// Counts members first <= i < last on all threads, with counters of their own, and adds them to `counts`.
template <index_t kCopies, class T, class Bin, class Valid>
void count_in_private(index_t first, index_t last, index_t bins, Bin bin, Valid valid, T* counts) {
    const index_t stride = bins + 1;
    const index_t own_size = kCopies * stride;
    std::uint32_t* const counters = thread_scratch<std::uint32_t, HistogramCounters>(most_threads() * own_size);
    #pragma omp parallel if (last - first >= kParallelWork)
    {
        const index_t team = current_team_size();
        const index_t member = team_member();
        const index_t share = (last - first) / team;
        const index_t begin = first + member * share;
        std::uint32_t* const own = counters + member * own_size;
        for (index_t place = 0; place < own_size; ++place) {
            own[place] = 0;
        }
        count_members<kCopies>(begin, member == team - 1 ? last : begin + share, bins, bin, valid, own);
        // All counters are final.
        team_barrier();
        #pragma omp for schedule(static)
        for (index_t b = 0; b < bins; ++b) {
            std::uint64_t sum = 0;
            for (index_t copy = 0; copy < team * kCopies; ++copy) {
                sum += counters[copy * stride + b];
            }
            counts[b] = static_cast<T>(static_cast<std::uint64_t>(counts[b]) + sum);
        }
    }
}

}  // namespace detail

// counts[b] = how many of the members bin(i), 0 <= i < count, with valid(i) are b, for 0 <= b < bins, modulo 2^bits of
// the integer T. On all threads. A valid member lies in [0, bins); of an invalid one only `valid` is looked at,
// although bin(i) may be called.
template <class T, class Bin, class Valid>
void histogram(index_t count, index_t bins, Bin bin, Valid valid, T* counts) {
    #pragma omp parallel for simd schedule(static) if (bins >= kParallelWork)
    for (index_t b = 0; b < bins; ++b) {
        counts[b] = 0;
    }
    if (bins > count / 4 || bins > detail::kPrivateCounters / detail::expected_threads()) {
        detail::scatter_valid(
            count, 1, bins, [=](index_t i) { return static_cast<index_t>(bin(i)); }, valid, detail::ValueOne<T>{},
            [=](index_t b, index_t) -> T& { return counts[b]; });
        return;
    }
    for (index_t first = 0; first < count; first += detail::kCountedTogether) {
        const index_t last = least(first + detail::kCountedTogether, count);
        if (bins <= least(detail::kBinsOfEight, count / 16)) {
            detail::count_in_private<8>(first, last, bins, bin, valid, counts);
        } else if (bins <= least(detail::kBinsOfFour, count / 8)) {
            detail::count_in_private<4>(first, last, bins, bin, valid, counts);
        } else if (bins <= detail::kBinsOfTwo) {
            detail::count_in_private<2>(first, last, bins, bin, valid, counts);
        } else {
            detail::count_in_private<1>(first, last, bins, bin, valid, counts);
        }
    }
}

// The same for members that are all valid.
template <class T, class Bin>
void histogram(index_t count, index_t bins, Bin bin, T* counts) {
    histogram(count, bins, bin, detail::AlwaysValid{}, counts);
}

}  // namespace intent
