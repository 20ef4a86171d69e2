// From the C view of a caller to the typed view of a kernel.
#pragma once

#include <intent/check.hpp>
#include <intent/status.h>
#include <intent/view.hpp>

#include <type_traits>

namespace intent {

// The view that `view` describes, whose memory is not used; `what` says whose it is in messages. The caller vouches for
// the element type and for `Rank` extents and strides. Throws ShapeError for no view or a negative extent, StrideError
// where elements that are written lie on each other.
template <class T, int Rank>
View<T, Rank> shape_of(const intent_view* view, const char* what) {
    if (view == nullptr) {
        detail::fail<ShapeError>((Message() << what << " is null").text());
    }
    View<T, Rank> result{};
    result.data = static_cast<T*>(view->data);
    if constexpr (Rank > 0) {
        for (int axis = 0; axis < Rank; ++axis) {
            result.extents[axis] = view->extents[axis];
            result.strides[axis] = view->strides[axis];
            if (result.extents[axis] < 0) {
                detail::fail<ShapeError>((Message() << what << " has a negative extent along axis " << axis).text());
            }
        }
    }
    if constexpr (Rank > 0 && !std::is_const_v<T>) {
        if (const int axis = crowded_axis(result); axis >= 0) {
            detail::fail<StrideError>((Message() << what << " is written and has a stride of " << result.strides[axis]
                                                 << " along axis " << axis << ": elements may share memory")
                                          .text());
        }
    }
    return result;
}

// The same with its memory; ShapeError also where there is none for its elements.
template <class T, int Rank>
View<T, Rank> view_of(const intent_view* view, const char* what) {
    const View<T, Rank> result = shape_of<T, Rank>(view, what);
    if (result.data == nullptr && element_count(result) > 0) {
        detail::fail<ShapeError>((Message() << what << " has no memory").text());
    }
    return result;
}

}  // namespace intent
