// What the compiler calls in a kernel built with -fsanitize=thread: before each access, and around each function. The
// sanitizer's own library is not linked.
#include "call_paths.hpp"
#include "checker.hpp"

using intent::sim::AccessKind;
using intent::sim::check_alignment;
using intent::sim::note_access;

#define INTENT_SIM_HOOK extern "C" __attribute__((visibility("hidden")))

#define INTENT_SIM_ACCESS(BYTES)                                                       \
    INTENT_SIM_HOOK void __tsan_read##BYTES(void* address) {                           \
        check_alignment(address, BYTES, __builtin_return_address(0));                  \
        note_access(address, BYTES, AccessKind::read, __builtin_return_address(0));    \
    }                                                                                  \
    INTENT_SIM_HOOK void __tsan_write##BYTES(void* address) {                          \
        check_alignment(address, BYTES, __builtin_return_address(0));                  \
        note_access(address, BYTES, AccessKind::write, __builtin_return_address(0));   \
    }                                                                                  \
    INTENT_SIM_HOOK void __tsan_unaligned_read##BYTES(void* address) {                 \
        note_access(address, BYTES, AccessKind::read, __builtin_return_address(0));    \
    }                                                                                  \
    INTENT_SIM_HOOK void __tsan_unaligned_write##BYTES(void* address) {                \
        note_access(address, BYTES, AccessKind::write, __builtin_return_address(0));   \
    }

INTENT_SIM_ACCESS(1)
INTENT_SIM_ACCESS(2)
INTENT_SIM_ACCESS(4)
INTENT_SIM_ACCESS(8)
INTENT_SIM_ACCESS(16)

INTENT_SIM_HOOK void __tsan_read_range(void* address, long bytes) {
    note_access(address, static_cast<int>(bytes), AccessKind::read, __builtin_return_address(0));
}

INTENT_SIM_HOOK void __tsan_write_range(void* address, long bytes) {
    note_access(address, static_cast<int>(bytes), AccessKind::write, __builtin_return_address(0));
}

INTENT_SIM_HOOK void __tsan_func_entry(void* return_address) {
    if (intent::sim::check_level > 0 && intent::sim::current.thread != nullptr) {
        std::uint32_t& path = intent::sim::current.thread->call_path;
        path = intent::sim::enter_call(path, return_address);
    }
}

INTENT_SIM_HOOK void __tsan_func_exit() {
    if (intent::sim::check_level > 0 && intent::sim::current.thread != nullptr) {
        std::uint32_t& path = intent::sim::current.thread->call_path;
        path = intent::sim::leave_call(path);
    }
}

INTENT_SIM_HOOK void __tsan_init() {}
INTENT_SIM_HOOK void __tsan_vptr_update(void**, void*) {}
INTENT_SIM_HOOK void __tsan_vptr_read(void**) {}

#undef INTENT_SIM_HOOK
#undef INTENT_SIM_ACCESS
