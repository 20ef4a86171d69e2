// The shape of a launch from numbers of blocks.
#pragma once

#include <intent/config.hpp>
#include <intent/device/device.cuh>

namespace intent {

namespace detail {

inline unsigned blocks_along(index_t wanted, index_t limit) noexcept {
    return static_cast<unsigned>(wanted < 1 ? 1 : wanted < limit ? wanted : limit);
}

}  // namespace detail

// A grid of at least one block (none is a launch error) and of no more than a device takes; kernels stride over the rest.
inline dim3 grid_of(index_t x, index_t y = 1, index_t z = 1) noexcept {
    constexpr index_t kLimitX = 2147483647;
    constexpr index_t kLimitYZ = 65535;
    return dim3(detail::blocks_along(x, kLimitX), detail::blocks_along(y, kLimitYZ), detail::blocks_along(z, kLimitYZ));
}

}  // namespace intent
