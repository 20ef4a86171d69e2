// What is remembered about each two bytes of memory that threads share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

namespace intent::sim {

constexpr std::size_t kGranuleBytes = 2;

// One access, and when it was: accesses of one block are ordered by its barriers, of one warp also by warp barriers.
struct Access {
    std::uint32_t block;  // serial; 0: no access
    std::uint32_t barrier;
    std::uint32_t code;  // offset of the return address in the module
    std::uint32_t call_path;
    std::uint16_t warp_sync;
    std::uint16_t thread;
    std::uint8_t bytes;  // bit i: byte i of the granule
    bool atomic;
};

struct Cell {
    Access write;
    Access first_read;  // since the last barrier, for the block that read last
    Access last_read;
    std::uint32_t written_by;    // serial of the block
    std::uint8_t written_bytes;  // by that block
};

enum class RegionKind { static_shared, dynamic_shared, buffer, scratch };

// A range of memory and its cells, which start as zeros and are only touched where the kernel goes.
struct Region {
    Region(RegionKind kind_, std::uintptr_t address_, std::size_t bytes_, std::string name_)
        : kind(kind_), address(address_), bytes(bytes_), name(std::move(name_)),
          cells(static_cast<Cell*>(std::calloc(bytes / kGranuleBytes + 2, sizeof(Cell)))) {}
    Region(Region&& other) noexcept
        : kind(other.kind), address(other.address), bytes(other.bytes), name(std::move(other.name)),
          cells(std::exchange(other.cells, nullptr)) {}
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    ~Region() { std::free(cells); }

    bool is_global() const { return kind == RegionKind::buffer || kind == RegionKind::scratch; }
    bool contains(std::uintptr_t a) const { return a - address < bytes; }
    Cell& cell_at(std::uintptr_t a) { return cells[a / kGranuleBytes - address / kGranuleBytes]; }

    RegionKind kind;
    std::uintptr_t address;
    std::size_t bytes;
    std::string name;
    Cell* cells;
};

}  // namespace intent::sim
