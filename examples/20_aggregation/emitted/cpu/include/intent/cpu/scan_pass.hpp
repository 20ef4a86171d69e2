// Prefixes in one pass over a line: the members of a register are made, scanned and stored before the next ones are.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/carry.hpp>
#include <intent/cpu/scan_block.hpp>
#include <intent/cpu/vector.hpp>

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

// Where grouping makes no difference registers are as wide as those of the machine.
namespace scan_detail {

// The members of `x` moved up by kSteps places, and `fill` below them.
template <int kSteps, class Register, int... kLane>
INTENT_HOST_DEVICE void move_lanes(Register& moved, const Register& x, const Register& fill,
                                   std::integer_sequence<int, kLane...>) noexcept {
    constexpr int kLanes = static_cast<int>(sizeof...(kLane));
    moved = __builtin_shufflevector(fill, x, (kLane < kSteps ? kLane : kLanes + kLane - kSteps)...);
}

// The last member of x in every place.
template <class Register, int... kLane>
INTENT_HOST_DEVICE void spread_last_lane(Register& spread, const Register& x,
                                         std::integer_sequence<int, kLane...>) noexcept {
    spread = __builtin_shufflevector(x, x, (kLane | (static_cast<int>(sizeof...(kLane)) - 1))...);
}

// Each member of x combined with those below it, from kSteps places on: those nearer are in it already.
template <class Combine, int kSteps, class Register, int... kLane>
INTENT_HOST_DEVICE void scan_lanes(Register& x, const Register& identity,
                                   std::integer_sequence<int, kLane...> each) noexcept {
    if constexpr (kSteps < static_cast<int>(sizeof...(kLane))) {
        Register moved;
        move_lanes<kSteps>(moved, x, identity, each);
        detail::combine_register<Combine>(moved, x);
        scan_lanes<Combine, 2 * kSteps>(x, identity, each);
    }
}

// Lanes are written one by one and read as a register, which costs nothing where the loop is vectorised. A loop that
// only copies would become a memcpy instead, which writes smaller pieces than are read: each read would have to wait.
#if defined(__GNUC__) && !defined(__clang__)
#define INTENT_LANE_LOOPS [[gnu::noinline, gnu::optimize("no-tree-loop-distribute-patterns")]]
#else
#define INTENT_LANE_LOOPS [[gnu::noinline]]
#endif

// What stands before the next position, and with kTotals the members of the scan alone.
template <class T>
struct Prefix {
    detail::Carry<T> carry;
    detail::Carry<T> total;
};

template <bool kReverse>
INTENT_HOST_DEVICE int place_of(int i, int count) noexcept {
    return kReverse ? count - 1 - i : i;
}

// store(i, prefix) for the whole registers among positions first <= i < last of a line of `count`, counted from the end
// in reverse; there is at least one. Positions are `int`: a register holds more of those. Returns where the rest begins.
template <bool kInclusive, bool kReverse, bool kTotals, class Combine, class T, class Value, class Store>
INTENT_LANE_LOOPS int scan_whole(int count, int first, int last, Prefix<T>& prefix, Value value, Store store) {
    using Lane = typename vector_detail::LaneType<T>::Type;
    using Number = std::conditional_t<std::is_same_v<Combine, Add>, Lane, T>;  // signed sums wrap
    typedef Number Register __attribute__((vector_size(kVectorBytes)));
    constexpr int kLanes = kVectorLanes<T>;
    constexpr auto kEach = std::make_integer_sequence<int, kLanes>{};
    const Register identity = static_cast<Number>(Combine::template identity<T>()) - Register{};
    Register before = identity;
    if (prefix.carry.present) {
        before = static_cast<Number>(prefix.carry.value) - Register{};
    }
    Register total = identity;
    for (; last - first >= kLanes; first += kLanes) {
        alignas(kVectorBytes) T lanes[kLanes];
        #pragma omp simd
        for (int k = 0; k < kLanes; ++k) {
            lanes[k] = static_cast<T>(value(place_of<kReverse>(first + k, count)));
        }
        Register x;
        std::memcpy(&x, lanes, sizeof x);
        scan_lanes<Combine, 1>(x, identity, kEach);
        // From register to register there is one operation: what the members come to does not wait for `before`.
        Register members;
        spread_last_lane(members, x, kEach);
        detail::combine_register<Combine>(before, x);
        if constexpr (!kInclusive) {
            const Register inclusive = x;
            move_lanes<1>(x, inclusive, before, kEach);
        }
        std::memcpy(lanes, &x, sizeof x);
        #pragma omp simd
        for (int k = 0; k < kLanes; ++k) {
            store(place_of<kReverse>(first + k, count), lanes[k]);
        }
        Register after = members;
        detail::combine_register<Combine>(before, after);
        before = after;
        if constexpr (kTotals) {
            detail::combine_register<Combine>(total, members);
            total = members;
        }
    }
    prefix = {{static_cast<T>(before[0]), true}, {static_cast<T>(total[0]), kTotals}};
    return first;
}

}  // namespace scan_detail

// True where a scan can go in one pass.
template <class T, class Combine, class Store>
constexpr bool kScansInOnePass = detail::kAnyOrder<T, Combine> && std::is_invocable_v<Store, index_t, T>;

inline bool scans_in_one_pass(index_t count) noexcept { return count <= std::numeric_limits<int>::max(); }

// store(i, prefix) for positions first <= i < last, as scan_range gives them. With kTotals the members combined.
template <bool kInclusive, bool kReverse, bool kTotals, class T, class Combine, class Value, class Store>
T scan_pass(index_t count, index_t first, index_t last, const detail::Carry<T>& carry, Combine combine, Value value,
            Store store) {
    scan_detail::Prefix<T> prefix{carry, {T{}, false}};
    const int size = static_cast<int>(count);
    const int end = static_cast<int>(last);
    int i = static_cast<int>(first);
    if (end - i >= kVectorLanes<T>) {
        i = scan_detail::scan_whole<kInclusive, kReverse, kTotals, Combine>(size, i, end, prefix, value, store);
    }
    for (; i < end; ++i) {
        const int place = scan_detail::place_of<kReverse>(i, size);
        const T member = static_cast<T>(value(place));
        const T before = prefix.carry.value;
        detail::advance_carry(prefix.carry, member, combine);
        store(place, kInclusive ? prefix.carry.value : before);
        if constexpr (kTotals) {
            detail::advance_carry(prefix.total, member, combine);
        }
    }
    return prefix.total.value;
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
