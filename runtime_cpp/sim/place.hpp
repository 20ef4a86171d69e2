// Places in the kernel that collectives know.
#pragma once

#include "call_paths.hpp"
#include "report.hpp"

#include <cstring>

namespace intent::sim {

inline bool same_place(const Location& a, const Location& b) {
    return a.line() == b.line() && a.column() == b.column() && std::strcmp(a.file_name(), b.file_name()) == 0;
}

// Where `thread` waits.
inline Place place_of(const Thread& thread) { return {&thread.location, nullptr, thread.call_path}; }

inline Place place_of(const Location& location) { return {&location, nullptr, kKernelPath}; }

// A value that is equal for equal places of one file.
inline const void* key_of(const Location& location) {
    return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(location.line()) << 16 | location.column());
}

}  // namespace intent::sim
