// What std::swap does, which is no device function before C++20.
#pragma once

#include <intent/config.hpp>

namespace intent {

template <class T>
INTENT_HOST_DEVICE void swap(T& one, T& other) noexcept {
    const T old = one;
    one = other;
    other = old;
}

}  // namespace intent
