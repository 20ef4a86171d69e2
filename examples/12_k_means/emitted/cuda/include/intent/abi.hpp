// From the C view of a caller to the typed view of a kernel.
#pragma once

#include <intent/status.h>
#include <intent/view.hpp>

namespace intent {

// The view that `view` describes. The caller vouches for the element type and for `Rank` extents and strides.
template <class T, int Rank>
View<T, Rank> view_of(const intent_view& view) noexcept {
    View<T, Rank> result{};
    result.data = static_cast<T*>(view.data);
    if constexpr (Rank > 0) {
        for (int axis = 0; axis < Rank; ++axis) {
            result.extents[axis] = view.extents[axis];
            result.strides[axis] = view.strides[axis];
        }
    }
    return result;
}

}  // namespace intent
