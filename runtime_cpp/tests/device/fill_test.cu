// Arrays and matrices that the threads of a block set to one number.
#include "test.hpp"

#include <intent/device/block/fill.cuh>

namespace {

using intent::index_t;

template <int kThreads>
__global__ void __launch_bounds__(kThreads) fill_kernel(float* array, index_t count, float* matrix, index_t columns) {
    intent::block_fill<kThreads>(array, count, -1e30f);
    intent::block_fill<kThreads>(matrix, count, columns, 2.0f);
}

template <int kThreads>
void test_fill(index_t count, index_t columns) {
    const index_t elements = count * columns;
    test::Buffer<float> array(static_cast<std::size_t>(count + 1), 5.0f);
    test::Buffer<float> matrix(static_cast<std::size_t>(elements + 1), 5.0f);
    intent::launch(fill_kernel<kThreads>, dim3(1), dim3(kThreads), 0, nullptr, array.data(), count, matrix.data(),
                   columns);
    for (index_t i = 0; i <= count; ++i) {
        test::expect(array[static_cast<std::size_t>(i)] == (i < count ? -1e30f : 5.0f), "an element of the array");
    }
    for (index_t i = 0; i <= elements; ++i) {
        test::expect(matrix[static_cast<std::size_t>(i)] == (i < elements ? 2.0f : 5.0f), "an element of the matrix");
    }
}

}  // namespace

int main() {
    return test::run_all([] {
        test_fill<32>(0, 3);
        test_fill<32>(7, 1);
        test_fill<64>(65, 33);
        test_fill<256>(3, 257);
    });
}
