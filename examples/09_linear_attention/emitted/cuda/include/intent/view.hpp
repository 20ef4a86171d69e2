// A strided array that somebody else owns: what kernels take and what their callers build.
#pragma once

#include <intent/config.hpp>

#include <type_traits>

namespace intent {

// `Rank` axes over `data`. Strides count elements and may be negative. Trivially copyable: a kernel parameter on CUDA.
template <class T, int Rank>
struct View {
    T* data;
    index_t extents[Rank];
    index_t strides[Rank];

    INTENT_HOST_DEVICE constexpr index_t extent(int axis) const noexcept { return extents[axis]; }
    INTENT_HOST_DEVICE constexpr index_t stride(int axis) const noexcept { return strides[axis]; }

    // The element at `index`: exactly `Rank` coordinates inside the extents; nothing is clamped or checked.
    template <class... Index>
    INTENT_HOST_DEVICE constexpr T& operator()(Index... index) const noexcept {
        static_assert(sizeof...(Index) == Rank, "a view takes one coordinate for each axis");
        return data[offset<0>(index...)];
    }

    // A view may be read where only reading is allowed.
    template <class Read, class = std::enable_if_t<std::is_same_v<Read, const T> && !std::is_const_v<T>>>
    INTENT_HOST_DEVICE constexpr operator View<Read, Rank>() const noexcept {
        View<Read, Rank> result{data, {}, {}};
        for (int axis = 0; axis < Rank; ++axis) {
            result.extents[axis] = extents[axis];
            result.strides[axis] = strides[axis];
        }
        return result;
    }

private:
    template <int Axis, class First, class... Rest>
    INTENT_HOST_DEVICE constexpr index_t offset(First first, Rest... rest) const noexcept {
        const index_t here = static_cast<index_t>(first) * strides[Axis];
        if constexpr (sizeof...(Rest) == 0) {
            return here;
        } else {
            return here + offset<Axis + 1>(rest...);
        }
    }
};

// One element, no axes.
template <class T>
struct View<T, 0> {
    T* data;

    INTENT_HOST_DEVICE constexpr T& operator()() const noexcept { return *data; }

    template <class Read, class = std::enable_if_t<std::is_same_v<Read, const T> && !std::is_const_v<T>>>
    INTENT_HOST_DEVICE constexpr operator View<Read, 0>() const noexcept {
        return {data};
    }
};

// Number of elements; 1 for rank 0.
template <class T, int Rank>
INTENT_HOST_DEVICE constexpr index_t element_count(const View<T, Rank>& view) noexcept {
    index_t count = 1;
    if constexpr (Rank > 0) {
        for (int axis = 0; axis < Rank; ++axis) {
            count *= view.extents[axis];
        }
    }
    return count;
}

// An axis along which elements are no farther apart than axes with shorter strides reach: elements may share memory. -1
// where there is none.
template <class T, int Rank>
INTENT_HOST_DEVICE constexpr int crowded_axis(const View<T, Rank>& view) noexcept {
    if constexpr (Rank > 0) {
        for (int axis = 0; axis < Rank && element_count(view) > 0; ++axis) {
            const index_t stride = view.strides[axis] < 0 ? -view.strides[axis] : view.strides[axis];
            index_t reach = 0;  // of the shorter axes; of equal ones the first counts as shorter
            for (int other = 0; other < Rank; ++other) {
                const index_t step = view.strides[other] < 0 ? -view.strides[other] : view.strides[other];
                if (step < stride || (step == stride && other < axis)) {
                    reach += step * (view.extents[other] - 1);
                }
            }
            if (stride <= reach && view.extents[axis] > 1) {
                return axis;
            }
        }
    }
    return -1;
}

// True when neighbours along the last axis are neighbours in memory (an axis of 0 or 1 elements has no neighbours).
template <class T, int Rank>
INTENT_HOST_DEVICE constexpr bool dense_rows(const View<T, Rank>& view) noexcept {
    if constexpr (Rank == 0) {
        return true;
    } else {
        return view.strides[Rank - 1] == 1 || view.extents[Rank - 1] <= 1;
    }
}

// True when the elements lie in row-major order without gaps. Axes of one element may have any stride; no elements
// at all is dense.
template <class T, int Rank>
INTENT_HOST_DEVICE constexpr bool is_dense(const View<T, Rank>& view) noexcept {
    if constexpr (Rank == 0) {
        return true;
    } else {
        index_t expected = 1;
        bool dense = true;
        for (int axis = Rank - 1; axis >= 0; --axis) {
            dense = dense && (view.extents[axis] == 1 || view.strides[axis] == expected);
            expected *= view.extents[axis];
        }
        return dense || expected == 0;
    }
}

// The row-major view of `extents` elements that starts at `data`.
template <class T, class... Extent>
INTENT_HOST_DEVICE constexpr View<T, static_cast<int>(sizeof...(Extent))> row_major(T* data,
                                                                                    Extent... extents) noexcept {
    constexpr int kRank = static_cast<int>(sizeof...(Extent));
    if constexpr (kRank == 0) {
        return {data};
    } else {
        View<T, kRank> result{data, {static_cast<index_t>(extents)...}, {}};
        index_t stride = 1;
        for (int axis = kRank - 1; axis >= 0; --axis) {
            result.strides[axis] = stride;
            stride *= result.extents[axis];
        }
        return result;
    }
}

}  // namespace intent
