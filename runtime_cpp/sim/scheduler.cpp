#include "scheduler.hpp"

#include "checker.hpp"
#include "fiber.hpp"
#include "report.hpp"

#include <numeric>
#include <utility>

namespace intent::sim {

thread_local constinit Current current{nullptr, nullptr};

uint3 thread_index() noexcept { return current.thread->index; }
uint3 block_index() noexcept { return current.block->index; }
dim3 block_extent() noexcept { return current.block->launch->block; }
dim3 grid_extent() noexcept { return current.block->launch->grid; }
int lane_index() noexcept { return current.thread->lane; }

namespace {

// After so many yields in a row nobody will write what is waited for. Other workers may still have something to do.
constexpr std::uint64_t kHopelessAlone = std::uint64_t{1} << 20;
constexpr std::uint64_t kHopelessAmongOthers = std::uint64_t{1} << 31;
constexpr int kThreadsShown = 4;

void run_threads();

unsigned next_random(Block& block) {
    block.random = block.random * 1664525u + 1013904223u;
    return block.random >> 8;
}

void resume(Block& block, Fiber* fiber) {
    Fiber* self = block.running;
    current.thread = fiber->thread;
    if (fiber != self) {
        block.running = fiber;
        switch_stack(*self, *fiber);
    }
}

// The fiber to run next, or nullptr when no thread of the block can run.
Fiber* choose(Block& block) {
    if (block.started < static_cast<int>(block.threads.size())) {
        return acquire_fiber(block.idle, block.fibers, run_threads);
    }
    const std::size_t count = block.ready.size() - block.next_ready;
    if (count == 0) {
        return nullptr;
    }
    if (schedule_seed != 0) {
        std::swap(block.ready[block.next_ready], block.ready[block.next_ready + next_random(block) % count]);
    }
    Fiber* fiber = block.ready[block.next_ready++];
    if (count == 1) {
        block.ready.clear();
        block.next_ready = 0;
    }
    return fiber;
}

// Reports who waits for whom, and gives up.
[[noreturn]] void give_up(Block& block, const char* why) {
    std::vector<Piece> pieces{name_of_block(*block.launch, block.number), why};
    int shown = 0;
    for (const Thread& thread : block.threads) {
        if (!thread.finished && thread.waits_in != nullptr && shown++ < kThreadsShown) {
            pieces.insert(pieces.end(), {"; thread ", thread.id, " waits in ", thread.waits_in, " at ",
                                         Place{&thread.location, nullptr, thread.call_path}});
        }
    }
    report(block, "deadlock", std::move(pieces));
    abandon_block("the kernel does not end: its threads wait for each other");
}

unsigned thread_to_start(Block& block) {
    const auto count = static_cast<unsigned>(block.threads.size());
    return (block.first_thread + static_cast<unsigned>(block.started++) * block.thread_step) % count;
}

void finish_thread(Block& block, Thread& thread) {
    thread.finished = true;
    block.warps[static_cast<std::size_t>(thread.warp)].alive &= ~(1u << thread.lane);
    --block.alive;
    if (!thread.copies.empty()) {
        report(block, "cp.async", {name_of(block, thread), " ends with copies that it has not waited for"});
        thread.copies.clear();
    }
    thread.copy_groups.clear();
    release_barrier(block, thread);
    release_warp(block, thread);
}

// What a fiber does: runs threads from start to end while there are new ones, then hands over. When a thread waits,
// this stack waits with it and another fiber starts the rest.
void run_threads() {
    Block& block = *current.block;
    while (block.started < static_cast<int>(block.threads.size())) {
        Thread& thread = block.threads[thread_to_start(block)];
        block.running->thread = &thread;
        current.thread = &thread;
        block.launch->body(block.launch->closure);
        finish_thread(block, thread);
    }
    block.idle.push_back(block.running);
    Fiber* next = choose(block);
    if (next == nullptr && block.alive > 0) {
        give_up(block, ": threads wait for others that have returned");
    }
    resume(block, next != nullptr ? next : &block.worker);
    __builtin_unreachable();  // an idle fiber starts over when it is used again
}

void prepare_threads(Block& block) {
    const dim3 extent = block.launch->block;
    const unsigned count = extent.x * extent.y * extent.z;
    block.threads.resize(count);
    for (unsigned i = 0; i < count; ++i) {
        Thread& thread = block.threads[i];
        thread.index = {i % extent.x, i / extent.x % extent.y, i / (extent.x * extent.y)};
        thread.id = static_cast<int>(i);
        thread.lane = thread.id % kWarpLanes;
        thread.warp = thread.id / kWarpLanes;
        thread.finished = false;
        thread.fenced = false;
        thread.known.clear();
        thread.waits_in = nullptr;
        thread.call_path = 0;
        thread.copies.clear();
        thread.copy_groups.clear();
    }
    block.warps.resize((count + kWarpLanes - 1) / kWarpLanes);
    for (std::size_t i = 0; i < block.warps.size(); ++i) {
        const unsigned lanes = count - static_cast<unsigned>(i) * kWarpLanes;
        block.warps[i].alive = lanes >= kWarpLanes ? ~0u : (1u << lanes) - 1;
        block.warps[i].sync_count = 0;
        block.warps[i].open.clear();
    }
}

void prepare_order(Block& block, std::uint64_t number) {
    const auto count = static_cast<unsigned>(block.threads.size());
    block.random = schedule_seed * 2654435761u + static_cast<unsigned>(number);
    block.first_thread = 0;
    block.thread_step = 1;
    if (schedule_seed != 0) {
        block.first_thread = next_random(block) % count;
        do {
            block.thread_step = 1 + next_random(block) % count;
        } while (std::gcd(block.thread_step, count) != 1);
    }
}

}  // namespace

void wait_for_others() {
    Block& block = *current.block;
    Fiber* next = choose(block);
    if (next == nullptr) {
        give_up(block, ": no thread can run");
    }
    resume(block, next);
}

void abandon_block(const char* failure) {
    Block& block = *current.block;
    block.failure = failure;
    resume(block, &block.worker);
    __builtin_unreachable();  // nobody makes this fiber ready
}

void yield_thread() noexcept {
    Block& block = *current.block;
    make_ready(block, block.running);
    if (++block.idle_yields < (block.alone ? kHopelessAlone : kHopelessAmongOthers)) {
        wait_for_others();
    } else {
        give_up(block, ": threads wait for a value that nobody writes");
    }
}

void run_block(Block& block, std::uint64_t number) {
    const dim3 grid = block.launch->grid;
    block.number = number;
    block.index = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                   static_cast<unsigned>(number / grid.x / grid.y)};
    prepare_threads(block);
    prepare_order(block, number);
    for (Barrier& barrier : block.barriers) {
        barrier.arrived = 0;
        barrier.waiting.clear();
        barrier.votes.clear();
    }
    block.ready.clear();
    block.next_ready = 0;
    block.started = 0;
    block.alive = static_cast<int>(block.threads.size());
    block.idle_yields = 0;
    block.barrier_count = 0;
    block.failure = nullptr;
    if (check_level > 0) {
        begin_checked_block(block);
    }
    block.running = &block.worker;
    resume(block, acquire_fiber(block.idle, block.fibers, run_threads));
    current.thread = nullptr;
}

}  // namespace intent::sim
