#include <intent/view.hpp>

#include "../expect.hpp"

using intent::View;

static_assert(std::is_trivially_copyable_v<View<float, 3>> && std::is_trivially_copyable_v<View<int, 0>>);
static_assert(std::is_convertible_v<View<float, 2>, View<const float, 2>>);
static_assert(!std::is_convertible_v<View<const float, 2>, View<float, 2>>);
static_assert(!std::is_convertible_v<View<float, 2>, View<const double, 2>>);

int main() {
    int numbers[24];
    for (int i = 0; i < 24; ++i) {
        numbers[i] = i;
    }

    const View<int, 3> block = intent::row_major(numbers, 2, 3, 4);
    EXPECT(block.extent(0) == 2 && block.extent(1) == 3 && block.extent(2) == 4);
    EXPECT(block.stride(0) == 12 && block.stride(1) == 4 && block.stride(2) == 1);
    EXPECT(block(0, 0, 0) == 0 && block(1, 2, 3) == 23 && block(1, 0, 2) == 14);
    EXPECT(intent::element_count(block) == 24 && intent::is_dense(block) && intent::dense_rows(block));
    block(1, 1, 1) = -1;
    EXPECT(numbers[17] == -1);
    numbers[17] = 17;

    const View<const int, 3> read = block;
    EXPECT(read.data == numbers && read(1, 1, 1) == 17 && read.stride(1) == 4);

    const View<int, 1> backward{numbers + 23, {24}, {-1}};
    EXPECT(backward(0) == 23 && backward(23) == 0);
    EXPECT(!intent::is_dense(backward) && !intent::dense_rows(backward));

    const View<int, 2> transposed{numbers, {4, 6}, {1, 4}};
    EXPECT(transposed(3, 5) == 23 && transposed(1, 2) == 9 && !intent::dense_rows(transposed) &&
           !intent::is_dense(transposed));

    const View<int, 2> padded{numbers, {3, 5}, {8, 1}};
    EXPECT(intent::dense_rows(padded) && !intent::is_dense(padded));

    // Axes of one element have no neighbours: any stride is dense. No elements at all is dense.
    EXPECT(intent::is_dense(View<int, 2>{numbers, {1, 5}, {777, 1}}));
    EXPECT(intent::is_dense(View<int, 2>{numbers, {5, 1}, {1, -3}}));
    EXPECT(intent::dense_rows(View<int, 2>{numbers, {5, 1}, {8, 8}}) &&
           !intent::is_dense(View<int, 2>{numbers, {5, 1}, {8, 8}}));
    EXPECT(intent::is_dense(View<int, 2>{numbers, {0, 5}, {9, 9}}) &&
           intent::is_dense(View<int, 2>{numbers, {5, 0}, {9, 9}}));
    EXPECT(intent::dense_rows(View<int, 2>{numbers, {5, 0}, {9, 9}}));
    EXPECT(intent::element_count(View<int, 2>{numbers, {0, 5}, {9, 9}}) == 0);

    const View<int, 0> scalar{numbers + 7};
    EXPECT(scalar() == 7 && intent::is_dense(scalar) && intent::dense_rows(scalar) &&
           intent::element_count(scalar) == 1);
    const View<const int, 0> read_scalar = scalar;
    EXPECT(read_scalar() == 7 && intent::row_major(numbers)() == 0);
    return expect::failures();
}
