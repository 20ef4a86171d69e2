// Rounds of sweeps over the rows of a grid, many of them done while rows are in the caches (time tiling).
//
// A sweep follows the one before it through the rows, `reach` rows behind, so that all it reads is there and nothing
// that it overwrites is needed any more. Each thread does so in a tile of the rows: first with `reach` rows less at its
// edges for each further sweep, so that no other tile is touched; then, when both tiles at an edge are there, in the
// rows around it.
#pragma once

#include <intent/config.hpp>
#include <intent/cpu/parallel.hpp>
#include <intent/cpu/team.hpp>

namespace intent {

// Rounds begin <= turn < end.
struct Turns {
    index_t begin;
    index_t end;
};

// Rows begin <= row < end of each sweep. What two sweeps do in rows more than `reach` apart is independent of each
// other.
struct Rows {
    index_t begin;
    index_t end;
    index_t reach;
};

// The rows of planes, those of a plane after those of the plane before. What two sweeps do is independent of each other
// where the planes are more than their reach apart, or the rows are.
struct Planes {
    Rows planes;
    Rows rows;
};

namespace detail {

// What sweeps that follow each other need stays in a common second-level cache.
constexpr index_t kWindowBytes = index_t{1} << 20;
// So much one sweep does before the next one follows: it is still in the first-level cache then.
constexpr index_t kBandBytes = index_t{1} << 15;
// More sweeps gain little: main memory is read once for all of them.
constexpr index_t kMostSweeps = 32;

// A row on its way through all of them: for the sweeps it is a coordinate, or two.
struct RowPlace {
    index_t row;

    template <class Sweep>
    void visit(index_t turn, const Sweep& sweep) const {
        sweep(turn, row);
    }
    void advance() noexcept { ++row; }
};
struct PlanePlace {
    index_t plane;
    index_t row;
    Rows rows;

    template <class Sweep>
    void visit(index_t turn, const Sweep& sweep) const {
        sweep(turn, plane, row);
    }
    void advance() noexcept {
        if (++row == rows.end) {
            row = rows.begin;
            ++plane;
        }
    }
};

// How many rows there are, how far they reach when they are counted one after the other, and the place of one of them.
inline index_t row_count(const Rows& rows) noexcept { return most(0, rows.end - rows.begin); }
inline index_t row_count(const Planes& grid) noexcept { return row_count(grid.planes) * row_count(grid.rows); }
inline index_t row_reach(const Rows& rows) noexcept { return rows.reach; }
inline index_t row_reach(const Planes& grid) noexcept {
    return grid.planes.reach * row_count(grid.rows) + grid.rows.reach;
}
inline RowPlace row_place(const Rows& rows, index_t number) noexcept { return {rows.begin + number}; }
inline PlanePlace row_place(const Planes& grid, index_t number) noexcept {
    const index_t count = row_count(grid.rows);
    return {grid.planes.begin + number / count, grid.rows.begin + number % count, grid.rows};
}

// Rows of `count` sweeps, from number `first` of all rounds on: begin + k * begin_step <= row < end + k * end_step of
// the k-th of them.
struct Trapezoid {
    index_t first;
    index_t count;
    index_t begin;
    index_t begin_step;
    index_t end;
    index_t end_step;
};

// `count` rows from a place on, by the sweep with the number `stage` in its round.
template <class Place, class Sweep, class... Later>
INTENT_INLINE_CALLS void sweep_rows(index_t stage, index_t turn, Place place, index_t count, const Sweep& sweep,
                                    const Later&... later) {
    if constexpr (sizeof...(Later) > 0) {
        if (stage > 0) {
            sweep_rows(stage - 1, turn, place, count, later...);
            return;
        }
    }
    for (index_t i = 0; i < count; ++i) {
        place.visit(turn, sweep);
        place.advance();
    }
}

// All of a trapezoid on this thread, its steps at least -reach and at most reach. The foremost sweep takes `band` rows,
// then each of the others as many.
template <class Grid, class... Sweeps>
void sweep_trapezoid(const Grid& grid, const Trapezoid& part, index_t first_turn, index_t reach, index_t band,
                     const Sweeps&... sweeps) {
    constexpr index_t kStages = sizeof...(Sweeps);
    const index_t end = part.end + (part.count - 1) * (part.end_step + reach);
    for (index_t front = part.begin; front < end; front += band) {
        for (index_t k = 0; k < part.count; ++k) {
            const index_t row = most(front - k * reach, part.begin + k * part.begin_step);
            const index_t row_end = least(front + band - k * reach, part.end + k * part.end_step);
            const index_t sweep = part.first + k;
            if (row < row_end) {
                const index_t turn = first_turn + sweep / kStages;
                sweep_rows(sweep % kStages, turn, row_place(grid, row), row_end - row, sweeps...);
            }
        }
    }
}

// How many sweeps follow each other through tiles of `height` rows: 1 where rows are too long or tiles too low for
// more.
inline index_t sweeps_together(index_t height, index_t tiles, index_t reach, index_t band, index_t row_bytes) noexcept {
    const index_t by_cache = (kWindowBytes / most(1, row_bytes) - band) / reach - 2;
    const index_t by_tile = tiles > 1 ? height / (2 * reach) : kMostSweeps;
    return most(1, least(kMostSweeps, least(by_cache, by_tile)));
}

}  // namespace detail

// sweep(turn, row), or sweep(turn, plane, row), for all rows, by each of the sweeps in turn, for all turns: with the
// same effect as one after the other, on all threads. The rows of one sweep may come in any order. `row_bytes`: what a
// row of all memories takes.
template <class Grid, class... Sweeps>
void time_tiles(Turns turns, Grid grid, index_t row_bytes, const Sweeps&... sweeps) {
    const index_t height = detail::row_count(grid);
    if (height == 0 || turns.begin >= turns.end) {
        return;
    }
    const index_t total = (turns.end - turns.begin) * index_t{sizeof...(Sweeps)};
    const index_t reach = most(1, detail::row_reach(grid));
    const index_t band = most(1, detail::kBandBytes / most(1, row_bytes));
    // About the elements of a sweep, when 4 bytes are read and 4 written for each.
    [[maybe_unused]] const index_t work = height * row_bytes / 8;
    #pragma omp parallel if (work >= kParallelWork)
    {
        const index_t tiles = current_team_size();
        const index_t tile = detail::team_member();
        const index_t begin = height * tile / tiles;
        const index_t end = height * (tile + 1) / tiles;
        const index_t begin_step = tile > 0 ? reach : 0;
        const index_t end_step = tile + 1 < tiles ? -reach : 0;
        const index_t together = detail::sweeps_together(height / tiles, tiles, reach, band, row_bytes);
        for (index_t first = 0; first < total; first += together) {
            const index_t count = least(together, total - first);
            const detail::Trapezoid inner = {first, count, begin, begin_step, end, end_step};
            detail::sweep_trapezoid(grid, inner, turns.begin, reach, band, sweeps...);
            detail::team_barrier();  // the rows around the edges need what both tiles have done
            if (count > 1) {
                if (tile > 0) {
                    const detail::Trapezoid edge = {first, count, begin, -reach, begin, reach};
                    detail::sweep_trapezoid(grid, edge, turns.begin, reach, band, sweeps...);
                }
                detail::team_barrier();  // the next sweeps in a tile need the rows around its edges
            }
        }
    }
}

}  // namespace intent
