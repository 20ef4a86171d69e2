// Scratch memory that each thread keeps between calls: fresh pages would be faulted in and cleared by the kernel each
// time.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/team.hpp>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace intent {

namespace detail {

// No machine has as much; beyond it sizes could wrap.
constexpr std::size_t kMostBytes = SIZE_MAX / 4;

// The bytes of `count` elements of `size` bytes; kMostBytes + 1 for more than any machine has.
constexpr std::size_t scratch_bytes(index_t count, std::size_t size) noexcept {
    const std::size_t elements = static_cast<std::size_t>(count > 0 ? count : 1);
    return elements > kMostBytes / size ? kMostBytes + 1 : elements * size;
}

// A growing block of memory; its contents are lost when it grows.
class ScratchBlock {
public:
    ScratchBlock() = default;
    ScratchBlock(const ScratchBlock&) = delete;
    ScratchBlock& operator=(const ScratchBlock&) = delete;
    ~ScratchBlock() { std::free(data_); }

    // At least `bytes`, aligned to 64 bytes; from 256 KiB on (64 small pages, about what the first TLB of a core
    // holds) aligned to 2 MiB and on huge pages where the system has them.
    void* reserve(std::size_t bytes) {
        if (bytes > capacity_) {
            constexpr std::size_t kLine = 64;
            constexpr std::size_t kHugePage = std::size_t{2} << 20;
            constexpr std::size_t kManyPages = std::size_t{256} << 10;
            if (bytes > kMostBytes) {
                throw std::bad_alloc();
            }
            const std::size_t unit = bytes >= kManyPages ? kHugePage : kLine;
            const std::size_t rounded = (bytes + unit - 1) / unit * unit;
            std::free(data_);
            capacity_ = 0;
            data_ = std::aligned_alloc(unit, rounded);
            if (data_ == nullptr) {
                throw std::bad_alloc();
            }
            capacity_ = rounded;
#if defined(__linux__)
            if (unit == kHugePage) {
                madvise(data_, rounded, MADV_HUGEPAGE);  // advice only: small pages work too
            }
#endif
        }
        return data_;
    }

private:
    void* data_ = nullptr;
    std::size_t capacity_ = 0;
};

}  // namespace detail

// Room for `count` elements that belongs to this thread and to `Tag` until the thread ends: 64-byte aligned, not
// initialised, kept between calls. A later call with the same T and Tag returns the same memory or a larger one. Throws
// std::bad_alloc when there is not so much, which no parallel region may let out.
template <class T, class Tag>
T* thread_scratch(index_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    thread_local detail::ScratchBlock block;
    return static_cast<T*>(block.reserve(detail::scratch_bytes(count, sizeof(T))));
}

// Room of the same kind for each thread of the parallel region that comes next.
template <class T>
class TeamScratch {
public:
    TeamScratch(void* data, std::size_t bytes) noexcept : data_(static_cast<char*>(data)), bytes_(bytes) {}

    // That of this thread.
    T* own() const noexcept { return of(detail::team_member()); }

    // That of the thread with this number.
    T* of(index_t member) const noexcept {
        return reinterpret_cast<T*>(data_ + static_cast<std::size_t>(member) * bytes_);
    }

private:
    char* data_;
    std::size_t bytes_;  // from one thread's to the next
};

// Taken before the region, where the std::bad_alloc that says there is not so much can still leave the kernel. All of
// it belongs to the calling thread, as with thread_scratch.
template <class T, class Tag>
TeamScratch<T> team_scratch(index_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    thread_local detail::ScratchBlock block;
    constexpr std::size_t kLine = 64;
    // Between two threads' lies a page that nobody uses: a core fetches lines of its page ahead, and would take them
    // from the core that writes them.
    constexpr std::size_t kApart = 4096;
    const std::size_t threads = static_cast<std::size_t>(detail::next_threads());
    const std::size_t wanted = detail::scratch_bytes(count, sizeof(T));
    const std::size_t bytes = (wanted + kLine - 1) / kLine * kLine + kApart;
    return {block.reserve(bytes > detail::kMostBytes / threads ? detail::kMostBytes + 1 : bytes * threads), bytes};
}

}  // namespace intent
