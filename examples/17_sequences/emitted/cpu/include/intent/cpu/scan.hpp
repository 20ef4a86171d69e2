// Prefixes of a line: its members up to each position combined in order. Read once, written once.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/carry.hpp>
#include <intent/cpu/chained_blocks.hpp>
#include <intent/cpu/fold.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scan_block.hpp>
#include <intent/cpu/scan_grouped.hpp>
#include <intent/cpu/scan_pass.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/stream.hpp>
#include <intent/integer.hpp>

#include <type_traits>

namespace intent {

// Inclusive: with the member at the position; exclusive: without it, from the identity on. Reverse: the members from
// the position on to the end, the earlier ones still on the left.
enum class ScanKind { kInclusive, kExclusive, kInclusiveReverse, kExclusiveReverse };

// An output that is written past the caches; who scans into it on one thread ends with finish_streaming().
template <class T>
struct Streamed {
    T* data;
};
template <class T>
Streamed(T*) -> Streamed<T>;

namespace detail {

constexpr bool scans_inclusive(ScanKind kind) noexcept {
    return kind == ScanKind::kInclusive || kind == ScanKind::kInclusiveReverse;
}
constexpr bool scans_reverse(ScanKind kind) noexcept {
    return kind == ScanKind::kInclusiveReverse || kind == ScanKind::kExclusiveReverse;
}

// combine with its operands exchanged, for members that are taken from the end; commutative ones stay what they are.
template <class T, class Combine>
auto exchanged(Combine combine) noexcept {
    if constexpr (kScansRegisters<T, Combine>) {
        return combine;
    } else {
        return [=](const T& a, const T& b) { return combine(b, a); };
    }
}

// store(i, prefix) for the `size` prefixes prefix(k) of positions i = begin + k, or the same into memory past the
// caches.
template <bool kReverse, class T, class Store, class Prefix>
INTENT_HOST_DEVICE void store_prefixes(index_t count, index_t begin, index_t size, Store store, Prefix prefix) {
    if constexpr (std::is_invocable_v<Store, index_t, T>) {
        #pragma omp simd
        for (index_t k = 0; k < size; ++k) {
            store(kReverse ? count - 1 - (begin + k) : begin + k, prefix(k));
        }
    } else {
        alignas(64) std::decay_t<decltype(*store.data)> staged[kScanBlock<T>];
        #pragma omp simd
        for (index_t k = 0; k < size; ++k) {
            staged[kReverse ? size - 1 - k : k] = static_cast<std::decay_t<decltype(*store.data)>>(prefix(k));
        }
        copy_streaming(staged, store.data + (kReverse ? count - begin - size : begin),
                       static_cast<std::size_t>(size) * sizeof *store.data);
    }
}

// Scans positions first <= i < last of a line of `count`; members from the end in reverse. `carry` is what stands
// before `first`. Returns the members combined without it: they are grouped in the same way whatever it is.
template <ScanKind kKind, bool kStores, class T, class Combine, class Value, class Store>
T scan_range(index_t count, index_t first, index_t last, const Carry<T>& carry, Combine combine, Value value,
             Store store) {
    constexpr bool kReverse = scans_reverse(kKind);
    if constexpr (kStores && kScansInOnePass<T, Combine, Store>) {
        if (scans_in_one_pass(count)) {
            return scan_pass<scans_inclusive(kKind), kReverse, true>(count, first, last, carry, combine, value, store);
        }
    }
    if constexpr (kStores && kScansGrouped<kReverse, T, Combine, Store>) {
        return scan_grouped<scans_inclusive(kKind), kReverse>(count, first, last, carry, combine, value, store);
    }
    alignas(64) T members[kScanBlock<T>];
    Carry<T> total{T{}, false};
    for (index_t begin = first; begin < last; begin += kScanBlock<T>) {
        const index_t size = least(kScanBlock<T>, last - begin);
        #pragma omp simd
        for (index_t k = 0; k < size; ++k) {
            members[k] = static_cast<T>(value(kReverse ? count - 1 - (begin + k) : begin + k));
        }
        scan_parts(members, size, combine);
        for (int part = 0; part < kScanParts<T, Combine>; ++part) {
            const index_t from = part_begin<T, Combine>(size, part);
            const index_t length = part_begin<T, Combine>(size, part + 1) - from;
            if (length == 0) {
                continue;
            }
            if constexpr (kStores) {
                Carry<T> before = carry;
                if (total.present) {
                    advance_carry(before, total.value, combine);
                }
                const T* const prefix = members + from;
                if constexpr (scans_inclusive(kKind)) {
                    if (before.present) {
                        store_prefixes<kReverse, T>(count, begin + from, length, store,
                                                    [=](index_t k) { return combine(before.value, prefix[k]); });
                    } else {
                        store_prefixes<kReverse, T>(count, begin + from, length, store,
                                                    [=](index_t k) { return prefix[k]; });
                    }
                } else {
                    store_prefixes<kReverse, T>(count, begin + from, 1, store, [=](index_t) { return before.value; });
                    store_prefixes<kReverse, T>(count, begin + from + 1, length - 1, store,
                                                [=](index_t k) { return combine(before.value, prefix[k]); });
                }
            }
            advance_carry(total, members[from + length - 1], combine);
        }
    }
    return total.value;
}

// Scans all of a short line, member after member: what it takes to set up chains and registers would take longer.
template <ScanKind kKind, class T, class Combine, class Value, class Store>
void scan_short(index_t count, Carry<T> carry, Combine combine, Value value, Store store) {
    for (index_t i = 0; i < count; ++i) {
        const index_t position = scans_reverse(kKind) ? count - 1 - i : i;
        const T member = static_cast<T>(value(position));
        if constexpr (scans_inclusive(kKind)) {
            advance_carry(carry, member, combine);
            store(position, carry.value);
        } else {
            store(position, carry.value);
            advance_carry(carry, member, combine);
        }
    }
}

template <ScanKind kKind, class T, class Combine, class Value, class Store>
void scan_row_forward(index_t count, T identity, Combine combine, Value value, Store store) {
    constexpr index_t kShort = 48;
    const Carry<T> before{identity, !scans_inclusive(kKind)};
    if constexpr (kScansInOnePass<T, Combine, Store>) {
        if (scans_in_one_pass(count)) {
            scan_pass<scans_inclusive(kKind), scans_reverse(kKind), false>(count, 0, count, before, combine, value,
                                                                           store);
            return;
        }
    } else if constexpr (std::is_invocable_v<Store, index_t, T>) {
        if (count <= kShort) {
            scan_short<kKind>(count, before, combine, value, store);
            return;
        }
    }
    scan_range<kKind, true>(count, 0, count, before, combine, value, store);
}

struct ScanTotals;  // scratch of the calling thread, written by its team

// Members of one block of parallel_scan: 128 KiB of them; blocks do not depend on the number of threads.
template <class T>
constexpr index_t kParallelScanBlock = 16 * kScanBlock<T>;

}  // namespace detail

// store(i, prefix) for each position 0 <= i < count of the line of members value(i). On this thread. An exclusive scan
// begins with `identity`, an inclusive one does not look at it. Members keep their order but are grouped freely:
// `combine` is associative as far as the author cares. value(i) is called before store(i, ...), positions in any order.
template <ScanKind kKind, class T, class Combine, class Value, class Store>
void scan_row(index_t count, T identity, Combine combine, Value value, Store store) {
    if constexpr (detail::scans_reverse(kKind)) {
        detail::scan_row_forward<kKind>(count, identity, detail::exchanged<T>(combine), value, store);
    } else {
        detail::scan_row_forward<kKind>(count, identity, combine, value, store);
    }
}

namespace detail {

template <ScanKind kKind, class T, class Combine, class Value, class Store>
void parallel_scan_forward(index_t count, T identity, Combine combine, Value value, Store store) {
    constexpr index_t kBlock = kParallelScanBlock<T>;
    T* const totals = thread_scratch<T, ScanTotals>(chained_totals());
    const auto end = [=](index_t block) { return least(count, (block + 1) * kBlock); };
    chained_blocks(
        ceil_div(count, kBlock), count >= kParallelWork && count > kBlock,
        [=] { return Carry<T>{identity, !scans_inclusive(kKind)}; },
        [=](index_t block, index_t total) {
            const index_t first = block * kBlock;
            if constexpr (kAnyOrder<T, Combine>) {
                const index_t from = scans_reverse(kKind) ? count - end(block) : first;
                totals[total] =
                    fold(end(block) - first, combine, [=](index_t i) { return static_cast<T>(value(from + i)); });
            } else {
                totals[total] = scan_range<kKind, false>(count, first, end(block), Carry<T>{identity, false}, combine,
                                                         value, store);
            }
        },
        [=](Carry<T>& carry, index_t total) { advance_carry(carry, totals[total], combine); },
        [=](index_t block, const Carry<T>& carry, index_t total) {
            const T members = scan_range<kKind, true>(count, block * kBlock, end(block), carry, combine, value, store);
            if (total >= 0) {
                totals[total] = members;
            }
            if constexpr (!std::is_invocable_v<Store, index_t, T>) {
                finish_streaming();
            }
        });
}

}  // namespace detail

// The same on all threads; with several of them value(i) is called twice. The result does not depend on their number.
// A streamed output is visible to the caller on return.
template <ScanKind kKind, class T, class Combine, class Value, class Store>
void parallel_scan(index_t count, T identity, Combine combine, Value value, Store store) {
    if constexpr (detail::scans_reverse(kKind)) {
        detail::parallel_scan_forward<kKind>(count, identity, detail::exchanged<T>(combine), value, store);
    } else {
        detail::parallel_scan_forward<kKind>(count, identity, combine, value, store);
    }
}

}  // namespace intent
