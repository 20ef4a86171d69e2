// The scans of scan.hpp into a line of a view: past the caches when it is large and dense, element by element when not.
#pragma once

#include <intent/cpu/scan.hpp>
#include <intent/line.hpp>

namespace intent {

// out[i] = prefix for each position 0 <= i < count of the line of members value(i), as scan_row gives it. On this
// thread. With `stream` a dense line goes past the caches, and the caller ends with finish_streaming().
template <ScanKind kKind, class T, bool kDense, class Combine, class Value>
void scan_row(Line<T, kDense> out, index_t count, bool stream, T identity, Combine combine, Value value) {
    if constexpr (kDense) {
        if (stream) {
            scan_row<kKind>(count, identity, combine, value, Streamed<T>{out.data});
            return;
        }
    }
    scan_row<kKind>(count, identity, combine, value, [=](index_t i, T prefix) { out[i] = prefix; });
}

// The same on all threads.
template <ScanKind kKind, class T, bool kDense, class Combine, class Value>
void parallel_scan(Line<T, kDense> out, index_t count, bool stream, T identity, Combine combine, Value value) {
    if constexpr (kDense) {
        if (stream) {
            parallel_scan<kKind>(count, identity, combine, value, Streamed<T>{out.data});
            return;
        }
    }
    parallel_scan<kKind>(count, identity, combine, value, [=](index_t i, T prefix) { out[i] = prefix; });
}

}  // namespace intent
