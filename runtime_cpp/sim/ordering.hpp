// What blocks know of each other: an atomic write after a fence publishes what the block did, and whoever reads that
// place atomically afterwards may rely on it.
#pragma once

#include <cstdint>
#include <map>
#include <set>

namespace intent::sim {

// The blocks, by serial, whose earlier accesses a block may rely on.
using KnownBlocks = std::set<std::uint32_t>;

// What has been published at each address by the running launch.
using Publications = std::map<std::uintptr_t, KnownBlocks>;

// Block `serial`, which knows `known`, writes `address` atomically after a fence.
void publish(Publications& publications, std::uintptr_t address, std::uint32_t serial, const KnownBlocks& known);

// A block that knows `known` reads `address` atomically.
void learn(const Publications& publications, std::uintptr_t address, KnownBlocks& known);

}  // namespace intent::sim
