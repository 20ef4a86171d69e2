// Memory operations that are more than a load or a store: atomics, fences and asynchronous copies.
#include "checker.hpp"
#include "place.hpp"

#include <intent/sim/atomics.hpp>
#include <intent/sim/instructions.hpp>

#include <atomic>
#include <cstring>

namespace intent::sim {

namespace {

template <class Bits>
void load_bits(const void* address, void* value) {
    const Bits bits = __atomic_load_n(static_cast<const Bits*>(address), __ATOMIC_ACQUIRE);
    std::memcpy(value, &bits, sizeof bits);
}

template <class Bits>
void store_bits(void* address, const void* value) {
    Bits bits;
    std::memcpy(&bits, value, sizeof bits);
    __atomic_store_n(static_cast<Bits*>(address), bits, __ATOMIC_RELEASE);
}

template <class Bits>
bool exchange_bits(void* address, void* expected, const void* desired) {
    Bits old_bits;
    Bits new_bits;
    std::memcpy(&old_bits, expected, sizeof old_bits);
    std::memcpy(&new_bits, desired, sizeof new_bits);
    const bool done = __atomic_compare_exchange_n(static_cast<Bits*>(address), &old_bits, new_bits, false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    std::memcpy(expected, &old_bits, sizeof old_bits);
    return done;
}

template <class T>
void remove_first(std::vector<T>& items, std::size_t count) {
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

void atomic_load(const void* address, void* value, int bytes) {
    note_access(address, bytes, AccessKind::atomic_read, __builtin_return_address(0));
    peek(address, value, bytes);
}

void peek(const void* address, void* value, int bytes) {
    switch (bytes) {
    case 1: return load_bits<std::uint8_t>(address, value);
    case 2: return load_bits<std::uint16_t>(address, value);
    case 4: return load_bits<std::uint32_t>(address, value);
    default: return load_bits<std::uint64_t>(address, value);
    }
}

void atomic_store(void* address, const void* value, int bytes) {
    current.thread->fenced = true;  // a release is a fence
    note_access(address, bytes, AccessKind::atomic_write, __builtin_return_address(0));
    switch (bytes) {
    case 1: return store_bits<std::uint8_t>(address, value);
    case 2: return store_bits<std::uint16_t>(address, value);
    case 4: return store_bits<std::uint32_t>(address, value);
    default: return store_bits<std::uint64_t>(address, value);
    }
}

bool atomic_compare_exchange(void* address, void* expected, const void* desired, int bytes) {
    note_access(address, bytes, AccessKind::atomic_write, __builtin_return_address(0));
    switch (bytes) {
    case 1: return exchange_bits<std::uint8_t>(address, expected, desired);
    case 2: return exchange_bits<std::uint16_t>(address, expected, desired);
    case 4: return exchange_bits<std::uint32_t>(address, expected, desired);
    default: return exchange_bits<std::uint64_t>(address, expected, desired);
    }
}

void memory_fence() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    current.thread->fenced = true;
}

unsigned char* dynamic_shared() noexcept { return current.block->shared; }

void copy_async(void* destination, const void* source, int bytes, bool valid, Location location) {
    check_alignment(destination, bytes, "cp.async", location);
    check_alignment(source, bytes, "cp.async", location);
    current.thread->copies.push_back({destination, source, bytes, valid});
}

void copy_async_commit() {
    Thread& thread = *current.thread;
    thread.copy_groups.push_back(thread.copies.size());
}

void copy_async_wait(int pending) {
    Thread& thread = *current.thread;
    const auto keep = static_cast<std::size_t>(pending);
    if (thread.copy_groups.size() <= keep) {
        return;
    }
    const std::size_t groups = thread.copy_groups.size() - keep;
    const std::size_t copies = thread.copy_groups[groups - 1];
    for (std::size_t i = 0; i < copies; ++i) {
        const AsyncCopy& copy = thread.copies[i];
        note_access(copy.destination, copy.bytes, AccessKind::write, __builtin_return_address(0));
        if (copy.valid) {
            note_access(copy.source, copy.bytes, AccessKind::read, __builtin_return_address(0));
            std::memcpy(copy.destination, copy.source, static_cast<std::size_t>(copy.bytes));
        } else {
            std::memset(copy.destination, 0, static_cast<std::size_t>(copy.bytes));
        }
    }
    remove_first(thread.copies, copies);
    remove_first(thread.copy_groups, groups);
    for (std::size_t& end : thread.copy_groups) {
        end -= copies;
    }
}

}  // namespace intent::sim
