// What blocks know of each other, and threads of one block: an atomic write after a fence publishes what was done, and
// whoever reads that place atomically afterwards may rely on it.
#pragma once

#include <cstdint>
#include <map>
#include <set>

namespace intent::sim {

// The blocks, by serial, or the threads of a block, by number, whose earlier accesses one of them may rely on.
using Known = std::set<std::uint32_t>;

// What has been published at each address, by the blocks of the running launch or by the threads of a block.
using Publications = std::map<std::uintptr_t, Known>;

// Block or thread `self`, which knows `known`, writes `address` atomically after a fence.
void publish(Publications& publications, std::uintptr_t address, std::uint32_t self, const Known& known);

// A block or thread that knows `known` reads `address` atomically.
void learn(const Publications& publications, std::uintptr_t address, Known& known);

}  // namespace intent::sim
