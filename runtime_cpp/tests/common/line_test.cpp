#include <intent/line.hpp>

#include "../expect.hpp"

static_assert(std::is_trivially_copyable_v<intent::Line<float, true>>);

int main() {
    int numbers[60];
    for (int i = 0; i < 60; ++i) {
        numbers[i] = i;
    }
    const intent::View<int, 3> view = intent::row_major(numbers, 3, 4, 5);
    const intent::Line<int, true> row = intent::line<2, true>(view, 2, 1);
    const intent::Line<int, false> column = intent::line<1, false>(view, 2, 3);
    const intent::Line<int, false> outer = intent::line<0, false>(view, 1, 4);
    EXPECT(row[0] == view(2, 1, 0) && row[4] == view(2, 1, 4));
    EXPECT(column[0] == view(2, 0, 3) && column[3] == view(2, 3, 3));
    EXPECT(outer[2] == view(2, 1, 4));
    row[3] = -1;
    EXPECT(view(2, 1, 3) == -1);

    const auto dense = intent::lines<2, true>(view);
    const auto strided = intent::lines<0, false>(view);
    EXPECT(&dense(2, 1, 3) == &view(2, 1, 3) && &dense(0, 3, 4) == &view(0, 3, 4));
    EXPECT(&strided(2, 1, 3) == &view(2, 1, 3));

    EXPECT(intent::unit_stride(view, 2) && !intent::unit_stride(view, 1));
    EXPECT(intent::unit_stride(intent::View<int, 1>{numbers, {1}, {9}}, 0));
    EXPECT(!intent::unit_stride(intent::View<int, 1>{numbers, {2}, {-1}}, 0));
    EXPECT(intent::line<0, true>(intent::row_major(numbers, 60))[59] == 59);
    return expect::failures();
}
