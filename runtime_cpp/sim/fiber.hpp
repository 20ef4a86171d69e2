// Stacks and the switch between them.
#pragma once

#include "machine.hpp"

namespace intent::sim {

constexpr std::size_t kStackBytes = 128 * 1024;

// One of the idle fibers, or else another, which joins `fibers`. It will call `entry`, which never returns.
Fiber* acquire_fiber(std::vector<Fiber*>& idle, std::vector<Fiber*>& fibers, void (*entry)());

// Gives the fibers back for later launches.
void release_fibers(std::vector<Fiber*>& fibers);

// Continues on `to`; returns when somebody switches back to `from`.
void switch_stack(Fiber& from, Fiber& to);

}  // namespace intent::sim
