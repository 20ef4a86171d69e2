// Barriers of a block, with their votes.
#include "machine.hpp"
#include "place.hpp"
#include "report.hpp"

namespace intent::sim {

namespace {

void pass_barrier(Block& block, Barrier& barrier) {
    ++block.barrier_count;
    block.idle_yields = 0;
    for (int* vote : barrier.votes) {
        *vote = barrier.vote;
    }
    for (Fiber* fiber : barrier.waiting) {
        make_ready(block, fiber);
    }
    barrier.votes.clear();
    barrier.waiting.clear();
    barrier.arrived = 0;
}

void add_vote(Barrier& barrier, Vote vote, int predicate) {
    switch (vote) {
    case Vote::none: break;
    case Vote::count: barrier.vote += predicate != 0; break;
    case Vote::all: barrier.vote &= predicate != 0; break;
    case Vote::any: barrier.vote |= predicate != 0; break;
    }
}

void check_meeting(Block& block, const Thread& thread, const Barrier& barrier) {
    if (!same_place(barrier.location, thread.location)) {
        report(block, "divergent barrier",
               {name_of(block, thread), " at ", place_of(thread), ", others at ", place_of(barrier.location)},
               key_of(thread.location), key_of(barrier.location));
    }
}

void check_presence(Block& block, const Barrier& barrier, const Thread* returned) {
    const auto total = static_cast<int>(block.threads.size());
    if (check_level < 2 || barrier.arrived == total) {
        return;
    }
    if (returned != nullptr) {
        report(block, "divergent barrier",
               {name_of(block, *returned), " returned while others wait at the barrier ", place_of(barrier.location)},
               key_of(barrier.location));
    } else {
        report(block, "divergent barrier",
               {total - barrier.arrived, " threads had returned at the barrier ", place_of(barrier.location)},
               key_of(barrier.location));
    }
}

}  // namespace

int block_barrier(int id, int threads, Vote vote, int predicate, Location location) {
    Block& block = *current.block;
    Thread& thread = *current.thread;
    Barrier& barrier = block.barriers[id];
    thread.waits_in = "a barrier";
    thread.location = location;
    if (barrier.arrived == 0) {
        barrier.location = location;
        barrier.vote = vote == Vote::all;
    } else {
        check_meeting(block, thread, barrier);
    }
    int result = 0;
    add_vote(barrier, vote, predicate);
    barrier.votes.push_back(&result);
    ++barrier.arrived;
    if (barrier.arrived == (threads != 0 ? threads : block.alive)) {
        if (threads == 0) {
            check_presence(block, barrier, nullptr);
        }
        pass_barrier(block, barrier);
    } else {
        barrier.waiting.push_back(block.running);
        wait_for_others();
    }
    thread.waits_in = nullptr;
    return result;
}

void release_barrier(Block& block, const Thread& returned) {
    Barrier& barrier = block.barriers[0];
    if (barrier.arrived > 0 && barrier.arrived == block.alive) {
        check_presence(block, barrier, &returned);
        pass_barrier(block, barrier);
    }
}

}  // namespace intent::sim
