#include <intent/cpu/for_each_where.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <vector>

using intent::index_t;

namespace {

// The members visited where one matters when it is greater than all that were visited.
std::vector<index_t> rises(const std::vector<int>& x, index_t begin) {
    std::vector<index_t> visited;
    int most = -1;
    intent::for_each_where(
        begin, static_cast<index_t>(x.size()), [&](index_t i) { return x[static_cast<std::size_t>(i)] > most; },
        [&](index_t i) {
            visited.push_back(i);
            most = x[static_cast<std::size_t>(i)];
        });
    return visited;
}

std::vector<index_t> rises_one_by_one(const std::vector<int>& x, index_t begin) {
    std::vector<index_t> visited;
    int most = -1;
    for (index_t i = begin; i < static_cast<index_t>(x.size()); ++i) {
        if (x[static_cast<std::size_t>(i)] > most) {
            visited.push_back(i);
            most = x[static_cast<std::size_t>(i)];
        }
    }
    return visited;
}

}  // namespace

int main() {
    test::Random random(3);
    for (const index_t size : {0, 1, 2, 63, 64, 65, 127, 128, 129, 1000}) {
        for (const int greatest : {0, 3, 1000000}) {
            for (int repeat = 0; repeat < 20; ++repeat) {
                std::vector<int> x(static_cast<std::size_t>(size));
                for (int& element : x) {
                    element = static_cast<int>(random.integer(0, greatest));
                }
                for (const index_t begin : {index_t{0}, size / 3, size}) {
                    EXPECT(rises(x, begin) == rises_one_by_one(x, begin));
                }
            }
        }
    }

    // A visit may make a later member of the same block matter, or matter no more.
    std::vector<int> marks(200, 0);
    marks[5] = 1;
    index_t visits = 0;
    intent::for_each_where(
        0, 200, [&](index_t i) { return marks[static_cast<std::size_t>(i)] == 1; },
        [&](index_t i) {
            ++visits;
            if (i + 3 < 200) {
                marks[static_cast<std::size_t>(i + 3)] = 1;
            }
        });
    EXPECT(visits == 65);
    return expect::failures();
}
