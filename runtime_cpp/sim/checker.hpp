// Judges every access of a checked kernel: bounds, initialisation, and races between threads and blocks.
#pragma once

#include "report.hpp"

namespace intent::sim {

enum class AccessKind { read, write, atomic_read, atomic_write };

inline bool is_write(AccessKind kind) { return kind == AccessKind::write || kind == AccessKind::atomic_write; }
inline bool is_atomic(AccessKind kind) { return kind == AccessKind::atomic_read || kind == AccessKind::atomic_write; }

// Judges an access of the running thread to `bytes` at `address`, made by the call that returns to `return_address`.
// Does nothing outside of kernels and when checks are off.
void note_access(const void* address, int bytes, AccessKind kind, const void* return_address);

// Reports an address that is no multiple of `bytes`.
void check_alignment(const void* address, int bytes, const char* instruction, const Location& location);
void check_alignment(const void* address, int bytes, const void* return_address);

// Prepares the shadow of the session's buffers, of the worker's shared memory, and forgets it again.
void begin_checked_launch(Block& block);
void begin_checked_block(Block& block);
void end_checked_launch();

}  // namespace intent::sim
