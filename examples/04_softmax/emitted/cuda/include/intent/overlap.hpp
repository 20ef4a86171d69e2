// Whether two strided arrays share memory: exact for the layouts that programs make, never wrongly "apart".
#pragma once

#include <intent/view.hpp>

namespace intent {

namespace detail {

// Positions that one axis (or two axes of equal stride) can add: step * i for 0 <= i <= last.
struct AddressTerm {
    index_t step;
    index_t last;
};

// The bytes of a view relative to address zero: first byte of its lowest and of its highest element.
struct AddressSpan {
    index_t low;
    index_t high;
};

template <int MaxTerms>
struct AddressTerms {
    AddressTerm terms[MaxTerms] = {};
    int count = 0;

    // Keeps the terms sorted by falling step and merges equal steps.
    void insert(index_t step, index_t last) noexcept {
        int at = 0;
        while (at < count && terms[at].step > step) {
            ++at;
        }
        if (at < count && terms[at].step == step) {
            terms[at].last += last;
            return;
        }
        for (int i = count; i > at; --i) {
            terms[i] = terms[i - 1];
        }
        terms[at] = {step, last};
        ++count;
    }
};

// True when some choice of the terms sums to a value in [low, high]. `budget` bounds the search; when it is used up
// the answer is true, which is the safe one.
inline bool can_reach(const AddressTerm* term, int count, index_t low, index_t high, int& budget) noexcept {
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

// Adds the axes of `view` to `terms` and returns where its elements begin and end.
template <class T, int Rank, class Terms>
AddressSpan add_axes(const View<T, Rank>& view, Terms& terms) noexcept {
    const index_t start = static_cast<index_t>(reinterpret_cast<std::intptr_t>(view.data));
    AddressSpan span{start, start};
    if constexpr (Rank > 0) {
        for (int axis = 0; axis < Rank; ++axis) {
            const index_t step = view.strides[axis] * static_cast<index_t>(sizeof(T));
            const index_t last = view.extents[axis] - 1;
            (step < 0 ? span.low : span.high) += step * last;
            if (step != 0 && last > 0) {
                terms.insert(step < 0 ? -step : step, last);
            }
        }
    }
    return span;
}

}  // namespace detail

// True when a byte belongs to an element of both views. Interleaved views, a[::2] and a[1::2], and neighbouring
// blocks of one matrix, a[:, :4] and a[:, 4:], share none. Empty views share nothing.
template <class A, int RankA, class B, int RankB>
bool overlaps(const View<A, RankA>& a, const View<B, RankB>& b) noexcept {
    if (element_count(a) == 0 || element_count(b) == 0) {
        return false;
    }
    constexpr index_t kSizeA = sizeof(A);
    constexpr index_t kSizeB = sizeof(B);
    detail::AddressTerms<RankA + RankB + 1> terms;
    const detail::AddressSpan span_a = detail::add_axes(a, terms);
    const detail::AddressSpan span_b = detail::add_axes(b, terms);
    if (span_a.high + kSizeA <= span_b.low || span_b.high + kSizeB <= span_a.low) {
        return false;
    }
    // An element of a at span_a.low + s and one of b at span_b.high - t share a byte when their distance is less than
    // a size: s + t = span_b.high - span_a.low + e with -kSizeA < e < kSizeB.
    const index_t distance = span_b.high - span_a.low;
    int budget = 4096;
    return detail::can_reach(terms.terms, terms.count, distance - kSizeA + 1, distance + kSizeB - 1, budget);
}

// True when both views name the same elements in the same order (axes of one element may differ in stride).
template <class A, int RankA, class B, int RankB>
bool same_elements(const View<A, RankA>& a, const View<B, RankB>& b) noexcept {
    if constexpr (RankA != RankB || !std::is_same_v<std::remove_const_t<A>, std::remove_const_t<B>>) {
        return false;
    } else {
        bool same = a.data == b.data;
        if constexpr (RankA > 0) {
            for (int axis = 0; axis < RankA; ++axis) {
                same = same && a.extents[axis] == b.extents[axis] &&
                       (a.strides[axis] == b.strides[axis] || a.extents[axis] <= 1);
            }
        }
        return same;
    }
}

}  // namespace intent
