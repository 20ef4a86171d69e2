// Blocks of which each needs what the blocks before it come to: all threads work on neighbouring blocks, and each block
// is fetched from memory once.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/team.hpp>

namespace intent {

namespace detail {

// How many totals chained_blocks keeps.
inline index_t chained_totals() noexcept { return 2 * most_threads(); }

// For each block in order: scan(block, carry, total), where `carry` is make_carry() advanced over the totals of all
// blocks before. `total` is a number below chained_totals(): where the total of a block is kept. summarize(block,
// total) makes it from the members alone; scan makes the same one, to the last bit, when `total` is not negative. A
// block is summarized and scanned by the same thread, one after the other, so its members stay in the caches.
template <class MakeCarry, class Summarize, class Advance, class Scan>
void chained_blocks(index_t blocks, [[maybe_unused]] bool parallel, MakeCarry make_carry, Summarize summarize,
                    Advance advance, Scan scan) {
    #pragma omp parallel if (parallel)
    {
        const index_t team = current_team_size();
        const index_t member = team_member();
        auto carry = make_carry();
        index_t half = 0;  // the totals of one round are read while those of the next are written
        for (index_t first = 0; first < blocks; first += team, half = team - half) {
            const index_t block = first + member;
            if (team == 1) {
                scan(block, carry, half);
                advance(carry, half);
                continue;
            }
            if (block < blocks) {
                summarize(block, half + member);
            }
            // The totals of the round are there.
            team_barrier();
            const index_t present = least(team, blocks - first);
            for (index_t other = 0; other < least(member, present); ++other) {
                advance(carry, half + other);
            }
            if (block < blocks) {
                scan(block, carry, index_t{-1});
            }
            for (index_t other = member; other < present; ++other) {
                advance(carry, half + other);
            }
        }
    }
}

}  // namespace detail

}  // namespace intent
