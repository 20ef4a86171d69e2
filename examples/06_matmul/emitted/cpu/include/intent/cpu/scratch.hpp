// Scratch memory that each thread keeps between calls: fresh pages would be faulted in and cleared by the kernel each
// time.
#pragma once

#include <intent/config.hpp>

#include <cstdlib>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace intent {

namespace detail {

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
// initialised, kept between calls. A later call with the same T and Tag returns the same memory or a larger one.
template <class T, class Tag>
T* thread_scratch(index_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    thread_local detail::ScratchBlock block;
    return static_cast<T*>(block.reserve(static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(T)));
}

}  // namespace intent
