// Items sorted into a few buckets on all threads, each bucket in the order of the items: who owns a bucket then works
// on it alone.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/team.hpp>

namespace intent {

namespace detail {

struct PartitionPlaces;  // scratch of the calling thread, written by its team

// Writes payload(i), 0 <= i < count, to `items`, those of bucket(i) = 0 first, then those of 1, and so on below
// `buckets`; begins[b] says where bucket b begins, begins[buckets] = count. The result does not depend on the number of
// threads.
template <class Payload, class Bucket, class Make>
void partition(index_t count, index_t buckets, Bucket bucket, Make payload, Payload* items, index_t* begins) {
    const auto places = team_scratch<index_t, PartitionPlaces>(buckets);
    #pragma omp parallel if (count >= kParallelWork)
    {
        const index_t team = current_team_size();
        const index_t member = team_member();
        const index_t first = count / team * member;
        const index_t last = member == team - 1 ? count : first + count / team;
        index_t* const own = places.own();
        for (index_t b = 0; b < buckets; ++b) {
            own[b] = 0;
        }
        for (index_t i = first; i < last; ++i) {
            ++own[bucket(i)];
        }
        // Every thread's counts are there.
        team_barrier();
        if (member == 0) {
            index_t begin = 0;
            for (index_t b = 0; b < buckets; ++b) {
                begins[b] = begin;
                for (index_t other = 0; other < team; ++other) {
                    index_t& place = places.of(other)[b];
                    const index_t counted = place;
                    place = begin;
                    begin += counted;
                }
            }
            begins[buckets] = begin;
        }
        // The buckets' places are set.
        team_barrier();
        for (index_t i = first; i < last; ++i) {
            items[own[bucket(i)]++] = payload(i);
        }
    }
}

}  // namespace detail

}  // namespace intent
