// What is remembered about each two bytes of memory that threads share.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
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

// Cells for a range of memory. They start as zeros, and pages are only made where the kernel goes, so even a range of
// gigabytes costs nothing by itself.
inline Cell* reserve_cells(std::size_t count) {
    void* const cells = mmap(nullptr, count * sizeof(Cell), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cells == MAP_FAILED) {
        throw std::bad_alloc();
    }
    return static_cast<Cell*>(cells);
}

// A range of memory and what is remembered about it.
struct Region {
    Region(RegionKind kind_, std::uintptr_t address_, std::size_t bytes_, std::string name_)
        : kind(kind_), address(address_), bytes(bytes_), name(std::move(name_)),
          cells(reserve_cells(cell_count())) {}
    Region(Region&& other) noexcept
        : kind(other.kind), address(other.address), bytes(other.bytes), name(std::move(other.name)),
          cells(std::exchange(other.cells, nullptr)) {}
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    ~Region() {
        if (cells != nullptr) {
            munmap(cells, cell_count() * sizeof(Cell));
        }
    }

    std::size_t cell_count() const { return bytes / kGranuleBytes + 2; }

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
