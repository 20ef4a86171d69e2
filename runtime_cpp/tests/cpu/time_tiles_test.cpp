#include <intent/cpu/time_tiles.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <array>
#include <cstdint>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

using intent::index_t;

namespace {

// Short rows stay on one thread; the longest leave room for a few sweeps, or for one.
constexpr std::array<index_t, 6> kRowBytes = {0, 8, 10000, 60000, 1 << 16, 1 << 21};

void set_threads(int threads) {
#if defined(_OPENMP)
    omp_set_num_threads(threads);
#else
    static_cast<void>(threads);
#endif
}

using Grid = std::vector<std::uint64_t>;

// What a sweep leaves in a row: a hash of the rows of all memories around it, its turn and its stage, so that any other
// order leaves something else. Stage s writes memory s % memories; the others are read, and its own at the row.
struct Sweep {
    Grid* memories;
    int count;
    index_t reach;
    int stage;

    void operator()(index_t turn, index_t row) const {
        Grid& out = memories[stage % count];
        std::uint64_t hash = out[static_cast<std::size_t>(row)] + static_cast<std::uint64_t>(turn);
        for (int memory = 0; memory < count; ++memory) {
            const index_t span = memory == stage % count ? 0 : reach;
            for (index_t r = row - span; r <= row + span; ++r) {
                hash = (hash ^ memories[memory][static_cast<std::size_t>(r)]) * 0x9e3779b97f4a7c15u + 1;
                hash ^= hash >> 29;
            }
        }
        out[static_cast<std::size_t>(row)] = hash + static_cast<std::uint64_t>(stage);
    }
};

struct Shape {
    index_t first;
    index_t rows;
    index_t reach;
    index_t row_bytes;
    index_t first_turn;
    index_t turns;
    int memories;
};

void tiled(const Shape& shape, int stages, Grid* memories) {
    const intent::Turns turns = {shape.first_turn, shape.first_turn + shape.turns};
    const intent::Rows rows = {shape.first, shape.first + shape.rows, shape.reach};
    const auto sweep = [&](int stage) { return Sweep{memories, shape.memories, shape.reach, stage}; };
    if (stages == 1) {
        intent::time_tiles(turns, rows, shape.row_bytes, sweep(0));
    } else if (stages == 2) {
        intent::time_tiles(turns, rows, shape.row_bytes, sweep(0), sweep(1));
    } else {
        intent::time_tiles(turns, rows, shape.row_bytes, sweep(0), sweep(1), sweep(2));
    }
}

void one_by_one(const Shape& shape, int stages, Grid* memories) {
    for (index_t turn = shape.first_turn; turn < shape.first_turn + shape.turns; ++turn) {
        for (int stage = 0; stage < stages; ++stage) {
            for (index_t row = shape.first; row < shape.first + shape.rows; ++row) {
                Sweep{memories, shape.memories, shape.reach, stage}(turn, row);
            }
        }
    }
}

bool same(const Shape& shape, int stages) {
    std::vector<Grid> start;
    for (int memory = 0; memory < 3; ++memory) {
        Grid grid(static_cast<std::size_t>(shape.first + (shape.rows > 0 ? shape.rows : 0) + shape.reach));
        for (std::size_t i = 0; i < grid.size(); ++i) {
            grid[i] = i * 31 + static_cast<std::size_t>(memory);
        }
        start.push_back(grid);
    }
    std::vector<Grid> expected = start;
    std::vector<Grid> found = start;
    one_by_one(shape, stages, expected.data());
    tiled(shape, stages, found.data());
    return expected == found;
}

// Two memories, each row from those of the planes and rows around it.
bool same_in_planes(index_t planes, index_t rows, index_t plane_reach, index_t row_reach, index_t turns) {
    const index_t width = row_reach + (rows > 0 ? rows : 0) + row_reach;
    const index_t depth = plane_reach + (planes > 0 ? planes : 0) + plane_reach;
    std::vector<Grid> memories(2, Grid(static_cast<std::size_t>(width * depth), 3));
    for (std::size_t i = 0; i < memories[0].size(); ++i) {
        memories[0][i] = i * i;
    }
    std::vector<Grid> expected = memories;
    const auto sweep = [=](std::vector<Grid>& grids, int from) {
        Grid* const in = &grids[static_cast<std::size_t>(from)];
        Grid* const out = &grids[static_cast<std::size_t>(1 - from)];
        return [=](index_t turn, index_t plane, index_t row) {
            std::uint64_t hash = static_cast<std::uint64_t>(turn);
            for (index_t p = plane - plane_reach; p <= plane + plane_reach; ++p) {
                for (index_t r = row - row_reach; r <= row + row_reach; ++r) {
                    hash = (hash ^ (*in)[static_cast<std::size_t>(p * width + r)]) * 0x9e3779b97f4a7c15u + 1;
                }
            }
            (*out)[static_cast<std::size_t>(plane * width + row)] = hash ^ (hash >> 31);
        };
    };
    for (index_t turn = 0; turn < turns; ++turn) {
        for (int from = 0; from < 2; ++from) {
            for (index_t plane = plane_reach; plane < plane_reach + planes; ++plane) {
                for (index_t row = row_reach; row < row_reach + rows; ++row) {
                    sweep(expected, from)(turn, plane, row);
                }
            }
        }
    }
    const intent::Planes grid = {{plane_reach, plane_reach + planes, plane_reach},
                                 {row_reach, row_reach + rows, row_reach}};
    intent::time_tiles(intent::Turns{0, turns}, grid, 9000, sweep(memories, 0), sweep(memories, 1));
    return memories == expected;
}

}  // namespace

int main() {
    test::Random random(7);
    for (const int threads : {1, 2, 3, 5, 8}) {
        set_threads(threads);
        for (int repeat = 0; repeat < 400; ++repeat) {
            const index_t reach = random.integer(0, 3);
            const index_t row_bytes = kRowBytes[static_cast<std::size_t>(random.integer(0, 5))];
            const index_t rows = random.integer(0, repeat % 10 == 0 ? 300 : 40);
            const index_t turns = random.integer(0, repeat % 10 == 0 ? 40 : 9);
            const Shape shape = {reach + random.integer(0, 4), rows, reach, row_bytes, random.integer(-5, 5), turns,
                                 static_cast<int>(random.integer(1, 3))};
            EXPECT(same(shape, static_cast<int>(random.integer(1, 3))));
        }
    }
    for (int repeat = 0; repeat < 300; ++repeat) {
        set_threads(static_cast<int>(random.integer(1, 5)));
        EXPECT(same_in_planes(random.integer(-1, 20), random.integer(-1, 9), random.integer(0, 2), random.integer(0, 2),
                              random.integer(0, 6)));
    }
    EXPECT(same({3, -7, 1, 8, 0, 5, 2}, 2));
    tiled({3, 0, 1, 8, 0, index_t{1} << 50, 2}, 2, nullptr);  // without rows rounds take no time

    // Several rounds do run together: the second sweep of a row comes before the last row of the first one.
    std::vector<index_t> visited;
    intent::time_tiles(intent::Turns{0, 2}, intent::Rows{0, 1000, 1}, 1 << 13,
                       [&](index_t, index_t row) {
#if defined(_OPENMP)
                           if (omp_get_thread_num() != 0) {
                               return;
                           }
#endif
                           visited.push_back(row);
                       });
    index_t back = 0;
    for (std::size_t i = 1; i < visited.size(); ++i) {
        back += visited[i] <= visited[i - 1] ? 1 : 0;
    }
    EXPECT(back > 10);
    return expect::failures();
}
