// Reductions with several independent lanes: what -ffast-math would do, without its licence.
#pragma once

#include <intent/combine.hpp>
#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/vector.hpp>
#include <intent/line.hpp>

#include <type_traits>
#include <utility>

namespace intent {

// Partial results that fill one AVX-512 register, or two of AVX2.
template <class T>
constexpr int kRegisterLanes = sizeof(T) <= 4 ? 16 : 8;
inline namespace INTENT_VECTOR_NAMESPACE {
// Partial results of a fold: four registers hide the latency of one addition and leave room for the members.
template <class T>
constexpr int kLanes = (kVectorBytes == 64 ? 4 : 2) * kRegisterLanes<T>;
}  // namespace INTENT_VECTOR_NAMESPACE

// Elements of one block of parallel_fold; blocks do not depend on the number of threads.
constexpr index_t kFoldBlock = 16384;

// What a fold may fetch into L2 while it computes members i to i + count: nothing, the same range of another row (when
// a row takes long, its successor comes for free), or what lies some steps ahead in its own line (when short rows lie
// there one after the other).
struct NoPrefetch {
    void operator()(index_t, index_t) const noexcept {}
};
template <class T>
struct PrefetchRow {
    const T* row;
    void operator()(index_t i, index_t count) const noexcept {
        constexpr index_t kLine = 64 / static_cast<index_t>(sizeof(T));
        for (index_t member = 0; member < count; member += kLine) {
            __builtin_prefetch(row + i + member, 0, 2);
        }
    }
};
template <class T>
PrefetchRow(const T*) -> PrefetchRow<T>;
template <class T, bool kDense>
struct PrefetchAhead {
    Line<T, kDense> line;
    void operator()(index_t i, index_t count) const noexcept {
        if constexpr (kDense) {
            constexpr std::uintptr_t kBytesAhead = 4096;
            // As a number: it may lie beyond the end of the line, where no pointer into it may point.
            const std::uintptr_t ahead = reinterpret_cast<std::uintptr_t>(line.data) + kBytesAhead;
            PrefetchRow<T>{reinterpret_cast<const T*>(ahead)}(i, count);  // NOLINT(performance-no-int-to-ptr)
        }
    }
};
template <class T, bool kDense>
PrefetchAhead(Line<T, kDense>) -> PrefetchAhead<T, kDense>;

template <class Value>
using FoldType = std::decay_t<decltype(std::declval<Value&>()(index_t{0}))>;

namespace detail {

// The partial results of a fold.
template <class T, int kCount>
struct FoldLanes {
    T of[kCount];

