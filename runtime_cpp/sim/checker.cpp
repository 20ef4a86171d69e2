#include "checker.hpp"

#include "fiber.hpp"
#include "module.hpp"
#include "place.hpp"
#include "shadow.hpp"
#include "symbols.hpp"

#include <algorithm>
#include <cstring>

namespace intent::sim {

namespace {

constexpr std::uintptr_t kNearBytes = 4096;  // how far from a buffer an access is still said to belong to it

// Checked launches run on one worker and one at a time.
std::vector<Region>& regions() {
    static std::vector<Region> all;
    return all;
}

// Where the worker's static shared memory lies.
Range& static_shared() {
    static Range range{0, 0};
    return range;
}

Publications& publications() {
    static Publications all;
    return all;
}

// True when two accesses of different threads touch a common byte and nothing orders them.
bool unordered(const Block& block, const Region& region, const Access& earlier, const Access& now) {
    if (earlier.block == 0 || (earlier.bytes & now.bytes) == 0 || (earlier.atomic && now.atomic)) {
        return false;
    }
    if (earlier.block != now.block) {
        return region.is_global() && block.known.count(earlier.block) == 0;
    }
    if (current.thread->known.count(earlier.thread) != 0) {
        return false;
    }
    const bool same_warp = earlier.thread / kWarpLanes == now.thread / kWarpLanes;
    return earlier.thread != now.thread && earlier.barrier == now.barrier &&
           (!same_warp || earlier.warp_sync == now.warp_sync);
}

Place site_of(const void* return_address) { return {nullptr, return_address, current.thread->call_path}; }

Place site_of(const Access& access) {
    return {nullptr, reinterpret_cast<const void*>(module_base() + access.code), access.call_path};
}

std::string thread_of(const Access& access) { return "thread " + std::to_string(access.thread); }

void report_race(Block& block, const Region& region, const Access& earlier, const Access& now, const char* order) {
    const void* site = site_of(now).return_address;
    const void* other_site = site_of(earlier).return_address;
    if (earlier.block == now.block) {
        const char* kind = region.is_global() ? "global-memory race" : "shared-memory race";
        report(block, kind,
               {region.name, ": ", order, " with no barrier between: ", name_of(block, *current.thread), " at ",
                site_of(now), " and ", thread_of(earlier), " at ", site_of(earlier)},
               site, other_site);
    } else {
        const std::uint64_t number = block.number - (block.serial - earlier.block);
        report(block, "global-memory race",
               {region.name, ": ", order, " by two blocks: ", name_of(block, *current.thread), " at ", site_of(now),
                " and ", name_of_block(*block.launch, number), " ", thread_of(earlier), " at ", site_of(earlier)},
               site, other_site);
    }
}

void check_order(Block& block, const Region& region, const Cell& cell, const Access& now, bool writes) {
    if (unordered(block, region, cell.write, now)) {
        report_race(block, region, cell.write, now, writes ? "write after write" : "read after write");
    } else if (writes && unordered(block, region, cell.first_read, now)) {
        report_race(block, region, cell.first_read, now, "write after read");
    } else if (writes && unordered(block, region, cell.last_read, now)) {
        report_race(block, region, cell.last_read, now, "write after read");
    }
}

void check_initialised(Block& block, const Region& region, const Cell& cell, const Access& now) {
    const unsigned written = cell.written_by == now.block ? cell.written_bytes : 0u;
    if (!region.is_global() && (now.bytes & ~written) != 0) {
        const Place place = site_of(now);
        report(block, "uninitialised",
               {region.name, " is read before any write: ", name_of(block, *current.thread), " at ", place},
               place.return_address);
    }
}

void remember(Cell& cell, const Access& now, bool writes) {
    if (!writes) {
        if (cell.first_read.block != now.block || cell.first_read.barrier != now.barrier) {
            cell.first_read = now;
        }
        cell.last_read = now;
        return;
    }
    cell.write = now;
    cell.written_bytes = static_cast<std::uint8_t>(cell.written_by == now.block ? cell.written_bytes | now.bytes
                                                                                 : now.bytes);
    cell.written_by = now.block;
}

void check_cells(Block& block, Region& region, std::uintptr_t address, std::size_t bytes, AccessKind kind,
                 const void* return_address) {
    const Thread& thread = *current.thread;
    Access now{};
    now.block = block.serial;
    now.barrier = block.barrier_count;
    now.code = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(return_address) - module_base());
    now.call_path = thread.call_path;
    now.warp_sync = block.warps[static_cast<std::size_t>(thread.warp)].sync_count;
    now.thread = static_cast<std::uint16_t>(thread.id);
    now.atomic = is_atomic(kind);
    const bool writes = is_write(kind);
    const std::uintptr_t end = address + bytes;
    while (address < end) {
        const std::uintptr_t granule = address / kGranuleBytes * kGranuleBytes;
        const std::uintptr_t granule_end = std::min(granule + kGranuleBytes, end);
        now.bytes = static_cast<std::uint8_t>((1u << (granule_end - granule)) - (1u << (address - granule)));
        Cell& cell = region.cell_at(granule);
        if (!writes) {
            check_initialised(block, region, cell, now);
        }
        check_order(block, region, cell, now, writes);
        remember(cell, now, writes);
        address = granule_end;
    }
}

// An atomic access tells the block and the thread what was published there, and publishes what they did before a fence.
void exchange_knowledge(Block& block, std::uintptr_t address, AccessKind kind) {
    Thread& thread = *current.thread;
    learn(publications(), address, block.known);
    learn(block.told, address, thread.known);
    if (is_write(kind) && thread.fenced) {
        publish(publications(), address, block.serial, block.known);
        publish(block.told, address, static_cast<std::uint32_t>(thread.id), thread.known);
    }
}

// How `address` lies to the nearest buffer, or "" when none is near.
std::string near_buffer(std::uintptr_t address) {
    for (const Region& region : regions()) {
        const bool near = address - (region.address - kNearBytes) < region.bytes + 2 * kNearBytes;
        if (!region.is_global() || !near) {
            continue;
        }
        const bool before = address < region.address;
        const std::uintptr_t distance = before ? region.address - address : address - region.address;
        return " (" + region.name + (before ? " minus " : " plus ") + std::to_string(distance) + " of " +
               std::to_string(region.bytes) + " bytes)";
    }
    return "";
}

bool tracks_buffers() {
    for (const Region& region : regions()) {
        if (region.kind == RegionKind::buffer) {
            return true;
        }
    }
    return false;
}

// The access itself is not made: it could hit anything of the process.
[[noreturn]] void stop_outside(Block& block, const std::string& what, const void* return_address) {
    report(block, "out of bounds", {what, ", ", name_of(block, *current.thread), " at ", site_of(return_address)},
           return_address);
    abandon_block("the kernel uses memory outside of its buffers");
}

[[noreturn]] void stop_misaligned(const char* what, int bytes, const Place& place) {
    report(*current.block, "misaligned address",
           {what, " of ", bytes, " bytes needs a multiple of them, ", name_of(*current.block, *current.thread), " at ",
            place});
    abandon_block("the kernel uses a misaligned address");
}

// What may be used although no region holds it: the thread's own stack, constants of the module, and the guards with
// which the compiler initialises arrays of classes.
bool is_private(const Block& block, std::uintptr_t address) {
    const auto stack = reinterpret_cast<std::uintptr_t>(block.running->stack);
    if (address - stack < kStackBytes || in_module(address)) {
        return true;
    }
    for (const ThreadVariable& variable : thread_variables()) {
        if (variable.name.empty() && address - (static_shared().address + variable.offset) < variable.bytes) {
            return true;
        }
    }
    return false;
}

// How `address` lies to the shared array before it.
std::string after_shared_array(std::uintptr_t address) {
    const Region* nearest = nullptr;
    for (const Region& region : regions()) {
        const bool before = region.kind == RegionKind::static_shared && region.address <= address;
        if (before && (nearest == nullptr || nearest->address < region.address)) {
            nearest = &region;
        }
    }
    return nearest == nullptr ? "static shared memory"
                              : nearest->name + ": byte " + std::to_string(address - nearest->address) + " of " +
                                    std::to_string(nearest->bytes);
}

}  // namespace

