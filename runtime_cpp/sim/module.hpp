// Where the simulated kernel's own code and data lie.
#pragma once

#include <cstddef>
#include <cstdint>

namespace intent::sim {

struct Range {
    std::uintptr_t address;
    std::size_t bytes;

    bool contains(std::uintptr_t a) const { return a - address < bytes; }
};

// What must be added to an address in the file to get it in memory.
std::uintptr_t module_base();

// The file that this code was loaded from.
const char* module_path();

// True for constants and static data of the module.
bool in_module(std::uintptr_t address);

// The calling thread's copy of the module's thread_local variables: its static shared memory.
Range thread_locals();

}  // namespace intent::sim
