#include "fiber.hpp"

#include <mutex>
#include <new>
#include <sys/mman.h>

#if !defined(__x86_64__)
#error "the simulator switches stacks on x86-64 only"
#endif

// Saves the registers that a call keeps on the stack, and returns on the other stack.
extern "C" void intent_sim_switch_stack(void** from, void* to);
asm(".text\n"
    ".local intent_sim_switch_stack\n"
    ".type intent_sim_switch_stack, @function\n"
    "intent_sim_switch_stack:\n"
    "    pushq %rbp\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    pushq %r14\n"
    "    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n"
    "    popq %r14\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    popq %rbp\n"
    "    ret\n"
    ".size intent_sim_switch_stack, . - intent_sim_switch_stack\n");

namespace intent::sim {

namespace {

constexpr std::size_t kGuardBytes = 4096;
constexpr int kSavedRegisters = 6;

std::mutex pool_lock;
std::vector<Fiber*> pool;

Fiber* new_fiber() {
    void* memory = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    mprotect(memory, kGuardBytes, PROT_NONE);  // an overflow faults instead of writing on the stack below
    auto* fiber = new Fiber;
    fiber->stack = static_cast<char*>(memory) + kGuardBytes;
    return fiber;
}

Fiber* pooled_fiber() {
    const std::lock_guard<std::mutex> guard(pool_lock);
    if (pool.empty()) {
        return nullptr;
    }
    Fiber* fiber = pool.back();
    pool.pop_back();
    return fiber;
}

}  // namespace

Fiber* acquire_fiber(std::vector<Fiber*>& idle, std::vector<Fiber*>& fibers, void (*entry)()) {
    if (idle.empty()) {
        Fiber* fiber = pooled_fiber();
        idle.push_back(fiber != nullptr ? fiber : new_fiber());
        fibers.push_back(idle.back());
    }
    Fiber* fiber = idle.back();
    idle.pop_back();
    // The tops of the stacks must not all fall into the same sets of the cache.
    const std::size_t colour = reinterpret_cast<std::uintptr_t>(fiber) / alignof(std::max_align_t) % 16;
    void** top = reinterpret_cast<void**>(fiber->stack + kStackBytes - colour * 256);
    *--top = nullptr;  // where `entry` would return to
    *--top = reinterpret_cast<void*>(entry);
    for (int i = 0; i < kSavedRegisters; ++i) {
        *--top = nullptr;
    }
    fiber->stack_pointer = top;
    fiber->thread = nullptr;
    return fiber;
}

void release_fibers(std::vector<Fiber*>& fibers) {
    const std::lock_guard<std::mutex> guard(pool_lock);
    pool.insert(pool.end(), fibers.begin(), fibers.end());
    fibers.clear();
}

void switch_stack(Fiber& from, Fiber& to) { intent_sim_switch_stack(&from.stack_pointer, to.stack_pointer); }

}  // namespace intent::sim
