// The blocked matrix product: packed panels, a register-blocked micro-kernel, blocks that stay in the caches.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/operand.hpp>
#include <intent/cpu/pack.hpp>
#include <intent/cpu/panel.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/integer.hpp>

#include <type_traits>

namespace intent {

namespace detail {

struct MatmulPanelsA;  // scratch of the calling thread, read by its team
struct MatmulPanelsB;
struct MatmulSums;

// Panels of a in one task: the packed block (about 400 KiB) stays in L2 while the panels of b pass by.
constexpr index_t kTaskRowPanels = 40;
// Panels of b in one task; more would leave too few tasks to share out.
constexpr index_t kTaskColumnPanels = 16;
// Rows and columns whose packed panels exist at a time: they stay in L3.
constexpr index_t kBlockRows = 6720;
constexpr index_t kBlockColumns = 4096;

// A block of sums: `stride` elements from row to row.
template <class Acc>
struct Sums {
    Acc* data;
    index_t stride;
};

// c(m, n) = epilogue(m, n, sum) for a tile of finished sums.
template <class Acc, class C, class Epilogue>
void store_tile(const Acc* sums, index_t stride, index_t m0, index_t n0, index_t rows, index_t columns, const Matrix<C>& c,
                const Epilogue& epilogue) {
    for (index_t i = 0; i < rows; ++i) {
        const Acc* const row = sums + i * stride;
        C* const c_row = c.data + (m0 + i) * c.row_stride + n0 * c.column_stride;
        if (c.column_stride == 1) {
            #pragma omp simd
            for (index_t j = 0; j < columns; ++j) {
                c_row[j] = static_cast<C>(epilogue(m0 + i, n0 + j, row[j]));
            }
        } else {
            for (index_t j = 0; j < columns; ++j) {
                c_row[j * c.column_stride] = static_cast<C>(epilogue(m0 + i, n0 + j, row[j]));
            }
        }
    }
}

// sums[rows, columns] (+)= tile.
template <class Acc>
void add_tile(const Acc* tile, Acc* sums, index_t stride, index_t rows, index_t columns, bool accumulate) noexcept {
    for (index_t i = 0; i < rows; ++i) {
        #pragma omp simd
        for (index_t j = 0; j < columns; ++j) {
            const Acc sum = tile[i * Panel<Acc>::kColumns + j];
            sums[i * stride + j] = accumulate ? static_cast<Acc>(sums[i * stride + j] + sum) : sum;
        }
    }
}

// One product of packed blocks and where it goes. Sums over all of k are complete when `last` is set.
template <class Acc>
struct Step {
    const Acc* a_panels;  // rows m0 ..
    const Acc* b_panels;  // columns n0 ..
    index_t depth;
    index_t m0, n0;
    index_t rows, columns;
    Sums<Acc> sums;  // element (m0, n0) of what the steps before have added up, or of c itself
    bool first, last, direct;
};

// The tiles of row panels [row_begin, row_end) and column panels [column_begin, column_end).
template <class Acc, class C, class Epilogue>
void multiply_task(const Step<Acc>& step, index_t row_begin, index_t row_end, index_t column_begin, index_t column_end,
                   const Matrix<C>& c, const Epilogue& epilogue) {
    constexpr index_t kRows = Panel<Acc>::kRows;
    constexpr index_t kColumns = Panel<Acc>::kColumns;
    alignas(64) Acc tile[kRows * kColumns];
    for (index_t jp = column_begin; jp < column_end; ++jp) {
        const Acc* const b_panel = step.b_panels + jp * kColumns * step.depth;
        const index_t columns = least(kColumns, step.columns - jp * kColumns);
        for (index_t ip = row_begin; ip < row_end; ++ip) {
            const Acc* const a_panel = step.a_panels + ip * kRows * step.depth;
            const index_t rows = least(kRows, step.rows - ip * kRows);
            const bool whole = rows == kRows && columns == kColumns;
            Acc* const sums = step.sums.data + ip * kRows * step.sums.stride + jp * kColumns;
            if (step.direct || !(step.first && step.last)) {
                if (whole) {
                    multiply_panels(a_panel, b_panel, step.depth, sums, step.sums.stride, !step.first);
                } else {
                    multiply_panels<Acc>(a_panel, b_panel, step.depth, tile, kColumns, false);
                    add_tile<Acc>(tile, sums, step.sums.stride, rows, columns, !step.first);
                }
                if (step.last && !step.direct) {
                    store_tile<Acc>(sums, step.sums.stride, step.m0 + ip * kRows, step.n0 + jp * kColumns, rows, columns, c, epilogue);
                }
            } else {
                multiply_panels<Acc>(a_panel, b_panel, step.depth, tile, kColumns, false);
                store_tile<Acc>(tile, kColumns, step.m0 + ip * kRows, step.n0 + jp * kColumns, rows, columns, c, epilogue);
            }
        }
    }
}

}  // namespace detail

// c(m, n) = epilogue(m, n, sum over k of a(m, k) * b(k, n)) for K > 0, on all threads.
template <class Acc, class A, class B, class C, class Epilogue>
void matmul_blocked(index_t M, index_t N, index_t K, const A& a, const B& b, const Matrix<C>& c, const Epilogue& epilogue) {
    constexpr index_t kRows = Panel<Acc>::kRows;
    constexpr index_t kColumns = Panel<Acc>::kColumns;
    constexpr index_t kDepth = Panel<Acc>::kDepth;
    constexpr bool kPlain = std::is_same_v<Acc, C> && std::is_same_v<Epilogue, StoreSum>;
    const bool direct = kPlain && c.column_stride == 1;
    const bool parallel = M * N * K >= kParallelWork;

    const index_t block_rows = least(M, detail::kBlockRows);
    const index_t block_columns = least(N, detail::kBlockColumns);
    const index_t padded_columns = ceil_div(block_columns, kColumns) * kColumns;
    const index_t depth_limit = least(K, kDepth);
    Acc* const a_panels = thread_scratch<Acc, detail::MatmulPanelsA>(ceil_div(block_rows, kRows) * kRows * depth_limit);
    Acc* const b_panels = thread_scratch<Acc, detail::MatmulPanelsB>(padded_columns * depth_limit);
    Acc* const partial = direct || K <= kDepth ? nullptr : thread_scratch<Acc, detail::MatmulSums>(block_rows * padded_columns);

    #pragma omp parallel if (parallel)
    for (index_t n0 = 0; n0 < N; n0 += detail::kBlockColumns) {
        for (index_t m0 = 0; m0 < M; m0 += detail::kBlockRows) {
            for (index_t k0 = 0; k0 < K; k0 += kDepth) {
                const index_t rows = least(detail::kBlockRows, M - m0);
                const index_t columns = least(detail::kBlockColumns, N - n0);
                const index_t depth = least(kDepth, K - k0);
                const index_t row_panels = ceil_div(rows, kRows);
                const index_t column_panels = ceil_div(columns, kColumns);
                #pragma omp for schedule(static)
                for (index_t panel = 0; panel < row_panels + column_panels; ++panel) {
                    if (panel < row_panels) {
                        const index_t i = panel * kRows;
                        pack_rows<kRows>(a, m0 + i, rows - i, k0, depth, a_panels + i * depth);
                    } else {
                        const index_t j = (panel - row_panels) * kColumns;
                        pack_columns<kColumns>(b, n0 + j, columns - j, k0, depth, b_panels + j * depth);
                    }
                }
                // The barrier of the loop above: all panels are packed.
                detail::Step<Acc> step{a_panels, b_panels, depth, m0, n0, rows, columns, {partial, padded_columns},
                                       k0 == 0, k0 + depth == K, direct};
                if constexpr (kPlain) {
                    if (direct) {
                        step.sums = {c.data + m0 * c.row_stride + n0, c.row_stride};
                    }
                }
                const index_t row_tasks = ceil_div(row_panels, detail::kTaskRowPanels);
                const index_t column_tasks = ceil_div(column_panels, detail::kTaskColumnPanels);
                #pragma omp for schedule(dynamic)
                for (index_t task = 0; task < row_tasks * column_tasks; ++task) {
                    const index_t i = task / column_tasks;
                    const index_t j = task % column_tasks;
                    detail::multiply_task<Acc>(step, row_panels * i / row_tasks, row_panels * (i + 1) / row_tasks,
                                               column_panels * j / column_tasks, column_panels * (j + 1) / column_tasks, c, epilogue);
                }
                // The barrier of the loop above: the panels may be overwritten.
            }
        }
    }
}

}  // namespace intent
