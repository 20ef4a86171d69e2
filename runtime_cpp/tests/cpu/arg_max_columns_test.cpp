#include <intent/cpu/arg_max_columns.hpp>
#include <intent/float16.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <vector>

using namespace intent;

namespace {

const index_t kRows[] = {0, 1, 2, 5, 64, 1000};
const index_t kColumns[] = {0, 1, 7, 16, 31, 32, 33, 100, 1030};

template <class T>
T nan_of() {
    return T(__builtin_nanf(""));
}

// Columns by themselves are what arg_max finds in each of them, on one thread and on all.
template <class T>
void same_as_one_by_one(index_t rows, index_t columns, bool with_nan) {
    test::Random random(static_cast<std::uint64_t>(rows * 31 + columns));
    std::vector<T> x(static_cast<std::size_t>(rows * columns) + 1);
    for (T& element : x) {
        element = T(random.integer(-20, 20));
        if constexpr (!std::is_integral_v<T>) {
            element = with_nan && random.integer(0, 50) == 0 ? nan_of<T>() : element;
        }
    }
    const T* const p = x.data();
    const auto value = [=](index_t row, index_t column) { return p[row * columns + column]; };
    std::vector<T> best(static_cast<std::size_t>(columns) + 1), team_best(best);
    std::vector<index_t> place(static_cast<std::size_t>(columns) + 1, -1), team_place(place);
    arg_max_columns(rows, columns, value, best.data(), place.data());
    parallel_arg_max_columns(rows, columns, value, team_best.data(), team_place.data());
    for (index_t column = 0; column < columns; ++column) {
        const auto at = static_cast<std::size_t>(column);
        const Indexed<T> wanted = arg_max(rows, [=](index_t row) { return value(row, column); });
        EXPECT(place[at] == wanted.index && team_place[at] == wanted.index);
        EXPECT(best[at] == wanted.value || (is_nan(best[at]) && is_nan(wanted.value)));
        EXPECT(team_best[at] == wanted.value || (is_nan(team_best[at]) && is_nan(wanted.value)));
    }
    EXPECT(place.back() == -1 && team_place.back() == -1);
}

template <class T>
void all_sizes() {
    for (const index_t rows : kRows) {
        for (const index_t columns : kColumns) {
            same_as_one_by_one<T>(rows, columns, false);
            same_as_one_by_one<T>(rows, columns, true);
        }
    }
    same_as_one_by_one<T>(30000, 33, false);  // many blocks of rows
    same_as_one_by_one<T>(3, 9000, true);     // many runs of columns
}

}  // namespace

int main() {
    all_sizes<float>();
    all_sizes<double>();
    all_sizes<std::int32_t>();
    all_sizes<std::uint8_t>();
    all_sizes<index_t>();
    all_sizes<f16>();
    return expect::failures();
}
