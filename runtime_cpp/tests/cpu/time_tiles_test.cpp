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
    const intent::Rows rows = {shape.first, shape.first + shape.rows, shape.reach, shape.row_bytes};
    const auto sweep = [&](int stage) { return Sweep{memories, shape.memories, shape.reach, stage}; };
    if (stages == 1) {
        intent::time_tiles(turns, rows, sweep(0));
    } else if (stages == 2) {
        intent::time_tiles(turns, rows, sweep(0), sweep(1));
    } else {
        intent::time_tiles(turns, rows, sweep(0), sweep(1), sweep(2));
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
    EXPECT(same({3, -7, 1, 8, 0, 5, 2}, 2));
    tiled({3, 0, 1, 8, 0, index_t{1} << 50, 2}, 2, nullptr);  // without rows rounds take no time

    // Several rounds do run together: the second sweep of a row comes before the last row of the first one.
    std::vector<index_t> visited;
    intent::time_tiles(intent::Turns{0, 2}, intent::Rows{0, 1000, 1, 1 << 13},
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
