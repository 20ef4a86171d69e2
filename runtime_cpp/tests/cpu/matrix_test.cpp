#include <intent/cpu/matrix.hpp>

#include "../expect.hpp"

int main() {
    float numbers[120];
    for (int i = 0; i < 120; ++i) {
        numbers[i] = static_cast<float>(i);
    }
    const intent::View<float, 4> view = intent::row_major(numbers, 2, 3, 4, 5);
    const intent::Matrix<float> last = intent::matrix<2, 3>(view, 1, 2);
    const intent::Matrix<float> outer = intent::matrix<0, 2>(view, 1, 3);
    const intent::Matrix<float> swapped = intent::matrix<3, 1>(view, 1, 2);
    EXPECT(last(3, 4) == view(1, 2, 3, 4) && last(0, 1) == view(1, 2, 0, 1));
    EXPECT(outer(1, 2) == view(1, 1, 2, 3) && outer(0, 3) == view(0, 1, 3, 3));
    EXPECT(swapped(4, 2) == view(1, 2, 2, 4) && swapped(0, 1) == view(1, 1, 2, 0));
    const intent::Matrix<float> turned = intent::transposed(last);
    EXPECT(turned(4, 3) == last(3, 4) && turned.row_stride == last.column_stride);
    return expect::failures();
}
