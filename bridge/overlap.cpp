#include "overlap.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace bridge {
namespace {

// The values stride * k for low <= k <= high: how far equal strides of both arrays can move them apart.
struct Term {
    std::int64_t stride;
    std::int64_t low;
    std::int64_t high;
};

struct Terms {
    std::vector<Term> terms;  // one for each distinct stride, all positive

    void add(std::int64_t stride, std::int64_t low, std::int64_t high) {
        const auto same = std::find_if(terms.begin(), terms.end(), [&](const Term& t) { return t.stride == stride; });
        if (same == terms.end()) {
            terms.push_back({stride, low, high});
        } else {
            same->low += low;
            same->high += high;
        }
    }
};

constexpr int kSteps = 4096;  // of the search, before it answers "in doubt"

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0); }

// Whether a sum of one value of each term, lies in [low, high].
bool reachable(std::span<const Term> terms, std::int64_t low, std::int64_t high, int& steps) {
    if (terms.empty()) return low <= 0 && 0 <= high;
    if (--steps < 0) return true;
    std::int64_t least = 0, most = 0, divisor = 0;
    for (const Term& term : terms) {
        least += term.stride * term.low;
        most += term.stride * term.high;
        divisor = std::gcd(divisor, term.stride);
    }
    if (high < least || low > most || floor_div(high, divisor) * divisor < low) return false;
    const Term& first = terms.front();
    const std::int64_t rest_least = least - first.stride * first.low;
    const std::int64_t rest_most = most - first.stride * first.high;
    const std::int64_t from = std::max(first.low, ceil_div(low - rest_most, first.stride));
    const std::int64_t to = std::min(first.high, floor_div(high - rest_least, first.stride));
    for (std::int64_t k = from; k <= to; ++k)
        if (reachable(terms.subspan(1), low - first.stride * k, high - first.stride * k, steps)) return true;
    return false;
}

bool is_empty(const StridedSpan& array) {
    return std::find(array.extents.begin(), array.extents.end(), 0) != array.extents.end();
}

}  // namespace

ByteRange byte_range(const StridedSpan& array) {
    ByteRange range{array.data, array.data};
    if (is_empty(array)) return range;
    for (std::size_t axis = 0; axis < array.extents.size(); ++axis) {
        const std::int64_t reach = (array.extents[axis] - 1) * array.byte_strides[axis];
        (reach < 0 ? range.low : range.high) += static_cast<std::uintptr_t>(reach);
    }
    range.high += static_cast<std::uintptr_t>(array.item_size);
    return range;
}

bool ranges_meet(const StridedSpan& a, const StridedSpan& b) {
    const ByteRange first = byte_range(a), second = byte_range(b);
    return first.low < first.high && second.low < second.high && first.low < second.high && second.low < first.high;
}

bool share_memory(const StridedSpan& a, const StridedSpan& b) {
    if (!ranges_meet(a, b)) return false;
    // a's element at a_low + sum(stride * i) meets b's at b_low + sum(stride * j) when the differences of the sums
    // equal b_low - a_low, give or take the bytes inside an element.
    Terms sums;
    for (std::size_t axis = 0; axis < a.extents.size(); ++axis)
        if (a.extents[axis] > 1 && a.byte_strides[axis] != 0)
            sums.add(std::abs(a.byte_strides[axis]), 0, a.extents[axis] - 1);
    for (std::size_t axis = 0; axis < b.extents.size(); ++axis)
        if (b.extents[axis] > 1 && b.byte_strides[axis] != 0)
            sums.add(std::abs(b.byte_strides[axis]), -(b.extents[axis] - 1), 0);
    std::sort(sums.terms.begin(), sums.terms.end(), [](const Term& x, const Term& y) { return x.stride > y.stride; });
    const auto apart = static_cast<std::int64_t>(byte_range(b).low - byte_range(a).low);
    int steps = kSteps;
    return reachable(sums.terms, apart - (a.item_size - 1), apart + (b.item_size - 1), steps);
}

int crowded_axis(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides) {
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const std::int64_t stride = std::abs(strides[axis]);
        std::int64_t reach = 0;  // of the shorter axes; of equal ones the first counts as shorter
        for (std::size_t other = 0; other < extents.size(); ++other) {
            const std::int64_t step = std::abs(strides[other]);
            if (step < stride || (step == stride && other < axis)) reach += step * (extents[other] - 1);
        }
        if (stride <= reach && extents[axis] > 1) return static_cast<int>(axis);
    }
    return -1;
}

bool same_elements(const StridedSpan& a, const StridedSpan& b) {
    if (a.data != b.data || a.item_size != b.item_size || a.extents.size() != b.extents.size()) return false;
    for (std::size_t axis = 0; axis < a.extents.size(); ++axis) {
        if (a.extents[axis] != b.extents[axis]) return false;
        if (a.extents[axis] > 1 && a.byte_strides[axis] != b.byte_strides[axis]) return false;
    }
    return true;
}

}  // namespace bridge
