// Whether two strided arrays share memory: exact for the layouts that programs make, never wrongly "apart".
#pragma once

#include <intent/view.hpp>

namespace intent {

namespace detail {

// Where the elements of a view lie, whatever its type and rank: the functions below are compiled once, for size.
struct Layout {
    index_t start;  // address of the element with all coordinates zero
    index_t size;   // bytes of an element
    int rank;
    const index_t* extents;
    const index_t* strides;
};

template <class T, int Rank>
Layout layout_of(const View<T, Rank>& view) noexcept {
    const index_t start = static_cast<index_t>(reinterpret_cast<std::intptr_t>(view.data));
    if constexpr (Rank == 0) {
        return {start, static_cast<index_t>(sizeof(T)), 0, nullptr, nullptr};
    } else {
        return {start, static_cast<index_t>(sizeof(T)), Rank, view.extents, view.strides};
    }
}

// Positions that one axis (or two axes of equal stride) can add: step * i for 0 <= i <= last.
struct AddressTerm {
    index_t step;
    index_t last;
};

// The axes of two layouts, sorted by falling step, equal steps merged.
struct AddressTerms {
    static constexpr int kMost = 16;
    AddressTerm terms[kMost] = {};
    int count = 0;
    bool complete = true;  // false when an axis found no room

    void insert(index_t step, index_t last) noexcept {
        int at = 0;
        while (at < count && terms[at].step > step) {
            ++at;
        }
        if (at < count && terms[at].step == step) {
            terms[at].last += last;
            return;
        }
        if (count == kMost) {
            complete = false;
            return;
        }
        for (int i = count; i > at; --i) {
            terms[i] = terms[i - 1];
        }
        terms[at] = {step, last};
        ++count;
    }
};

// The first byte of the lowest and of the highest element.
struct AddressSpan {
    index_t low;
    index_t high;
};

// Adds the axes of `layout` to `terms` and returns where its elements begin and end.
[[gnu::cold]] inline AddressSpan add_axes(const Layout& layout, AddressTerms& terms) noexcept {
    AddressSpan span{layout.start, layout.start};
    for (int axis = 0; axis < layout.rank; ++axis) {
        const index_t step = layout.strides[axis] * layout.size;
        const index_t last = layout.extents[axis] - 1;
        (step < 0 ? span.low : span.high) += step * last;
        if (step != 0 && last > 0) {
            terms.insert(step < 0 ? -step : step, last);
        }
    }
    return span;
}

// True when some choice of the terms sums to a value in [low, high]. `budget` bounds the search; when it is used up
// the answer is true, which is the safe one.
[[gnu::cold]] inline bool can_reach(const AddressTerm* term, int count, index_t low, index_t high,
                                    int& budget) noexcept {
    if (--budget < 0) {
        return true;
    }
    if (count == 0) {
        return low <= 0 && 0 <= high;
    }
    index_t rest = 0;
    for (int i = 1; i < count; ++i) {
        rest += term[i].step * term[i].last;
    }
    const index_t needed = low - rest;  // the least that this term must add
    const index_t first = needed <= 0 ? 0 : (needed + term->step - 1) / term->step;
    const index_t last = high < 0 ? -1 : (high / term->step < term->last ? high / term->step : term->last);
    for (index_t i = first; i <= last; ++i) {
        if (can_reach(term + 1, count - 1, low - i * term->step, high - i * term->step, budget)) {
            return true;
        }
    }
    return false;
}

[[gnu::cold]] inline bool is_empty(const Layout& layout) noexcept {
    for (int axis = 0; axis < layout.rank; ++axis) {
        if (layout.extents[axis] == 0) {
            return true;
        }
    }
    return false;
}

[[gnu::cold, gnu::noinline]] inline bool layouts_overlap(const Layout& a, const Layout& b) noexcept {
    if (is_empty(a) || is_empty(b)) {
        return false;
    }
    AddressTerms terms;
    const AddressSpan span_a = add_axes(a, terms);
    const AddressSpan span_b = add_axes(b, terms);
    if (span_a.high + a.size <= span_b.low || span_b.high + b.size <= span_a.low) {
        return false;
    }
    // An element of a at span_a.low + s and one of b at span_b.high - t share a byte when their distance is less than
    // a size: s + t = span_b.high - span_a.low + e with -a.size < e < b.size.
    const index_t distance = span_b.high - span_a.low;
    int budget = 4096;
    return !terms.complete || can_reach(terms.terms, terms.count, distance - a.size + 1, distance + b.size - 1, budget);
}

// Axes of one element may differ in stride.
[[gnu::cold, gnu::noinline]] inline bool layouts_equal(const Layout& a, const Layout& b) noexcept {
    bool equal = a.start == b.start;
    for (int axis = 0; axis < a.rank; ++axis) {
        equal =
            equal && a.extents[axis] == b.extents[axis] && (a.strides[axis] == b.strides[axis] || a.extents[axis] <= 1);
    }
    return equal;
}

}  // namespace detail

// True when a byte belongs to an element of both views. Interleaved views, a[::2] and a[1::2], and neighbouring
// blocks of one matrix, a[:, :4] and a[:, 4:], share none. Empty views share nothing.
template <class A, int RankA, class B, int RankB>
bool overlaps(const View<A, RankA>& a, const View<B, RankB>& b) noexcept {
    return detail::layouts_overlap(detail::layout_of(a), detail::layout_of(b));
}

// True when both views name the same elements in the same order (axes of one element may differ in stride).
template <class A, int RankA, class B, int RankB>
bool same_elements(const View<A, RankA>& a, const View<B, RankB>& b) noexcept {
    if constexpr (RankA != RankB || !std::is_same_v<std::remove_const_t<A>, std::remove_const_t<B>>) {
        return false;
    } else {
        return detail::layouts_equal(detail::layout_of(a), detail::layout_of(b));
    }
}

}  // namespace intent