    T get(int lane) const noexcept { return of[lane]; }
    void set(int lane, T value) noexcept { of[lane] = value; }
};

// combine over the lanes: the upper half into the lower one until kLeft are left.
template <int kLeft, class T, int kCount, class Combine>
inline FoldLanes<T, kLeft> joined(const FoldLanes<T, kCount>& lanes, Combine combine) {
    if constexpr (kCount == kLeft) {
        return lanes;
    } else {
        constexpr int kHalf = kCount / 2;
        FoldLanes<T, kHalf> half;
        #pragma omp simd
        for (int lane = 0; lane < kHalf; ++lane) {
            half.set(lane, combine(lanes.get(lane), lanes.get(lane + kHalf)));
        }
        return joined<kLeft>(half, combine);
    }
}

}  // namespace detail

// GCC leaves in the lanes of an AVX-512 vector that a mask keeps from memory whatever the rounds before left there, and
// arithmetic on denormal numbers takes longer than a short row. A function that is no part of a loop begins with zeros.
#if defined(__AVX512F__) && !defined(__clang__)
#define INTENT_FOLD [[gnu::noinline]] INTENT_INLINE_CALLS
#else
#define INTENT_FOLD INTENT_INLINE_CALLS
#endif

// combine over value(i), 0 <= i < count, reassociated into kLanes<T> partial results; the identity when count is 0. On
// this thread. value(i) is called once for each i, in any order, and may store element i of some array.
//
// No lane is filled with the identity and then read again as part of a vector: a processor waits long for a vector
// that was stored in pieces, and rows may be short.
template <class Combine, class Value, class Prefetch = NoPrefetch>
INTENT_FOLD inline FoldType<Value> fold(index_t count, Combine combine, Value value, Prefetch prefetch = {}) {
    using T = FoldType<Value>;
    constexpr int kWide = kLanes<T>;
    constexpr int kFew = kRegisterLanes<T>;
    const T nothing = Combine::template identity<T>();
    const int rest = static_cast<int>(count % kFew);
    detail::FoldLanes<T, kFew> lanes;
    index_t i = 0;
    if (rest == 0 && count >= kFew) {
        #pragma omp simd
        for (int lane = 0; lane < kFew; ++lane) {
            lanes.set(lane, combine(nothing, value(lane)));
        }
        i = kFew;
    } else {
        // The last members come first, one vector under a mask.
#if !defined(__clang__)  // which warns where `value` holds a loop: it does not put one under a mask
        #pragma omp simd
#endif
        for (int lane = 0; lane < kFew; ++lane) {
            lanes.set(lane, lane < rest ? combine(nothing, value(count - rest + lane)) : nothing);
        }
    }
    if (count - i >= kWide) {
        detail::FoldLanes<T, kWide> wide;
        prefetch(i, kWide);
        #pragma omp simd
        for (int lane = 0; lane < kWide; ++lane) {
            wide.set(lane, combine(nothing, value(i + lane)));
        }
        for (i += kWide; i + kWide <= count; i += kWide) {
            prefetch(i, kWide);
            #pragma omp simd
            for (int lane = 0; lane < kWide; ++lane) {
                wide.set(lane, combine(wide.get(lane), value(i + lane)));
            }
        }
        const detail::FoldLanes<T, kFew> few = detail::joined<kFew>(wide, combine);
        #pragma omp simd
        for (int lane = 0; lane < kFew; ++lane) {
            lanes.set(lane, combine(lanes.get(lane), few.get(lane)));
        }
    }
    // Counted, since GCC warns of members behind a short array where i is compared with its end.
    for (index_t groups = (count - i) / kFew; groups > 0; --groups, i += kFew) {
        #pragma omp simd
        for (int lane = 0; lane < kFew; ++lane) {
            lanes.set(lane, combine(lanes.get(lane), value(i + lane)));
        }
    }
    return detail::joined<1>(lanes, combine).get(0);
}

namespace detail {

// Of fewer members, what a fold costs itself counts, and not how they come.
template <class T>
constexpr index_t kShortRow = 8 * kRegisterLanes<T>;

// `fold` of 0 <= count < kShortRow<T> members into kFew partial results. The first ones, which need not be so many,
// come under a mask: that leaves one loop, whose end is all that a processor has to guess.
template <int kFew, class Combine, class Value, class Prefetch>
INTENT_FOLD inline FoldType<Value> fold_short(index_t count, Combine combine, Value value, Prefetch prefetch) {
    using T = FoldType<Value>;
    const T nothing = Combine::template identity<T>();
    const int first = count > 0 ? static_cast<int>((count - 1) % kFew) + 1 : 0;
    FoldLanes<T, kFew> lanes;
    prefetch(0, kFew);
#if !defined(__clang__)  // which warns where `value` holds a loop: it does not put one under a mask
    #pragma omp simd
#endif
    for (int lane = 0; lane < kFew; ++lane) {
        lanes.set(lane, lane < first ? combine(nothing, value(lane)) : nothing);
    }
    for (index_t i = first; i < count; i += kFew) {
        prefetch(i, kFew);
        #pragma omp simd
        for (int lane = 0; lane < kFew; ++lane) {
            lanes.set(lane, combine(lanes.get(lane), value(i + lane)));
        }
    }
    return joined<1>(lanes, combine).get(0);
}

struct FoldPartials;        // scratch of the calling thread, written by its team
struct FoldColumnPartials;  // the same

// Columns from which on runs of columns are work enough for every thread; fewer are split into blocks of rows.
constexpr index_t kManyColumns = 8192;
// Elements of one such block.
constexpr index_t kFoldColumnsBlock = index_t{1} << 18;

// `fold` of kCount members that come from memory: as four streams, since a processor fetches a few lines ahead of each
// and stops at the end of a page.
template <index_t kCount, class Combine, class Value>
INTENT_FOLD inline FoldType<Value> fold_streams(Combine combine, Value value) {
    using T = FoldType<Value>;
    constexpr int kFew = kRegisterLanes<T>;
    constexpr index_t kStream = kCount / 4;
    static_assert(kStream % kFew == 0, "a stream has no rest");
    const T nothing = Combine::template identity<T>();
    FoldLanes<T, kFew> first;
    FoldLanes<T, kFew> second;
    FoldLanes<T, kFew> third;
    FoldLanes<T, kFew> fourth;
    #pragma omp simd
    for (int lane = 0; lane < kFew; ++lane) {
        first.set(lane, combine(nothing, value(lane)));
        second.set(lane, combine(nothing, value(kStream + lane)));
        third.set(lane, combine(nothing, value(2 * kStream + lane)));
        fourth.set(lane, combine(nothing, value(3 * kStream + lane)));
    }
    for (index_t i = kFew; i < kStream; i += kFew) {
        #pragma omp simd
        for (int lane = 0; lane < kFew; ++lane) {
            first.set(lane, combine(first.get(lane), value(i + lane)));
            second.set(lane, combine(second.get(lane), value(kStream + i + lane)));
            third.set(lane, combine(third.get(lane), value(2 * kStream + i + lane)));
            fourth.set(lane, combine(fourth.get(lane), value(3 * kStream + i + lane)));
        }
    }
    #pragma omp simd
    for (int lane = 0; lane < kFew; ++lane) {
        const T front = combine(first.get(lane), second.get(lane));
        first.set(lane, combine(front, combine(third.get(lane), fourth.get(lane))));
    }
    return joined<1>(first, combine).get(0);
}

}  // namespace detail

#undef INTENT_FOLD

// combine over value(i), 0 <= i < count, on all threads. The result does not depend on their number: blocks of
// kFoldBlock elements are folded, then their results in block order.
template <class Combine, class Value>
FoldType<Value> parallel_fold(index_t count, Combine combine, Value value) {
    using T = FoldType<Value>;
    const index_t blocks = ceil_div(count, kFoldBlock);
    using Partial = detail::FoldLanes<T, 1>;  // Clang vectorises no loads of whole pairs
    Partial* const partials = thread_scratch<Partial, detail::FoldPartials>(blocks);
    #pragma omp parallel for schedule(static) if (count >= kParallelWork)
    for (index_t block = 0; block < blocks; ++block) {
        const index_t begin = block * kFoldBlock;
        const auto member = [=](index_t i) { return value(begin + i); };
        const T folded = count - begin >= kFoldBlock ? detail::fold_streams<kFoldBlock>(combine, member)
                                                     : fold(count - begin, combine, member);
        partials[block].set(0, folded);
    }
    return fold(blocks, combine, [=](index_t block) { return partials[block].get(0); });
}

// What fold_columns asks for ahead of the rows that it reads, unless it is told (rows_ahead.hpp).
struct NoRowsAhead {
    constexpr index_t distance(index_t) const noexcept { return 0; }
    void ask(index_t, index_t, index_t) const noexcept {}
};

// result[column] = combine over value(row, column), 0 <= row < rows, for 0 <= column < columns, reassociated;
// vectorised over the columns. On this thread. `value` does not read `result`. Before a row is read, `ahead` asks
// for what later ones are read from.
template <class Combine, class Value, class T, class Ahead = NoRowsAhead>
void fold_columns(index_t rows, index_t columns, Combine combine, Value value, T* result, Ahead ahead = {}) {
    constexpr index_t kRun = 4096 / static_cast<index_t>(sizeof(T));  // results that stay in L1 while the rows pass by
    for (index_t begin = 0; begin < columns; begin += kRun) {
        const index_t end = least(columns, begin + kRun);
        const index_t distance = ahead.distance(end - begin);
        #pragma omp simd
        for (index_t column = begin; column < end; ++column) {
            result[column] = Combine::template identity<T>();
        }
        index_t row = 0;
        for (; row + 4 <= rows; row += 4) {
            for (index_t next = row; distance > 0 && next < row + 4; ++next) {
                ahead.ask(next + distance, begin, end);
            }
            #pragma omp simd
            for (index_t column = begin; column < end; ++column) {
                const T upper = combine(static_cast<T>(value(row, column)), static_cast<T>(value(row + 1, column)));
                const T lower = combine(static_cast<T>(value(row + 2, column)), static_cast<T>(value(row + 3, column)));
                result[column] = combine(result[column], combine(upper, lower));
            }
        }
        for (; row < rows; ++row) {
            if (distance > 0) {
                ahead.ask(row + distance, begin, end);
            }
            #pragma omp simd
            for (index_t column = begin; column < end; ++column) {
                result[column] = combine(result[column], static_cast<T>(value(row, column)));
            }
        }
    }
}

// The same on all threads. The result does not depend on their number.
template <class Combine, class Value, class T>
void parallel_fold_columns(index_t rows, index_t columns, Combine combine, Value value, T* result) {
    const index_t block_rows = ceil_div(detail::kFoldColumnsBlock, most(1, columns));
    const index_t blocks = ceil_div(rows, block_rows);
    if (columns >= detail::kManyColumns || blocks <= 1) {
        constexpr index_t kRun = 1024;
        #pragma omp parallel for schedule(static) if (rows * columns >= kParallelWork)
        for (index_t begin = 0; begin < columns; begin += kRun) {
            fold_columns(
                rows, least(kRun, columns - begin), combine,
                [=](index_t row, index_t column) { return value(row, begin + column); }, result + begin);
        }
        return;
    }
    T* const partials = thread_scratch<T, detail::FoldColumnPartials>(blocks * columns);
    #pragma omp parallel for schedule(static) if (rows * columns >= kParallelWork)
    for (index_t block = 0; block < blocks; ++block) {
        const index_t begin = block * block_rows;
        fold_columns(
            least(block_rows, rows - begin), columns, combine,
            [=](index_t row, index_t column) { return value(begin + row, column); }, partials + block * columns);
    }
    fold_columns(
        blocks, columns, combine, [=](index_t block, index_t column) { return partials[block * columns + column]; },
        result);
}

// A value and where it was found.
template <class T>
struct Indexed {
    T value;
    index_t index;
};

namespace detail {

// The lowest i with holds(value(i)), begin <= i < end; there is one.
template <class Value, class Holds>
index_t first_place(index_t begin, index_t end, Value value, Holds holds) {
    constexpr index_t kStretch = 128;
    index_t i = begin;
    for (; i + kStretch <= end; i += kStretch) {
        int found = 0;
        #pragma omp simd reduction(| : found)
        for (index_t k = 0; k < kStretch; ++k) {
            found |= holds(value(i + k)) ? 1 : 0;
        }
        if (found != 0) {
            break;
        }
    }
    while (!holds(value(i))) {
        ++i;
    }
    return i;
}

}  // namespace detail

// The largest value(i) and its lowest index; NaN counts as larger than everything, and the lowest NaN is reported.
// Nothing folded: {lowest<T>(), largest index}. On this thread. `value` is pure: it may be called twice for an i.
template <class Value>
Indexed<FoldType<Value>> arg_max(index_t count, Value value) {
    using T = FoldType<Value>;
    constexpr index_t kBlock = 8192;
    if (count <= 0) {
        return {lowest<T>(), highest<index_t>()};
    }
    // The first pass is only about values: which block holds the largest. The place is looked for in that block.
    T best = lowest<T>();
    index_t best_begin = 0;
    for (index_t begin = 0; begin < count && !is_nan(best); begin += kBlock) {
        const auto member = [=](index_t i) { return value(begin + i); };
        const T peak = count - begin >= kBlock ? detail::fold_streams<kBlock>(Maximum{}, member)
                                               : fold(count - begin, Maximum{}, member);
        if (begin == 0 || peak > best || is_nan(peak)) {
            best = peak;
            best_begin = begin;
        }
    }
    const index_t end = least(count, best_begin + kBlock);
    const index_t place =
        is_nan(best) ? detail::first_place(best_begin, end, value, [](T member) { return is_nan(member); })
                     : detail::first_place(best_begin, end, value, [=](T member) { return member == best; });
    return {best, place};
}

}  // namespace intent
