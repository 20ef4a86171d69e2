// Loops over rows of different lengths, members offset(row) to offset(row + 1) of one line: work is shared out by
// members, so that one long row or many empty ones keep no thread waiting.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/caught.hpp>
#include <intent/cpu/fold.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/stream.hpp>
#include <intent/cpu/team.hpp>
#include <intent/cpu/vector.hpp>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

namespace ragged_detail {

// The row that step `step` belongs to: its members come one after the other, then its end, then the next row.
template <class Offset>
index_t row_of_step(index_t rows, Offset offset, index_t step) {
    const index_t start = static_cast<index_t>(offset(0));
    index_t low = 0;  // its first step is not beyond `step`
    index_t high = rows;
    while (high - low > 1) {
        const index_t middle = low + (high - low) / 2;
        if (static_cast<index_t>(offset(middle)) - start + middle <= step) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

template <class Offset>
index_t ragged_steps(index_t rows, Offset offset) {
    return static_cast<index_t>(offset(rows)) - static_cast<index_t>(offset(0)) + rows;
}

struct RaggedParts;  // scratch of the calling thread, written by its team

// Rows [begin, end) that one thread takes at a time. `first_long` <= row < `end_long` are the long ones among them.
struct RowPart {
    index_t begin;
    index_t end;
    index_t first_long;
    index_t end_long;
};

// Rows with as many members are folded by all threads together, whatever their number: results depend on lengths alone.
constexpr index_t kLongRow = index_t{1} << 16;
// Parts of the rows for each thread, so that the last ones even out what takes longer than it has members.
constexpr index_t kRowParts = 32;

template <class Offset>
bool is_long_row(index_t row, Offset offset) {
    return static_cast<index_t>(offset(row + 1)) - static_cast<index_t>(offset(row)) >= kLongRow;
}

// Cuts the rows into parts of about as many steps each. Every row is in one part, even where offsets fall.
template <class Offset>
RowPart* cut_rows(index_t rows, index_t steps, index_t parts, Offset offset) {
    RowPart* const cut = thread_scratch<RowPart, RaggedParts>(parts);
    index_t begin = 0;
    for (index_t part = 0; part < parts; ++part) {
        const index_t step = (part + 1) * (steps / parts) + least(part + 1, steps % parts);
        const index_t end = part + 1 == parts ? rows : most(begin, row_of_step(rows, offset, step));
        cut[part] = {begin, end, end, begin};
        begin = end;
    }
    return cut;
}

// The prefetches of all members, for those of the row that begins with member `begin`.
template <class... Prefetch>
auto prefetch_members([[maybe_unused]] index_t begin, Prefetch... prefetch) {
    return [=]([[maybe_unused]] index_t i, [[maybe_unused]] index_t count) { (prefetch(begin + i, count), ...); };
}

// Partial results of a short row: one register of them.
template <class T>
constexpr int kShortLanes = kVectorBytes == 64 ? kRegisterLanes<T> : kRegisterLanes<T> / 2;

// What a body folds with: the members of a row on one thread, or on all of them.
template <class Prefetch>
struct OneThreadFold {
    Prefetch prefetch;

    template <class Combine, class Value>
    FoldType<Value> operator()(index_t count, Combine combine, Value value) const {
        using T = FoldType<Value>;
        return count < detail::kShortRow<T> ? detail::fold_short<kShortLanes<T>>(count, combine, value, prefetch)
                                            : fold(count, combine, value, prefetch);
    }
};
template <class Prefetch>
OneThreadFold(Prefetch) -> OneThreadFold<Prefetch>;
struct TeamFold {
    template <class Combine, class Value>
    FoldType<Value> operator()(index_t count, Combine combine, Value value) const {
        return parallel_fold(count, combine, value);
    }
};

}  // namespace ragged_detail

// body(row) for 0 <= row < rows on all threads, each row on one of them, shared out by members: offset(row) to
// offset(row + 1), each of which takes about `member_work` operations.
template <class Offset, class Body>
void ragged_rows(index_t rows, Offset offset, index_t member_work, Body body) {
    const index_t steps = rows <= 0 ? 0 : ragged_detail::ragged_steps(rows, offset);
    const bool shared = steps * most(1, member_work) >= kParallelWork;
    const index_t parts = shared ? ragged_detail::kRowParts * detail::most_threads() : 1;
    ragged_detail::RowPart* const cut = ragged_detail::cut_rows(rows, steps, parts, offset);
    Caught caught;
    #pragma omp parallel if (shared)
    {
        #pragma omp for schedule(dynamic, 1)
        for (index_t part = 0; part < parts; ++part) {
            try {
                for (index_t row = cut[part].begin; row < cut[part].end; ++row) {
                    body(row);
                }
            } catch (...) {
                caught.keep();
            }
        }
        finish_streaming();
    }
    caught.rethrow();
}

// The same for bodies that fold the members of their row: body(row, row_fold), where row_fold(count, combine, value) is
// `fold`, or `parallel_fold` where the row is so long that it would keep the other threads waiting. Meanwhile each
// prefetch(i, count) asks for what members from the i-th of all rows on are read from.
template <class Offset, class Body, class... Prefetch>
void ragged_folds(index_t rows, Offset offset, Body body, Prefetch... prefetch) {
    const index_t steps = rows <= 0 ? 0 : ragged_detail::ragged_steps(rows, offset);
    const bool shared = steps >= kParallelWork;
    const index_t parts = shared ? ragged_detail::kRowParts * detail::most_threads() : 1;
    ragged_detail::RowPart* const cut = ragged_detail::cut_rows(rows, steps, parts, offset);
    const auto prefetch_row = [=](index_t row) {
        return ragged_detail::prefetch_members(static_cast<index_t>(offset(row)), prefetch...);
    };
    Caught caught;
    #pragma omp parallel if (shared)
    {
        #pragma omp for schedule(dynamic, 1)
        for (index_t part = 0; part < parts; ++part) {
            ragged_detail::RowPart& own = cut[part];
            try {
                for (index_t row = own.begin; row < own.end; ++row) {
                    if (ragged_detail::is_long_row(row, offset)) {
                        own.first_long = least(own.first_long, row);
                        own.end_long = row + 1;
                    } else {
                        body(row, ragged_detail::OneThreadFold{prefetch_row(row)});
                    }
                }
            } catch (...) {
                caught.keep();
            }
        }
        finish_streaming();
    }
    caught.rethrow();
    for (index_t part = 0; part < parts; ++part) {
        for (index_t row = cut[part].first_long; row < cut[part].end_long; ++row) {
            if (ragged_detail::is_long_row(row, offset)) {
                body(row, ragged_detail::TeamFold{});
            }
        }
    }
    finish_streaming();
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
