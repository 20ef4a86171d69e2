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

// The same with no more than `most` blocks in all, for kernels whose blocks have memory of their own.
inline dim3 grid_of_at_most(index_t most, index_t x, index_t y = 1, index_t z = 1) noexcept {
    const dim3 wanted = grid_of(x, y, z);
    const unsigned along_x = detail::blocks_along(wanted.x, most);
    const unsigned along_y = detail::blocks_along(wanted.y, most / along_x);
    return dim3(along_x, along_y, detail::blocks_along(wanted.z, most / along_x / along_y));
}

}  // namespace intent
