// A reduction over several axes on all threads: rows are folded one by one, then their results.
#pragma once

#include <intent/cpu/caught.hpp>
#include <intent/cpu/fold.hpp>

namespace intent {

// combine over row_fold(row), 0 <= row < rows, on all threads; a row takes about `row_work` operations. The result does
// not depend on the number of threads: blocks of rows of about kFoldBlock operations, then their results in block order.
template <class Combine, class RowFold>
FoldType<RowFold> parallel_fold_rows(index_t rows, index_t row_work, Combine combine, RowFold row_fold) {
    using T = FoldType<RowFold>;
    const index_t block_rows = ceil_div(kFoldBlock, most(1, row_work));
    const index_t blocks = ceil_div(most(0, rows), block_rows);
    T* const partials = thread_scratch<T, detail::FoldPartials>(blocks);
    Caught caught;
    #pragma omp parallel for schedule(static) if (rows * row_work >= kParallelWork)
    for (index_t block = 0; block < blocks; ++block) {
        const index_t begin = block * block_rows;
        try {
            T partial = Combine::template identity<T>();
            for (index_t row = begin; row < least(begin + block_rows, rows); ++row) {
                partial = combine(partial, row_fold(row));
            }
            partials[block] = partial;
        } catch (...) {
            caught.keep();
        }
    }
    caught.rethrow();
    return fold(blocks, combine, [=](index_t block) { return partials[block]; });
}

}  // namespace intent
