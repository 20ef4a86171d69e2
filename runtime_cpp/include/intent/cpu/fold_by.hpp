// Reductions with an operation and an accumulator of the author's: any struct, any lambda.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/lanes.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/integer.hpp>

namespace intent {

// Partial results of a fold_by: four AVX2 registers a field of 32 bits, two members in flight each.
constexpr int kAccumulatorLanes = 16;

// Members of one block of parallel_fold_by; blocks do not depend on the number of threads.
constexpr index_t kFoldByBlock = 8192;

// combine over value(i), 0 <= i < count, in any order, and over `identity`, once; on this thread. value(i) is called
// once for each i. `combine` is associative and commutative as far as the author cares.
template <class T, class Combine, class Value>
T fold_by(index_t count, T identity, Combine combine, Value value) {
    constexpr int kCount = kAccumulatorLanes;
    if (count < kCount) {
        T result = identity;
        for (index_t i = 0; i < count; ++i) {
            result = combine(result, value(i));
        }
        return result;
    }
    Lanes<T, kCount> lanes;
    #pragma omp simd
    for (int lane = 0; lane < kCount; ++lane) {
        lanes.set(lane, value(lane));
    }
    const index_t last = count - kCount;
    index_t i = kCount;
    for (; i <= last; i += kCount) {
        #pragma omp simd
        for (int lane = 0; lane < kCount; ++lane) {
            lanes.set(lane, combine(lanes.get(lane), value(i + lane)));
        }
    }
    const int rest = static_cast<int>(count - i);
    for (int lane = 0; lane < rest; ++lane) {
        lanes.set(lane, combine(lanes.get(lane), value(i + lane)));
    }
    for (int step = kCount / 2; step > 0; step /= 2) {
        for (int lane = 0; lane < step; ++lane) {
            lanes.set(lane, combine(lanes.get(lane), lanes.get(lane + step)));
        }
    }
    return combine(identity, lanes.get(0));
}

namespace detail {

struct FoldByPartials;        // scratch of the calling thread, written by its team
struct FoldByColumnPartials;  // the same

// combine over value(first + i), 0 <= i < count, count > 0, without an identity.
template <class T, class Combine, class Value>
T fold_members(index_t first, index_t count, Combine combine, Value value) {
    const T start = value(first);
    return fold_by(count - 1, start, combine, [=](index_t i) { return T(value(first + 1 + i)); });
}

}  // namespace detail

// The same on all threads. The result does not depend on their number: blocks of kFoldByBlock members are folded, then
// their results in block order.
template <class T, class Combine, class Value>
T parallel_fold_by(index_t count, T identity, Combine combine, Value value) {
    if (count <= kFoldByBlock) {
        return fold_by(count, identity, combine, value);
    }
    const index_t blocks = ceil_div(count, kFoldByBlock);
    T* const partials = thread_scratch<T, detail::FoldByPartials>(blocks);
    #pragma omp parallel for schedule(static) if (count >= kParallelWork)
    for (index_t block = 0; block < blocks; ++block) {
        const index_t begin = block * kFoldByBlock;
        partials[block] = detail::fold_members<T>(begin, least(kFoldByBlock, count - begin), combine, value);
    }
    return fold_by(blocks, identity, combine, [=](index_t block) { return partials[block]; });
}

namespace detail {

// store(column, r) with r = combine over value(row, column), 0 <= row < rows, rows > 0, for 0 <= column < columns;
// vectorised over the columns.
template <class T, class Combine, class Value, class Store>
void fold_column_members(index_t rows, index_t columns, Combine combine, Value value, Store store) {
    constexpr int kRun = 64;  // accumulators that stay in L1 while the rows pass by
    for (index_t begin = 0; begin < columns; begin += kRun) {
        const int size = static_cast<int>(least(kRun, columns - begin));
        Lanes<T, kRun> lanes;
        #pragma omp simd
        for (int lane = 0; lane < size; ++lane) {
            lanes.set(lane, value(0, begin + lane));
        }
        for (index_t row = 1; row < rows; ++row) {
            #pragma omp simd
            for (int lane = 0; lane < size; ++lane) {
                lanes.set(lane, combine(lanes.get(lane), value(row, begin + lane)));
            }
        }
        for (int lane = 0; lane < size; ++lane) {
            store(begin + lane, lanes.get(lane));
        }
    }
}

}  // namespace detail

// store(column, r) with r = combine over value(row, column), 0 <= row < rows, in any order, and over `identity`, once,
// for 0 <= column < columns. On this thread.
template <class T, class Combine, class Value, class Store>
void fold_columns_by(index_t rows, index_t columns, T identity, Combine combine, Value value, Store store) {
    if (rows <= 0) {
        for (index_t column = 0; column < columns; ++column) {
            store(column, identity);
        }
        return;
    }
    detail::fold_column_members<T>(rows, columns, combine, value, [=](index_t column, const T& members) {
        store(column, combine(identity, members));
    });
}

// The same on all threads. The results do not depend on their number.
template <class T, class Combine, class Value, class Store>
void parallel_fold_columns_by(index_t rows, index_t columns, T identity, Combine combine, Value value, Store store) {
    constexpr index_t kManyColumns = 2048;            // from here on runs of columns are work enough for every thread
    constexpr index_t kBlockWork = index_t{1} << 16;  // members of one block of rows
    constexpr index_t kRun = 256;
    const index_t block_rows = ceil_div(kBlockWork, most(1, columns));
    const index_t blocks = ceil_div(rows, block_rows);
    if (columns >= kManyColumns || blocks <= 1) {
        #pragma omp parallel for schedule(static) if (rows * columns >= kParallelWork)
        for (index_t begin = 0; begin < columns; begin += kRun) {
            fold_columns_by(
                rows, least(kRun, columns - begin), identity, combine,
                [=](index_t row, index_t column) { return value(row, begin + column); },
                [=](index_t column, const T& result) { store(begin + column, result); });
        }
        return;
    }
    T* const partials = thread_scratch<T, detail::FoldByColumnPartials>(blocks * columns);
    #pragma omp parallel for schedule(static) if (rows * columns >= kParallelWork)
    for (index_t block = 0; block < blocks; ++block) {
        const index_t begin = block * block_rows;
        detail::fold_column_members<T>(
            least(block_rows, rows - begin), columns, combine,
            [=](index_t row, index_t column) { return value(begin + row, column); },
            [=](index_t column, const T& members) { partials[block * columns + column] = members; });
    }
    fold_columns_by(
        blocks, columns, identity, combine,
        [=](index_t block, index_t column) { return partials[block * columns + column]; }, store);
}

}  // namespace intent
