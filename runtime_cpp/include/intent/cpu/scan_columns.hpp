// Prefixes along the rows of a matrix, for all columns at once: vectorised over the columns, read once, written once.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/chained_blocks.hpp>
#include <intent/cpu/lanes.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scan.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/team.hpp>
#include <intent/integer.hpp>

namespace intent {

namespace detail {

struct ScanColumnTotals;  // scratch of the calling thread, written by its team
struct ScanColumnCarry;   // scratch of each thread

// Columns whose running values stay in L1 together: 4 KiB of them.
template <class T>
constexpr int kScanColumns = sizeof(T) <= 64 ? 4096 / static_cast<int>(sizeof(T)) : 64;

// Scans rows first <= i < last (from the end in reverse) of a run of `size` columns from `column` on. before(c) is what
// stands before `first` in column c, if `present`; total(c, t) gets the members of the column combined without it.
template <ScanKind kKind, bool kStores, class T, class Combine, class Value, class Store, class Before, class Total>
void scan_column_run(index_t rows, index_t first, index_t last, index_t column, int size, bool present, Combine combine,
                     Value value, Store store, Before before, Total total) {
    if (first >= last) {
        return;
    }
    constexpr bool kInclusive = scans_inclusive(kKind);
    Lanes<T, kScanColumns<T>> running;
    for (index_t i = first; i < last; ++i) {
        const index_t row = scans_reverse(kKind) ? rows - 1 - i : i;
        if (i == first) {
            #pragma omp simd
            for (int lane = 0; lane < size; ++lane) {
                const T member = static_cast<T>(value(row, column + lane));
                running.set(lane, member);
                if constexpr (kStores) {
                    const T start = before(column + lane);
                    store(row, column + lane, kInclusive ? (present ? combine(start, member) : member) : start);
                }
            }
            continue;
        }
        #pragma omp simd
        for (int lane = 0; lane < size; ++lane) {
            const T earlier = running.get(lane);
            const T local = combine(earlier, static_cast<T>(value(row, column + lane)));
            running.set(lane, local);
            if constexpr (kStores) {
                const T own = kInclusive ? local : earlier;
                store(row, column + lane, present ? combine(before(column + lane), own) : own);
            }
        }
    }
    for (int lane = 0; lane < size; ++lane) {
        total(column + lane, running.get(lane));
    }
}

template <ScanKind kKind, bool kStores, class T, class Combine, class Value, class Store, class Before, class Total>
void scan_column_runs(index_t rows, index_t first, index_t last, index_t columns, bool present, Combine combine,
                      Value value, Store store, Before before, Total total) {
    constexpr int kRun = kScanColumns<T>;
    for (index_t column = 0; column < columns; column += kRun) {
        const int size = static_cast<int>(least(kRun, columns - column));
        scan_column_run<kKind, kStores, T>(rows, first, last, column, size, present, combine, value, store, before,
                                           total);
    }
}

// Fewer columns than runs for every thread: blocks of rows, each of which goes on from the one before it.
template <ScanKind kKind, class T, class Combine, class Value, class Store>
void scan_row_blocks(index_t rows, index_t columns, index_t block_rows, T identity, Combine combine, Value value,
                     Store store) {
    T* const totals = thread_scratch<T, ScanColumnTotals>(chained_totals() * columns);
    const auto carries = team_scratch<T, ScanColumnCarry>(columns);
    const auto end = [=](index_t block) { return least(rows, (block + 1) * block_rows); };
    struct Before {
        T* values;
        bool present;
    };
    chained_blocks(
        ceil_div(rows, block_rows), rows * columns >= kParallelWork,
        [=] {
            const Before before{carries.own(), !scans_inclusive(kKind)};
            for (index_t column = 0; column < columns; ++column) {
                before.values[column] = identity;
            }
            return before;
        },
        [=](index_t block, index_t total) {
            T* const sums = totals + total * columns;
            scan_column_runs<kKind, false, T>(
                rows, block * block_rows, end(block), columns, false, combine, value, store,
                [=](index_t) { return identity; }, [=](index_t column, const T& sum) { sums[column] = sum; });
        },
        [=](Before& before, index_t total) {
            const T* const sums = totals + total * columns;
            for (index_t column = 0; column < columns; ++column) {
                before.values[column] = before.present ? combine(before.values[column], sums[column]) : sums[column];
            }
            before.present = true;
        },
        [=](index_t block, const Before& before, index_t total) {
            const T* const start = before.values;
            T* const sums = totals + total * columns;
            scan_column_runs<kKind, true, T>(
                rows, block * block_rows, end(block), columns, before.present, combine, value, store,
                [=](index_t column) { return start[column]; },
                [=](index_t column, const T& sum) {
                    if (total >= 0) {
                        sums[column] = sum;
                    }
                });
        });
}

template <ScanKind kKind, class T, class Combine, class Value, class Store>
void parallel_scan_columns_forward(index_t rows, index_t columns, T identity, Combine combine, Value value,
                                   Store store) {
    constexpr index_t kManyScanColumns = 1024;        // from here on there are runs of them for all threads
    constexpr index_t kBlockWork = index_t{1} << 15;  // members of a block of rows
    const index_t block_rows = ceil_div(kBlockWork, most(1, columns));
    if (columns < kManyScanColumns && rows > block_rows) {
        scan_row_blocks<kKind>(rows, columns, block_rows, identity, combine, value, store);
        return;
    }
    const index_t run = most(64, least(kScanColumns<T>, ceil_div(columns, most_threads())));
    #pragma omp parallel for schedule(static) if (rows * columns >= kParallelWork)
    for (index_t column = 0; column < columns; column += run) {
        scan_column_run<kKind, true, T>(
            rows, 0, rows, column, static_cast<int>(least(run, columns - column)), !scans_inclusive(kKind), combine,
            value, store, [=](index_t) { return identity; }, [](index_t, const T&) {});
    }
}

}  // namespace detail

// store(row, column, prefix) for each element of the matrix of members value(row, column), scanned along the rows:
// under the conditions of scan_row. On this thread.
template <ScanKind kKind, class T, class Combine, class Value, class Store>
void scan_columns(index_t rows, index_t columns, T identity, Combine combine, Value value, Store store) {
    const auto run = [=](auto in_order) {
        detail::scan_column_runs<kKind, true, T>(
            rows, 0, rows, columns, !detail::scans_inclusive(kKind), in_order, value, store,
            [=](index_t) { return identity; }, [](index_t, const T&) {});
    };
    if constexpr (detail::scans_reverse(kKind)) {
        run(detail::exchanged<T>(combine));
    } else {
        run(combine);
    }
}

// The same on all threads; value(row, column) may be called twice. The result does not depend on their number.
template <ScanKind kKind, class T, class Combine, class Value, class Store>
void parallel_scan_columns(index_t rows, index_t columns, T identity, Combine combine, Value value, Store store) {
    if constexpr (detail::scans_reverse(kKind)) {
        detail::parallel_scan_columns_forward<kKind>(rows, columns, identity, detail::exchanged<T>(combine), value,
                                                     store);
    } else {
        detail::parallel_scan_columns_forward<kKind>(rows, columns, identity, combine, value, store);
    }
}

}  // namespace intent
