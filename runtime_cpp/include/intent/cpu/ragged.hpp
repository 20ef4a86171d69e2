// Rows of different lengths, members offset(row) to offset(row + 1) of one line: work is shared out by members, so that
// one long row or many empty ones keep no thread waiting.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/carry.hpp>
#include <intent/cpu/fold_by.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/ragged_rows.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/integer.hpp>

namespace intent {

namespace detail {

struct RaggedEnds;  // scratch of the calling thread, written by its team

// Steps of one part: a step is a member or the end of a row. Parts do not depend on the number of threads.
constexpr index_t kRaggedPart = 8192;

// What a part of the steps leaves to be put together: members of a row that began before it, and of one that goes on
// after it. When all of it is the middle of one row, that counts as going on.
template <class T>
struct PartEnds {
    index_t head_row;  // -1: no row that began before ends here
    Carry<T> head;
    Carry<T> tail;
    bool tail_is_new;  // the row of `tail` begins here
};

// combine over value(row, first) to value(row, last - 1).
template <class T, class Combine, class Value>
Carry<T> fold_piece(index_t row, index_t first, index_t last, Combine combine, Value value) {
    if (first >= last) {
        return {T{}, false};
    }
    return {fold_members<T>(first, last - first, combine, [=](index_t i) { return static_cast<T>(value(row, i)); }),
            true};
}

template <class T, class Offset, class Combine, class Value, class Store>
PartEnds<T> fold_part(index_t rows, index_t begin, index_t end, Offset offset, T identity, Combine combine, Value value,
                      Store store) {
    PartEnds<T> ends{-1, {T{}, false}, {T{}, false}, true};
    const index_t start = static_cast<index_t>(offset(0));
    index_t row = row_of_step(rows, offset, begin);
    index_t member = start + begin - row;
    bool new_row = member == static_cast<index_t>(offset(row));
    for (index_t step = begin; step < end; ++row) {
        const index_t last = static_cast<index_t>(offset(row + 1));
        const bool row_ends = last - member < end - step;  // its end is one more step
        const index_t count = row_ends ? last - member : end - step;
        if (!row_ends || !new_row) {
            const Carry<T> piece = fold_piece<T>(row, member, member + count, combine, value);
            if (row_ends) {
                ends.head_row = row;
                ends.head = piece;
            } else {
                ends.tail = piece;
                ends.tail_is_new = new_row;
            }
        } else {
            store(row,
                  fold_by(count, identity, combine, [=](index_t i) { return static_cast<T>(value(row, member + i)); }));
        }
        member += count;
        step += count + 1;
        new_row = true;
    }
    return ends;
}

}  // namespace detail

// store(row, r) with r = combine over value(row, i), offset(row) <= i < offset(row + 1), in any order, and over
// `identity`, once, for 0 <= row < rows; on all threads. Offsets do not fall. The results do not depend on the number
// of threads: rows that cross the border of a part are put together in order.
template <class T, class Offset, class Combine, class Value, class Store>
void ragged_fold(index_t rows, Offset offset, T identity, Combine combine, Value value, Store store) {
    if (rows <= 0) {
        return;
    }
    const index_t steps = detail::ragged_steps(rows, offset);
    const index_t parts = ceil_div(steps, detail::kRaggedPart);
    using Ends = detail::PartEnds<T>;
    Ends* const ends = thread_scratch<Ends, detail::RaggedEnds>(parts);
    #pragma omp parallel for schedule(static) if (steps >= kParallelWork)
    for (index_t part = 0; part < parts; ++part) {
        const index_t begin = part * detail::kRaggedPart;
        ends[part] = detail::fold_part(rows, begin, least(begin + detail::kRaggedPart, steps), offset, identity,
                                       combine, value, store);
    }
    detail::Carry<T> before{identity, false};
    for (index_t part = 0; part < parts; ++part) {
        const Ends& own = ends[part];
        if (own.head_row >= 0) {
            if (own.head.present) {
                detail::advance_carry(before, own.head.value, combine);
            }
            store(own.head_row, before.present ? combine(identity, before.value) : identity);
            before.present = false;
        }
        if (own.tail_is_new) {
            before.present = false;
        }
        if (own.tail.present) {
            detail::advance_carry(before, own.tail.value, combine);
        }
    }
}

}  // namespace intent
