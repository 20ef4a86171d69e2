// What the compiler makes of atomic operations when a file is built with -fsanitize=thread. Kernels use the functions
// of CUDA; these serve the host code beside them, such as the initialisation of static variables.
#include <cstdint>

#define INTENT_SIM_HOOK extern "C" __attribute__((visibility("hidden")))

#define INTENT_SIM_UPDATE(BITS, NAME)                                                                              \
    INTENT_SIM_HOOK std::uint##BITS##_t __tsan_atomic##BITS##_##NAME(volatile std::uint##BITS##_t* address,        \
                                                                     std::uint##BITS##_t value, int) {             \
        return __atomic_##NAME(address, value, __ATOMIC_SEQ_CST);                                                  \
    }

#define INTENT_SIM_COMPARE(BITS, STRENGTH, IS_WEAK)                                                                \
    INTENT_SIM_HOOK int __tsan_atomic##BITS##_compare_exchange_##STRENGTH(                                         \
        volatile std::uint##BITS##_t* address, std::uint##BITS##_t* expected, std::uint##BITS##_t desired, int, int) { \
        return __atomic_compare_exchange_n(address, expected, desired, IS_WEAK, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }

#define INTENT_SIM_ATOMICS(BITS)                                                                                   \
    INTENT_SIM_HOOK std::uint##BITS##_t __tsan_atomic##BITS##_load(const volatile std::uint##BITS##_t* address, int) { \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                         \
    }                                                                                                              \
    INTENT_SIM_HOOK void __tsan_atomic##BITS##_store(volatile std::uint##BITS##_t* address,                        \
                                                     std::uint##BITS##_t value, int) {                             \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                        \
    }                                                                                                              \
    INTENT_SIM_HOOK std::uint##BITS##_t __tsan_atomic##BITS##_exchange(volatile std::uint##BITS##_t* address,      \
                                                                       std::uint##BITS##_t value, int) {           \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                              \
    }                                                                                                              \
    INTENT_SIM_UPDATE(BITS, fetch_add)                                                                             \
    INTENT_SIM_UPDATE(BITS, fetch_sub)                                                                             \
    INTENT_SIM_UPDATE(BITS, fetch_and)                                                                             \
    INTENT_SIM_UPDATE(BITS, fetch_or)                                                                              \
    INTENT_SIM_UPDATE(BITS, fetch_xor)                                                                             \
    INTENT_SIM_COMPARE(BITS, strong, false)                                                                        \
    INTENT_SIM_COMPARE(BITS, weak, true)

INTENT_SIM_ATOMICS(8)
INTENT_SIM_ATOMICS(16)
INTENT_SIM_ATOMICS(32)
INTENT_SIM_ATOMICS(64)

INTENT_SIM_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
INTENT_SIM_HOOK void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

#undef INTENT_SIM_HOOK
#undef INTENT_SIM_UPDATE
#undef INTENT_SIM_COMPARE
#undef INTENT_SIM_ATOMICS
