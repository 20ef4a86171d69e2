// The blocked matrix product: packed panels, a register-blocked micro-kernel, blocks that stay in the caches.
#pragma once

#include <intent/combine.hpp>
#include <intent/config.hpp>
#include <intent/cpu/in_place.hpp>
#include <intent/cpu/operand.hpp>
#include <intent/cpu/pack.hpp>
#include <intent/cpu/panel.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/scratch.hpp>
#include <intent/cpu/team.hpp>
#include <intent/cpu/vector.hpp>
#include <intent/integer.hpp>

#include <cstring>
#include <type_traits>

namespace intent {
inline namespace INTENT_VECTOR_NAMESPACE {

namespace matmul_detail {

struct MatmulPanelsA;  // scratch of each thread: the packed block of a that it works on
struct MatmulPanelsB;  // scratch of the calling thread, read by its team
struct MatmulSums;     // the same

// k per block. Deep blocks read and write c less often; a panel of b should be near L1 (32 KiB with 32-byte vectors,
// 80 KiB with 64-byte ones, whose machines read L2 fast enough).
constexpr index_t kBlockDepth = kVectorBytes == 64 ? 640 : 512;
// Bytes of the packed block of a, which stays in L2 while all panels of b pass by.
constexpr index_t kBlockBytesA = index_t{kVectorBytes == 64 ? 1024 : 256} << 10;
// Columns per block: the packed block of b (6 to 10 MiB in f32) stays in L3.
constexpr index_t kBlockColumns = 4096;
// Below this many products one thread is done before a team has met; a region of one thread costs as much as a small
// product, so there is none.
constexpr index_t kTeamProducts = index_t{1} << 20;
// Rows per block when the sums of several blocks of k are kept apart from c; without that all rows are one block.
constexpr index_t kBlockRows = 6720;

// Panels of a in a block, at most.
template <class Packed>
constexpr index_t kPanelsPerBlock =
    most(1, kBlockBytesA / (Panel<Packed>::kRows * kBlockDepth * static_cast<index_t>(sizeof(Packed))));

// A block of sums: `stride` elements from row to row.
template <class Acc>
struct Sums {
    Acc* data;
    index_t stride;
};

// c(m, n) = epilogue(m, n, sum) for a tile of finished sums.
template <class Acc, class C, class Epilogue>
void store_tile(const Acc* sums, index_t stride, index_t m0, index_t n0, index_t rows, index_t columns,
                const Matrix<C>& c, const Epilogue& epilogue) {
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

// sums[rows, columns] (+)= tile, whose rows are kColumns apart.
template <index_t kColumns, class Acc>
void add_tile(const Acc* tile, Acc* sums, index_t stride, index_t rows, index_t columns, bool accumulate) noexcept {
    for (index_t i = 0; i < rows; ++i) {
        #pragma omp simd
        for (index_t j = 0; j < columns; ++j) {
            const Acc sum = tile[i * kColumns + j];
            sums[i * stride + j] = accumulate ? Add{}(sums[i * stride + j], sum) : sum;
        }
    }
}

// One block of k: its panels of b, and where the products with them go. Sums over all of k are complete when `last` is
// set.
template <class Acc, class Packed>
struct Step {
    ColumnPanels<Packed> b;  // columns n0 ..
    index_t m0, n0, k0;
    index_t rows, columns, depth;
    Sums<Acc> sums;  // from element (m0, n0) on: what the steps before have added up, or c itself when `direct`
    bool first, last, direct;
};

// Panels [begin, end) of the rows or columns of a step.
struct PanelRange {
    index_t begin;
    index_t end;
};

// Asks for a panel in `parts` parts, one at a time, while others are multiplied.
template <class Packed>
class PanelPrefetch {
public:
    PanelPrefetch(index_t count, index_t parts) noexcept
        : lines_(ceil_div(count, kLine)), share_(ceil_div(lines_, most(1, parts))) {}

    void operator()(const Packed* panel, index_t part) const noexcept {
        for (index_t line = part * share_; line < least((part + 1) * share_, lines_); ++line) {
            __builtin_prefetch(panel + line * kLine);
        }
    }

private:
    static constexpr index_t kLine = 64 / static_cast<index_t>(sizeof(Packed));
    index_t lines_;
    index_t share_;  // divided once: a division takes as long as several steps of a kernel
};

// The rows of the least kernel that multiplies so many at once: a panel of them at most.
template <class Acc, class Packed>
constexpr index_t kernel_rows(index_t rows) noexcept {
    if (!std::is_same_v<Packed, Acc> || rows > kHalfRows<Packed>) {
        return Panel<Packed>::kRows;
    }
    return rows > kThirdRows<Packed> ? kHalfRows<Packed> : kThirdRows<Packed>;
}

// target[kRows, kColumns] (+)= kRows rows of a, from row `i` of the step on, times a panel of b. Rows that are not in
// place are those of `a_panel`, which is packed.
template <int kRows, class Acc, class Packed>
void multiply_rows_of(const Step<Acc, Packed>& step, index_t i, const Packed* a_panel,
                      const RowsInPlace<Packed>& in_place, const Packed* b_panel, Acc* target, index_t stride,
                      bool accumulate) {
    if (i + kRows > in_place.end) {
        multiply_steps<kRows>(a_panel, Panel<Packed>::kRows, b_panel, step.b.step, step.depth, target, stride,
                              accumulate);
    } else if (in_place.step == 1) {
        multiply_rows<kRows>(in_place.row(i), in_place.row_stride, b_panel, step.b.step, step.depth, target, stride,
                             accumulate);
    } else {
        multiply_steps<kRows>(in_place.row(i), in_place.step, b_panel, step.b.step, step.depth, target, stride,
                              accumulate);
    }
}

// The same for the kernel_rows that begin at `i`.
template <class Acc, class Packed>
void multiply_tile(const Step<Acc, Packed>& step, index_t i, const Packed* a_panel,
                   const RowsInPlace<Packed>& in_place, const Packed* b_panel, Acc* target, index_t stride,
                   bool accumulate) {
    if constexpr (std::is_same_v<Packed, Acc>) {
        const index_t rows = kernel_rows<Acc, Packed>(step.rows - i);
        if (rows == Panel<Packed>::kRows) {
            multiply_rows_of<Panel<Packed>::kRows>(step, i, a_panel, in_place, b_panel, target, stride, accumulate);
        } else if (rows == kHalfRows<Packed>) {
            multiply_rows_of<kHalfRows<Packed>>(step, i, a_panel, in_place, b_panel, target, stride, accumulate);
        } else {
            multiply_rows_of<kThirdRows<Packed>>(step, i, a_panel, in_place, b_panel, target, stride, accumulate);
        }
    } else {
        multiply_panels(a_panel, b_panel, step.depth, target, stride, accumulate);
    }
}

// The tile of sums from row `i` and column `j` of the step on, as far as the step has such rows and columns.
template <class Acc, class Packed, class C, class Epilogue>
void finish_tile(const Step<Acc, Packed>& step, index_t i, index_t j, const Packed* a_panel,
                 const RowsInPlace<Packed>& in_place, const Packed* b_panel, const Matrix<C>& c,
                 const Epilogue& epilogue) {
    constexpr index_t kRows = Panel<Packed>::kRows;
    constexpr index_t kColumns = Panel<Packed>::kColumns;
    const index_t rows = least(kRows, step.rows - i);
    const index_t columns = least(kColumns, step.columns - j);
    Acc* const sums = step.sums.data + i * step.sums.stride + j;
    alignas(64) Acc tile[kRows * kColumns];
    if (step.first && step.last && !step.direct) {
        multiply_tile(step, i, a_panel, in_place, b_panel, tile, kColumns, false);
        store_tile<Acc>(tile, kColumns, step.m0 + i, step.n0 + j, rows, columns, c, epilogue);
        return;
    }
    if (rows == kernel_rows<Acc, Packed>(rows) && columns == kColumns) {
        multiply_tile(step, i, a_panel, in_place, b_panel, sums, step.sums.stride, !step.first);
    } else {
        multiply_tile(step, i, a_panel, in_place, b_panel, tile, kColumns, false);
        add_tile<kColumns>(tile, sums, step.sums.stride, rows, columns, !step.first);
    }
    if (step.last && !step.direct) {
        store_tile<Acc>(sums, step.sums.stride, step.m0 + i, step.n0 + j, rows, columns, c, epilogue);
    }
}

// The tiles of these row and column panels; the first packed panel of a is that of row panel `row_panels.begin`.
template <class Acc, class Packed, class C, class Epilogue>
void multiply_block(const Step<Acc, Packed>& step, const Packed* a_panels, const RowsInPlace<Packed>& in_place,
                    PanelRange row_panels, PanelRange column_panels, const Matrix<C>& c, const Epilogue& epilogue) {
    constexpr index_t kRows = Panel<Packed>::kRows;
    constexpr index_t kColumns = Panel<Packed>::kColumns;
    constexpr index_t kTogether = Panel<Packed>::kTogether;
    const index_t count = row_panels.end - row_panels.begin;
    const PanelPrefetch<Packed> prefetch(kColumns * step.depth, count);
    for (index_t j0 = column_panels.begin; j0 < column_panels.end; j0 += kTogether) {
        for (index_t ip = 0; ip < count; ++ip) {
            const Packed* const a_panel = a_panels + ip * kRows * step.depth;
            for (index_t jp = j0; jp < least(j0 + kTogether, column_panels.end); ++jp) {
                const Packed* const b_panel = step.b.panel(jp);
                if (kTogether == 1 && kVectorBytes == 64 && step.b.step == kColumns) {
                    // The next panel. Where vectors are shorter, two of them do not fit into L1.
                    prefetch(b_panel + kColumns * step.depth, ip);
                }
                finish_tile(step, (row_panels.begin + ip) * kRows, jp * kColumns, a_panel, in_place, b_panel, c,
                            epilogue);
            }
        }
    }
}

// row[k] = a(i, k0 + k).
template <class Packed, class A>
void fill_computed(Packed* __restrict__ row, index_t depth, A a, index_t i, index_t k0) {
    #pragma omp simd
    for (index_t k = 0; k < depth; ++k) {
        row[k] = static_cast<Packed>(a(i, k0 + k));
    }
}

// Rows of an operand that is computed, row by row: their elements come side by side, as lanes do.
template <class Acc, class Packed, class A>
RowsInPlace<Packed> computed_rows(const Step<Acc, Packed>& step, PanelRange row_panels, const A& a, Packed* rows) {
    const index_t begin = row_panels.begin * Panel<Packed>::kRows;
    const index_t end = row_panels.end * Panel<Packed>::kRows;
    for (index_t i = begin; i < end; ++i) {
        Packed* const row = rows + (i - begin) * step.depth;
        if (i < step.rows) {
            fill_computed(row, step.depth, a, step.m0 + i, step.k0);
        } else {
            std::memset(row, 0, static_cast<std::size_t>(step.depth) * sizeof(Packed));
        }
    }
    return {rows, step.depth, 1, begin, end};
}

// A thread among those that work on one product.
struct Worker {
    index_t number;
    index_t team;

    PanelRange share(index_t count) const noexcept { return {count * number / team, count * (number + 1) / team}; }

    void wait_for_team() const noexcept {
        if (team > 1) {
            detail::team_barrier();
        }
    }
};

// A worker's share of one step, once all panels of b are packed: blocks of rows, and of columns when there are too few
// rows for the team. Each worker packs the rows that it multiplies, into its own `a_panels`.
template <class Acc, class Packed, class A, class C, class Epilogue>
void multiply_step(const Step<Acc, Packed>& step, Worker worker, Packed* a_panels, const A& a, const Matrix<C>& c,
                   const Epilogue& epilogue) {
    constexpr index_t kRows = Panel<Packed>::kRows;
    constexpr index_t kColumns = Panel<Packed>::kColumns;
    constexpr index_t kBlockPanels = kPanelsPerBlock<Packed>;
    const index_t row_panels = ceil_div(step.rows, kRows);
    const index_t column_panels = ceil_div(step.columns, kColumns);
    const index_t even_blocks = ceil_div(ceil_div(row_panels, kBlockPanels), worker.team) * worker.team;
    const index_t row_blocks = even_blocks * 2 <= row_panels ? even_blocks : ceil_div(row_panels, kBlockPanels);
    const index_t column_blocks = row_blocks % worker.team == 0 ? 1 : least(worker.team, column_panels);
    const PanelRange tasks = worker.share(row_blocks * column_blocks);
    RowsInPlace<Packed> in_place = rows_in_place<Acc, Packed>(a, step.m0, step.k0, step.rows, step.columns);
    index_t packed = -1;
    for (index_t task = tasks.begin; task < tasks.end; ++task) {
        const index_t row_block = task / column_blocks;
        const index_t column_block = task % column_blocks;
        const PanelRange rows{row_panels * row_block / row_blocks, row_panels * (row_block + 1) / row_blocks};
        const PanelRange columns{column_panels * column_block / column_blocks,
                                 column_panels * (column_block + 1) / column_blocks};
        if (packed != row_block) {
            if constexpr (!kInMemory<A> && std::is_same_v<Packed, Acc>) {
                if (few_columns<Packed>(step.columns) && spread_out<Packed>(step.depth)) {
                    in_place = computed_rows(step, rows, a, a_panels);
                }
            }
            for (index_t panel = rows.begin; panel < rows.end; ++panel) {
                const index_t i = panel * kRows;
                if (i + kernel_rows<Acc, Packed>(step.rows - i) > in_place.end) {
                    pack_rows<kRows>(a, step.m0 + i, step.rows - i, step.k0, step.depth,
                                     a_panels + (panel - rows.begin) * kRows * step.depth);
                }
            }
            packed = row_block;
        }
        multiply_block(step, a_panels, in_place, rows, columns, c, epilogue);
    }
}

}  // namespace matmul_detail

// c(m, n) = epilogue(m, n, sum over k of a(m, k) * b(k, n)) for M, N, K > 0, on all threads. Elements are packed
// as Packed: the type of the sums, or Pair16 or Quad8 when a and b hold pairs or quads.
template <class Acc, class Packed, class A, class B, class C, class Epilogue>
void matmul_blocked(index_t M, index_t N, index_t K, const A& a, const B& b, const Matrix<C>& c,
                    const Epilogue& epilogue) {
    constexpr index_t kColumns = Panel<Packed>::kColumns;
    constexpr bool kPlain = std::is_same_v<Acc, C> && std::is_same_v<Epilogue, StoreSum>;
    const bool direct = kPlain && c.column_stride == 1;  // the sums may grow in c itself

    constexpr index_t kSteps = Panel<Packed>::kSteps;
    static_assert(matmul_detail::kBlockDepth % kSteps == 0);
    const index_t depth = ceil_div(K, kSteps) * kSteps;
    const index_t depth_blocks = ceil_div(depth, matmul_detail::kBlockDepth);
    const index_t block_depth = ceil_div(depth / kSteps, depth_blocks) * kSteps;
    const bool keep_sums = !direct && depth_blocks > 1;
    const index_t block_rows = keep_sums ? least(M, matmul_detail::kBlockRows) : M;
    const index_t padded_columns = ceil_div(least(N, matmul_detail::kBlockColumns), kColumns) * kColumns;
    Packed* const b_panels = thread_scratch<Packed, matmul_detail::MatmulPanelsB>(padded_columns * block_depth);
    Acc* const kept = keep_sums ? thread_scratch<Acc, matmul_detail::MatmulSums>(block_rows * padded_columns) : nullptr;

    constexpr index_t kRows = Panel<Packed>::kRows;
    const index_t most_panels = least(matmul_detail::kPanelsPerBlock<Packed>, ceil_div(block_rows, kRows));
    const auto a_panels = team_scratch<Packed, matmul_detail::MatmulPanelsA>(most_panels * kRows * block_depth);

    const auto work = [&](matmul_detail::Worker worker) {
        [[maybe_unused]] const typename Panel<Packed>::Registers registers;
        for (index_t n0 = 0; n0 < N; n0 += matmul_detail::kBlockColumns) {
            for (index_t m0 = 0; m0 < M; m0 += block_rows) {
                for (index_t k0 = 0; k0 < depth; k0 += block_depth) {
                    const index_t rows = least(block_rows, M - m0);
                    const index_t columns = least(matmul_detail::kBlockColumns, N - n0);
                    matmul_detail::Step<Acc, Packed> step{{},
                                                          m0,
                                                          n0,
                                                          k0,
                                                          rows,
                                                          columns,
                                                          least(block_depth, depth - k0),
                                                          {kept, padded_columns},
                                                          k0 == 0,
                                                          k0 + block_depth >= depth,
                                                          direct};
                    if constexpr (kPlain) {
                        if (direct) {
                            step.sums = {c.data + m0 * c.row_stride + n0, c.row_stride};
                        }
                    }
                    step.b = matmul_detail::columns_in_place<Acc, Packed>(b, k0, n0, step.depth, rows, columns);
                    if (step.b.first == nullptr) {
                        step.b.first = b_panels;
                        const matmul_detail::PanelRange own = worker.share(ceil_div(columns, kColumns));
                        const index_t j = own.begin * kColumns;
                        pack_column_panels<kColumns>(b, n0 + j, least(own.end * kColumns, columns) - j, k0, step.depth,
                                                     b_panels + j * step.depth);
                        worker.wait_for_team();  // all panels of b are packed
                    }
                    matmul_detail::multiply_step(step, worker, a_panels.of(worker.number), a, c, epilogue);
                    worker.wait_for_team();  // the panels of b may be overwritten
                }
            }
        }
    };
    if (M * N * K < matmul_detail::kTeamProducts || detail::expected_threads() == 1) {
        work({0, 1});
        return;
    }
    #pragma omp parallel
    work({detail::team_member(), current_team_size()});
}

}  // namespace INTENT_VECTOR_NAMESPACE
}  // namespace intent
