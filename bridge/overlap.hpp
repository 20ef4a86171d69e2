// Whether two strided arrays share a byte of memory.
#pragma once

#include <cstdint>
#include <span>

namespace bridge {

struct StridedSpan {
    std::uintptr_t data;
    std::span<const std::int64_t> extents;
    std::span<const std::int64_t> byte_strides;
    std::int64_t item_size;
};

// The half-open range of bytes from the lowest to behind the highest element; empty when an extent is 0.
struct ByteRange {
    std::uintptr_t low;
    std::uintptr_t high;
};
ByteRange byte_range(const StridedSpan& array);

// Whether the byte ranges meet.
bool ranges_meet(const StridedSpan& a, const StridedSpan& b);

// Whether some byte belongs to both. Exact for arrays whose axes nest, as slices of one allocation do;
// true in doubt, when deciding would take too many steps.
bool share_memory(const StridedSpan& a, const StridedSpan& b);

// An axis along which elements are no farther apart than axes with shorter strides reach: elements may share memory. -1
// where there is none. `strides` count elements, or bytes.
int crowded_axis(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides);

// Whether both have the same elements at the same coordinates.
bool same_elements(const StridedSpan& a, const StridedSpan& b);

}  // namespace bridge
