// What an atomic access orders around itself, and what a compare_exchange gives back.
#pragma once

#include <intent/config.hpp>

namespace intent {

// Relaxed: nothing. Acquire: what others released is visible behind the access. Release: what stands before it is
// visible to who acquires it.
enum class Order : int { kRelaxed, kAcquire, kRelease, kAcqRel };

INTENT_HOST_DEVICE constexpr bool acquires(Order order) noexcept {
    return order == Order::kAcquire || order == Order::kAcqRel;
}
INTENT_HOST_DEVICE constexpr bool releases(Order order) noexcept {
    return order == Order::kRelease || order == Order::kAcqRel;
}

// What an element was, and whether it was written.
template <class T>
struct Exchanged {
    T old_value;
    bool success;
};

}  // namespace intent
