// Runs a kernel on the host: the twin of device/launch.cuh.
#pragma once

#include <intent/check.hpp>
#include <intent/sim/language.hpp>

#include <type_traits>

namespace intent {

namespace sim {

// A grid of threads; each calls `body(closure)`.
struct Launch {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes;
    void (*body)(const void* closure);
    const void* closure;
};

// Memory for one kernel's results that another reads; aligned to 256, filled with NaN. nullptr when there is none.
void* allocate_scratch(std::size_t bytes);
void free_scratch(void* pointer);

// Runs every thread of the grid; returns nullptr, or why the kernel could not be launched or did not end.
const char* run(const Launch& launch);

}  // namespace sim

inline void* allocate_on_stream(std::size_t bytes, cudaStream_t) {
    void* pointer = sim::allocate_scratch(bytes);
    if (pointer == nullptr) {
        throw DeviceError("out of memory");
    }
    return pointer;
}
inline void free_on_stream(void* pointer, cudaStream_t) noexcept { sim::free_scratch(pointer); }

// Runs `kernel` with `arguments` converted to its parameters; returns when it has run: streams queue nothing. Throws
// DeviceError when CUDA would refuse the launch, and when the kernel cannot go on.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t,
            Arguments&&... arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter of the kernel");
    const auto call = [kernel, ... values = static_cast<Parameters>(arguments)]()
                          __attribute__((no_sanitize("thread"))) { kernel(values...); };
    const auto body = [](const void* closure) __attribute__((no_sanitize("thread"))) {
        (*static_cast<const decltype(call)*>(closure))();
    };
    if (const char* failure = sim::run({grid, block, shared_bytes, body, &call})) {
        throw DeviceError(failure);
    }
}

}  // namespace intent
