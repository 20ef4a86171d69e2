// Rendezvous of a warp's lanes.
#include "warp.hpp"

#include "place.hpp"
#include "report.hpp"

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
    if (position + 1 < warp.open.size()) {
        operation = warp.open.back();
    }
    warp.open.pop_back();
}

// The open operation of this kind and mask that the lane has not joined, or a new one.
std::size_t join(Block& block, Warp& warp, unsigned mask, void (*finish)(WarpOperation&), bool orders_memory) {
    const Thread& thread = *current.thread;
    for (std::size_t i = 0; i < warp.open.size(); ++i) {
        const WarpOperation& open = warp.open[i];
        if (open.mask != mask || arrived(open, thread.lane)) {
            continue;
        }
        if (open.finish != finish || !same_place(open.location, thread.location)) {
            report(block, "divergent warp collective",
                   {name_of(block, thread), " at ", place_of(thread), ", others at ", place_of(open.location)},
                   key_of(thread.location), key_of(open.location));
        }
        if (open.finish == finish) {
            return i;
        }
    }
    WarpOperation& operation = warp.open.emplace_back();
    operation.mask = mask;
    operation.arrived = 0;
    operation.finish = finish;
    operation.orders_memory = orders_memory;
    operation.location = thread.location;
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
    const std::size_t position = join(block, warp, mask, finish, orders_memory);
    WarpOperation& operation = warp.open[position];
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
