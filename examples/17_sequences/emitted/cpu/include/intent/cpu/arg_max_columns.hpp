// The largest element of every column and where it stands, vectorised over the columns.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/fold.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/vector.hpp>
#include <intent/integer.hpp>
#include <intent/numeric.hpp>

#include <cstdint>
#include <type_traits>

namespace intent {

inline namespace INTENT_VECTOR_NAMESPACE {

namespace arg_max_detail {

struct ArgMaxValues;  // scratch of the calling thread, written by its team
struct ArgMaxPlaces;  // the same

// Whether a element takes the place of the best one above it: it is larger, or the first NaN.
template <class T>
inline bool exceeds(T element, T best) noexcept {
    if constexpr (std::is_integral_v<T>) {
        return element > best;
    } else {
        return static_cast<bool>(static_cast<int>(!(element <= best)) & static_cast<int>(!is_nan(best)));
    }
}

// Columns side by side: four vectors of values and as many of places hide how long a comparison and a choice take.
template <class T>
constexpr int kArgMaxLanes = 4 * kVectorBytes / (sizeof(T) <= 4 ? 4 : 8);

// Rows that a place of 32 bits can number.
constexpr index_t kArgMaxRows = index_t{1} << 30;

// The largest of value(row, column), begin <= row < end, for `width` columns: at most kWidth, whose results stay in
// registers when there are as many. `begin` is less than `end`, by kArgMaxRows at most.
template <int kWidth, class T, class Value>
void arg_max_lanes(index_t begin, index_t end, int width, Value value, T* best, index_t* place) {
    using Place = std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>;
    T values[kWidth];
    Place places[kWidth];
    #pragma omp simd
    for (int lane = 0; lane < width; ++lane) {
        values[lane] = value(begin, lane);
        places[lane] = 0;
    }
    for (index_t row = begin + 1; row < end; ++row) {
        const Place here = static_cast<Place>(row - begin);
        #pragma omp simd
        for (int lane = 0; lane < width; ++lane) {
            const T element = value(row, lane);
            const bool larger = exceeds(element, values[lane]);
            values[lane] = larger ? element : values[lane];
            places[lane] = larger ? here : places[lane];
        }
    }
    for (int lane = 0; lane < width; ++lane) {
        best[lane] = values[lane];
        place[lane] = begin + places[lane];
    }
}

}  // namespace arg_max_detail

// best[column] = the largest value(row, column), 0 <= row < rows, and place[column] the lowest row that holds it, for
// 0 <= column < columns; NaN counts as larger than everything. Without rows: lowest<T>() and the largest index. On this
// thread. `value` does not read the results.
template <class Value, class T>
void arg_max_columns(index_t rows, index_t columns, Value value, T* best, index_t* place) {
    constexpr int kWidth = arg_max_detail::kArgMaxLanes<T>;
    if (rows <= 0) {
        for (index_t column = 0; column < columns; ++column) {
            best[column] = lowest<T>();
            place[column] = highest<index_t>();
        }
        return;
    }
    for (index_t first = 0; first < columns; first += kWidth) {
        const auto lane_value = [=](index_t row, int lane) { return static_cast<T>(value(row, first + lane)); };
        const int width = static_cast<int>(least(kWidth, columns - first));
        for (index_t begin = 0; begin < rows; begin += arg_max_detail::kArgMaxRows) {
            const index_t end = least(rows, begin + arg_max_detail::kArgMaxRows);
            T values[kWidth];
            index_t places[kWidth];
            if (width == kWidth) {
                arg_max_detail::arg_max_lanes<kWidth>(begin, end, kWidth, lane_value, values, places);
            } else {
                arg_max_detail::arg_max_lanes<kWidth>(begin, end, width, lane_value, values, places);
            }
            for (int lane = 0; lane < width; ++lane) {
                if (begin == 0 || arg_max_detail::exceeds(values[lane], best[first + lane])) {
                    best[first + lane] = values[lane];
                    place[first + lane] = places[lane];
                }
            }
        }
    }
}

// The same on all threads.
template <class Value, class T>
void parallel_arg_max_columns(index_t rows, index_t columns, Value value, T* best, index_t* place) {
    const index_t block_rows = ceil_div(detail::kFoldColumnsBlock, most(1, columns));
    const index_t blocks = ceil_div(rows, block_rows);
    if (columns >= detail::kManyColumns || blocks <= 1) {
        constexpr index_t kRun = 1024;
        #pragma omp parallel for schedule(static) if (rows * columns >= kParallelWork)
        for (index_t begin = 0; begin < columns; begin += kRun) {
            arg_max_columns(
                rows, least(kRun, columns - begin),
                [=](index_t row, index_t column) { return value(row, begin + column); }, best + begin, place + begin);
        }
        return;
    }
    T* const values = thread_scratch<T, arg_max_detail::ArgMaxValues>(blocks * columns);
    index_t* const places = thread_scratch<index_t, arg_max_detail::ArgMaxPlaces>(blocks * columns);
    #pragma omp parallel for schedule(static) if (rows * columns >= kParallelWork)
    for (index_t block = 0; block < blocks; ++block) {
        const index_t begin = block * block_rows;
        arg_max_columns(
            least(block_rows, rows - begin), columns,
            [=](index_t row, index_t column) { return value(begin + row, column); }, values + block * columns,
            places + block * columns);
    }
    for (index_t column = 0; column < columns; ++column) {
        index_t winner = 0;
        for (index_t block = 1; block < blocks; ++block) {
            if (arg_max_detail::exceeds(values[block * columns + column], values[winner * columns + column])) {
                winner = block;
            }
        }
        best[column] = values[winner * columns + column];
        place[column] = winner * block_rows + places[winner * columns + column];
    }
}

}  // namespace INTENT_VECTOR_NAMESPACE

}  // namespace intent
