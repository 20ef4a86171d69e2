// Which calls led to where a thread is: a tree of return addresses, because a finding deep in a header of the runtime
// should name the kernel's line.
#pragma once

#include <cstdint>
#include <vector>

namespace intent::sim {

constexpr std::uint32_t kKernelPath = 0;  // not inside any call

// The path that continues `path` by a call returning to `return_address`.
std::uint32_t enter_call(std::uint32_t path, const void* return_address);

// The path without its last call.
std::uint32_t leave_call(std::uint32_t path);

// The return addresses of `path`, innermost first.
std::vector<const void*> calls_of(std::uint32_t path);

}  // namespace intent::sim
