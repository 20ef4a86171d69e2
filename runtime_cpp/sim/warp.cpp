// Rendezvous of a warp's lanes.
#include "warp.hpp"

#include "place.hpp"
#include "report.hpp"

#include <cstring>

namespace intent::sim {

namespace {

void finish_operation(Block& block, Warp& warp, std::size_t position) {
    WarpOperation& operation = warp.open[position];
    block.idle_yields = 0;
    operation.finish(operation);
    for (int i = 0; i < operation.waiting_count; ++i) {
        make_ready(block, operation.waiting[i]);
    }
    if (operation.orders_memory && operation.mask == ~0u) {
        ++warp.sync_count;
    }
    warp.open[position] = warp.open.back();
    warp.open.pop_back();
}

// The open operation with this mask that the lane has not joined, or a new one.
std::size_t find_operation(Warp& warp, unsigned mask, int lane) {
    for (std::size_t i = 0; i < warp.open.size(); ++i) {
        if (warp.open[i].mask == mask && (warp.open[i].arrived >> lane & 1u) == 0) {
            return i;
        }
    }
    warp.open.emplace_back();
    WarpOperation& operation = warp.open.back();
    operation.mask = mask;
    operation.arrived = 0;
    operation.finish = nullptr;
    operation.waiting_count = 0;
    return warp.open.size() - 1;
}

}  // namespace

void meet_warp(unsigned mask, void* brought, void (*finish)(WarpOperation&), bool orders_memory, Location location) {
    Block& block = *current.block;
    Thread& thread = *current.thread;
    Warp& warp = block.warps[static_cast<std::size_t>(thread.warp)];
    thread.waits_in = "a warp collective";
    thread.location = location;
    if ((mask >> thread.lane & 1u) == 0) {
        report(block, "warp collective",
               {name_of(block, thread), " is not in the mask that it passes at ", place_of(thread)}, key_of(location));
        mask |= 1u << thread.lane;
    }
    const std::size_t position = find_operation(warp, mask, thread.lane);
    WarpOperation& operation = warp.open[position];
    if (operation.finish == nullptr) {
        operation.finish = finish;
        operation.orders_memory = orders_memory;
        operation.location = location;
    } else if (operation.finish != finish || !same_place(operation.location, location)) {
        report(block, "divergent warp collective",
               {name_of(block, thread), " at ", place_of(thread), ", others at ", place_of(operation.location)},
               key_of(location), key_of(operation.location));
    }
    operation.arrived |= 1u << thread.lane;
    operation.lanes[thread.lane] = brought;
    if (operation.arrived == (mask & warp.alive)) {
        finish_operation(block, warp, position);
    } else {
        operation.waiting[operation.waiting_count++] = block.running;
        wait_for_others();
    }
    thread.waits_in = nullptr;
}

void release_warp(Block& block, const Thread& returned) {
    Warp& warp = block.warps[static_cast<std::size_t>(returned.warp)];
    for (std::size_t i = warp.open.size(); i-- > 0;) {
        if (warp.open[i].arrived == (warp.open[i].mask & warp.alive)) {
            finish_operation(block, warp, i);
        }
    }
}

}  // namespace intent::sim
