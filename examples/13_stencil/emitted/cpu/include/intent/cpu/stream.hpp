// Stores that bypass the cache: a large output that nobody reads soon need not be read before it is written.
#pragma once

#include <intent/config.hpp>

#include <cstring>

namespace intent {

// Bytes of one line of the caches. A line that is streamed in two parts, or streamed and stored, goes to memory twice.
constexpr std::size_t kLineBytes = 64;

// Elements of T staged in L1 between the computation and the streaming store: so few that the reads of the
// next ones go on while these are written.
template <class T>
constexpr index_t kStreamBlock = 1024 / static_cast<index_t>(sizeof(T));

// Elements between the start of the line that holds *p and p: blocks that end so many elements early end with a line.
template <class T>
inline index_t elements_into_line(const T* p) noexcept {
    return static_cast<index_t>(reinterpret_cast<std::uintptr_t>(p) % kLineBytes / sizeof(T));
}

namespace detail {

#if defined(__AVX512F__)
using StreamVector = float __attribute__((vector_size(64)));
#elif defined(__AVX__)
using StreamVector = float __attribute__((vector_size(32)));
#elif defined(__SSE__)
using StreamVector = float __attribute__((vector_size(16)));
#endif

#if defined(__SSE__)
inline void store_streaming(StreamVector* target, StreamVector value) noexcept {
#if defined(__clang__)
    __builtin_nontemporal_store(value, target);
#elif defined(__AVX512F__)
    __builtin_ia32_movntps512(reinterpret_cast<float*>(target), value);
#elif defined(__AVX__)
    __builtin_ia32_movntps256(reinterpret_cast<float*>(target), value);
#else
    __builtin_ia32_movntps(reinterpret_cast<float*>(target), value);
#endif
}
#endif

}  // namespace detail

// Copies `bytes` bytes to memory without reading the destination lines first, where the target can do that. This
// thread calls finish_streaming() before anything tells another thread that the data are there.
inline void copy_streaming(const void* source, void* target, std::size_t bytes) noexcept {
    const char* from = static_cast<const char*>(source);
    char* to = static_cast<char*>(target);
#if defined(__SSE__)
    constexpr std::size_t kWidth = sizeof(detail::StreamVector);
    const std::size_t misaligned = (kLineBytes - reinterpret_cast<std::uintptr_t>(to) % kLineBytes) % kLineBytes;
    const std::size_t head = misaligned < bytes ? misaligned : bytes;
    std::memcpy(to, from, head);
    from += head;
    to += head;
    bytes -= head;
    for (; bytes >= kWidth; bytes -= kWidth) {
        detail::StreamVector value;
        std::memcpy(&value, from, kWidth);
        detail::store_streaming(reinterpret_cast<detail::StreamVector*>(to), value);
        from += kWidth;
        to += kWidth;
    }
#endif
    std::memcpy(to, from, bytes);
}

// Orders the streamed stores of this thread before whatever signals that the work is done.
inline void finish_streaming() noexcept {
#if defined(__SSE__)
    __builtin_ia32_sfence();
#endif
}

}  // namespace intent
