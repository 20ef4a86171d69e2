// The machine that the simulator plays: a worker runs one block at a time, each of its threads on a fiber.
#pragma once

#include "ordering.hpp"

#include <intent/sim/collectives.hpp>
#include <intent/sim/launch.hpp>

#include <cstdint>
#include <vector>

namespace intent::sim {

constexpr int kWarpLanes = 32;
constexpr int kMaxThreads = 1024;
constexpr int kBarriers = 16;
constexpr std::size_t kMaxSharedBytes = 227 * 1024;  // of one block on sm_90; no target offers more

// A copy that `cp.async` started. It is done when it is waited for, so a missing wait reads old data.
struct AsyncCopy {
    void* destination;
    const void* source;
    int bytes;
    bool valid;
};

struct Thread {
    uint3 index;
    int id;    // in its block
    int lane;  // in its warp
    int warp;  // in its block
    bool finished;
    const char* waits_in;  // the collective that this thread waits in, or nullptr
    Location location;     // of that collective
    std::uint32_t call_path;
    bool fenced;  // a memory fence was passed: atomic writes publish what came before it
    Known known;  // threads of the block whose earlier accesses this one may rely on
    std::vector<AsyncCopy> copies;
    std::vector<std::size_t> copy_groups;  // for each group not waited for: how many copies end with it
};

// A stack to run threads on. Threads that never wait share one.
struct Fiber {
    void* stack_pointer = nullptr;
    char* stack = nullptr;
    Thread* thread = nullptr;
};

// A rendezvous of some lanes of a warp; the last to arrive calls `finish` for all.
struct WarpOperation {
    unsigned mask;
    unsigned arrived;
    void (*finish)(WarpOperation&);
    bool orders_memory;
    Location location;
    int waiting_count;
    Fiber* waiting[kWarpLanes];
    void* lanes[kWarpLanes];  // what each lane brought; on the stack of the lane
};

struct Warp {
    unsigned alive;            // lanes that have not returned
    std::uint16_t sync_count;  // full warp barriers passed
    std::vector<WarpOperation> open;
};

struct Barrier {
    int arrived = 0;
    int vote = 0;
    Location location;
    std::vector<Fiber*> waiting;
    std::vector<int*> votes;  // where each arrived thread wants the result
};

struct Session;

struct Block {
    const Launch* launch = nullptr;
    Session* session = nullptr;
    unsigned char* shared = nullptr;  // dynamic shared memory
    uint3 index;
    std::uint64_t number = 0;         // in its grid
    std::uint32_t serial = 0;         // of a checked block: different for each that ever runs, counting with `number`
    std::uint32_t barrier_count = 0;  // barriers passed
    Known known;                      // earlier blocks whose accesses this one may rely on
    Publications told;                // by its own threads
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    Barrier barriers[kBarriers];
    Fiber worker;  // the stack that the worker came on
    Fiber* running = nullptr;
    std::vector<Fiber*> ready;
    std::size_t next_ready = 0;
    std::vector<Fiber*> idle;
    std::vector<Fiber*> fibers;  // all that this worker has taken
    int started = 0;
    int alive = 0;
    bool alone = true;              // no other worker runs blocks of this launch
    std::uint64_t idle_yields = 0;  // yields since a collective was last passed
    const char* failure = nullptr;  // why the block was abandoned
    unsigned random = 0;
    unsigned first_thread = 0;  // thread i to start is (first_thread + i * thread_step) % threads
    unsigned thread_step = 1;
};

// What this operating system thread runs; `thread` is set while kernel code runs.
struct Current {
    Block* block;
    Thread* thread;
};
extern thread_local constinit Current current;

// Leaves the running fiber until another makes it ready.
void wait_for_others();

// Leaves the running thread and all others of its block as they are, for good: the launch fails with `failure`.
[[noreturn]] void abandon_block(const char* failure);

// Lets `fiber` run again.
inline void make_ready(Block& block, Fiber* fiber) { block.ready.push_back(fiber); }

// Lets those go on who waited for nobody but `returned`: at the barrier of the block, in its warp's collectives.
void release_barrier(Block& block, const Thread& returned);
void release_warp(Block& block, const Thread& returned);

}  // namespace intent::sim
