// No exception may leave a parallel region: the first one that a thread catches in it is kept and thrown behind it.
#pragma once

#include <atomic>
#include <exception>

namespace intent {

// One for each region; its threads share it.
class Caught {
public:
    // Inside a handler: keeps the exception, unless there is one already.
    void keep() noexcept {
        if (!any_.exchange(true, std::memory_order_relaxed)) {
            first_ = std::current_exception();
        }
    }

    // Whether something was caught: what would go on from there may be left out.
    bool any() const noexcept { return any_.load(std::memory_order_relaxed); }

    // Behind the region, on the thread that began it.
    void rethrow() const {
        if (first_) {
            std::rethrow_exception(first_);
        }
    }

private:
    std::atomic<bool> any_{false};
    std::exception_ptr first_;
};

}  // namespace intent
