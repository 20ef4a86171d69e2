// The elements of a view along one axis: what an inner loop walks over once the other coordinates are fixed.
#pragma once

#include <intent/config.hpp>
#include <intent/view.hpp>

#include <type_traits>

namespace intent {

// Element i at data[i], or at data[i * stride] when `kDense` is false. Trivially copyable, captured by value.
template <class T, bool kDense>
struct Line {
    T* data;
    index_t stride;

    INTENT_HOST_DEVICE constexpr T& operator[](index_t i) const noexcept {
        if constexpr (kDense) {
            return data[i];
        } else {
            return data[i * stride];
        }
    }
};

// True when neighbours along `axis` are neighbours in memory, or there are no neighbours.
template <class T, int Rank>
INTENT_HOST_DEVICE constexpr bool unit_stride(const View<T, Rank>& view, int axis) noexcept {
    return view.strides[axis] == 1 || view.extents[axis] <= 1;
}

namespace detail {

// The offset of the coordinates of the axes that are not `Axis`, in order; `Here` is the axis of the first one.
template <int Axis, int Here, class T, int Rank>
INTENT_HOST_DEVICE constexpr index_t line_offset(const View<T, Rank>&) noexcept {
    return 0;
}
template <int Axis, int Here, class T, int Rank, class First, class... Rest>
INTENT_HOST_DEVICE constexpr index_t line_offset(const View<T, Rank>& view, First first, Rest... rest) noexcept {
    constexpr int kAxis = Here == Axis ? Here + 1 : Here;
    return static_cast<index_t>(first) * view.strides[kAxis] + line_offset<Axis, kAxis + 1>(view, rest...);
}

}  // namespace detail

// The elements along `Axis` at the coordinates `others` of the other axes, in order. With `kDense` the caller has made
// sure of unit_stride(view, Axis).
template <int Axis, bool kDense, class T, int Rank, class... Index>
INTENT_HOST_DEVICE constexpr Line<T, kDense> line(const View<T, Rank>& view, Index... others) noexcept {
    static_assert(Axis >= 0 && Axis < Rank && sizeof...(Index) == Rank - 1, "one coordinate for each other axis");
    return {view.data + detail::line_offset<Axis, 0>(view, others...), view.strides[Axis]};
}

// A view whose elements along `Axis` are neighbours in memory when `kDense` says so; for code that moves along two axes.
template <int Axis, bool kDense, class T, int Rank>
struct Lines {
    View<T, Rank> view;

    // The element at `index`, one coordinate for each axis.
    template <class... Index>
    INTENT_HOST_DEVICE constexpr T& operator()(Index... index) const noexcept {
        if constexpr (kDense) {
            const index_t at[Rank] = {static_cast<index_t>(index)...};
            index_t offset = at[Axis];
            for (int axis = 0; axis < Rank; ++axis) {
                offset += axis == Axis ? 0 : at[axis] * view.strides[axis];
            }
            return view.data[offset];
        } else {
            return view(index...);
        }
    }
};

// The view as lines along `Axis`. With `kDense` the caller has made sure of unit_stride(view, Axis).
template <int Axis, bool kDense, class T, int Rank>
INTENT_HOST_DEVICE constexpr Lines<Axis, kDense, T, Rank> lines(const View<T, Rank>& view) noexcept {
    static_assert(Axis >= 0 && Axis < Rank);
    return {view};
}

}  // namespace intent
