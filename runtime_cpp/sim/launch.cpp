// Runs a grid: blocks in increasing order, on several workers unless they are checked.
#include "checker.hpp"
#include "fiber.hpp"
#include "report.hpp"
#include "scheduler.hpp"

#include <intent/sim/launch.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

namespace intent::sim {

namespace {

constexpr std::uint64_t kThreadsPerWorker = 4096;  // fewer do not pay for starting one more worker
constexpr std::size_t kSharedAlignment = 1024;
constexpr std::size_t kScratchAlignment = 256;  // as cudaMalloc

std::mutex launch_lock;
std::uint32_t next_serial = 1;

const char* refusal(const Launch& launch) {
    const dim3 grid = launch.grid;
    const dim3 block = launch.block;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) {
        return "invalid configuration: an extent of the grid or of the block is 0";
    }
    if (grid.x > 0x7fffffffu || grid.y > 65535u || grid.z > 65535u) {
        return "invalid configuration: the grid has too many blocks along an axis";
    }
    if (block.x > 1024u || block.y > 1024u || block.z > 64u ||
        std::uint64_t{block.x} * block.y * block.z > std::uint64_t{kMaxThreads}) {
        return "invalid configuration: a block has at most 1024 threads";
    }
    return launch.shared_bytes > kMaxSharedBytes ? "invalid configuration: too much shared memory" : nullptr;
}

std::uint64_t block_count(const Launch& launch) {
    return std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
}

unsigned worker_count(const Launch& launch) {
    if (check_level > 0) {
        return 1;
    }
    const char* text = std::getenv("INTENT_SIM_WORKERS");
    const std::uint64_t allowed =
        text != nullptr ? std::strtoul(text, nullptr, 10) : std::uint64_t{std::thread::hardware_concurrency()};
    const std::uint64_t threads = block_count(launch) * launch.block.x * launch.block.y * launch.block.z;
    const std::uint64_t useful = std::min(block_count(launch), threads / kThreadsPerWorker + 1);
    return static_cast<unsigned>(std::max(std::uint64_t{1}, std::min(allowed, useful)));
}

struct Grid {
    const Launch& launch;
    Session& session;
    std::uint32_t first_serial;
    unsigned workers;
    std::atomic<std::uint64_t> next{0};
    std::atomic<const char*> failure{nullptr};
};

// Takes blocks in order until none is left, so a block may wait for one with a smaller number.
void run_worker(Grid& grid) {
    const auto block = std::make_unique<Block>();
    const std::size_t bytes = (kMaxSharedBytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
    block->launch = &grid.launch;
    block->session = &grid.session;
    block->alone = grid.workers == 1;
    block->shared = static_cast<unsigned char*>(std::aligned_alloc(kSharedAlignment, bytes));
    current.block = block.get();
    if (check_level > 0) {
        begin_checked_launch(*block);
    }
    const std::uint64_t count = block_count(grid.launch);
    for (std::uint64_t number = grid.next++; number < count && grid.failure == nullptr; number = grid.next++) {
        block->serial = grid.first_serial + static_cast<std::uint32_t>(number);
        run_block(*block, number);
        if (block->failure != nullptr) {
            grid.failure = block->failure;
            block->idle.clear();  // the abandoned fibers come back with all others
        }
    }
    if (check_level > 0) {
        end_checked_launch();
    }
    release_fibers(block->fibers);
    std::free(block->shared);
    current.block = nullptr;
}

}  // namespace

void* allocate_scratch(std::size_t bytes) {
    constexpr int kPoison = 0xff;
    const std::size_t padded = (bytes / kScratchAlignment + 2) * kScratchAlignment;  // neighbours keep their distance
    void* pointer = std::aligned_alloc(kScratchAlignment, padded);
    if (pointer != nullptr) {
        std::memset(pointer, kPoison, bytes);
        track(pointer, bytes, "scratch", true);
    }
    return pointer;
}

void free_scratch(void* pointer) {
    untrack(pointer);
    std::free(pointer);
}

const char* run(const Launch& launch) {
    if (const char* reason = refusal(launch)) {
        return reason;
    }
    const std::lock_guard<std::mutex> guard(launch_lock);
    adopt_settings();
    Grid grid{launch, this_session(), next_serial, worker_count(launch)};
    next_serial += static_cast<std::uint32_t>(block_count(launch));
    std::vector<std::thread> workers;
    for (unsigned i = 1; i < grid.workers; ++i) {
        workers.emplace_back(run_worker, std::ref(grid));
    }
    run_worker(grid);
    for (std::thread& worker : workers) {
        worker.join();
    }
    finish_reports(grid.session);
    return grid.failure;
}

}  // namespace intent::sim