void note_access(const void* pointer, int bytes, AccessKind kind, const void* return_address) {
    if (check_level == 0 || current.thread == nullptr) {
        return;
    }
    Block& block = *current.block;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const auto length = static_cast<std::size_t>(bytes);
    for (Region& region : regions()) {
        if (!region.contains(address)) {
            continue;
        }
        if (address + length > region.address + region.bytes) {
            stop_outside(block, std::to_string(bytes) + " bytes across the end of " + region.name, return_address);
        }
        if (is_atomic(kind)) {
            exchange_knowledge(block, address, kind);
        }
        return check_cells(block, region, address, length, kind, return_address);
    }
    if (is_private(block, address)) {
        return;
    }
    const auto shared = reinterpret_cast<std::uintptr_t>(block.shared);
    if (address - shared < kMaxSharedBytes) {
        stop_outside(block,
                       "dynamic shared memory: byte " + std::to_string(address - shared) + " of " +
                           std::to_string(block.launch->shared_bytes),
                       return_address);
    } else if (static_shared().contains(address)) {
        stop_outside(block, after_shared_array(address), return_address);
    } else if (tracks_buffers()) {
        stop_outside(block, "address in no kernel buffer" + near_buffer(address), return_address);
    }
}

void check_alignment(const void* address, int bytes, const char* instruction, const Location& location) {
    if (check_level > 0 && reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(bytes) != 0) {
        stop_misaligned(instruction, bytes, {&location, nullptr, current.thread->call_path});
    }
}

void check_alignment(const void* address, int bytes, const void* return_address) {
    if (check_level > 0 && current.thread != nullptr &&
        reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(bytes) != 0) {
        stop_misaligned("an access", bytes, site_of(return_address));
    }
}

void begin_checked_launch(Block& block) {
    publications().clear();
    regions().clear();
    for (const Buffer& buffer : block.session->buffers) {
        regions().emplace_back(buffer.is_scratch ? RegionKind::scratch : RegionKind::buffer, buffer.address,
                               buffer.bytes, buffer.name);
    }
    if (block.launch->shared_bytes > 0) {
        regions().emplace_back(RegionKind::dynamic_shared, reinterpret_cast<std::uintptr_t>(block.shared),
                               block.launch->shared_bytes, "dynamic shared memory");
    }
    const Range locals = thread_locals();
    for (const ThreadVariable& variable : thread_variables()) {
        if (!variable.name.empty()) {
            regions().emplace_back(RegionKind::static_shared, locals.address + variable.offset, variable.bytes,
                                   "shared array " + variable.name);
        }
    }
    if (thread_variables().empty()) {
        regions().emplace_back(RegionKind::static_shared, locals.address, locals.bytes, "shared memory");
    }
    static_shared() = locals;
}

void begin_checked_block(Block& block) {
    block.known.clear();
    block.told.clear();
    constexpr int kPoison = 0xff;  // NaN in every float format
    std::memset(block.shared, kPoison, block.launch->shared_bytes);
}

void end_checked_launch() { regions().clear(); }

}  // namespace intent::sim
