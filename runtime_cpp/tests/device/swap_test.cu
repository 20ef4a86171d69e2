// Two pointers of a kernel that change places.
#include "test.hpp"

#include <intent/device/device.cuh>
#include <intent/device/swap.cuh>

namespace {

__global__ void swap_kernel(float* one, float* other) {
    intent::swap(one, other);
    if (threadIdx.x == 0) {
        *one = 1.0f;
        *other = 2.0f;
    }
}

void test_swap() {
    test::Buffer<float> first(1, 5.0f);
    test::Buffer<float> second(1, 5.0f);
    intent::launch(swap_kernel, dim3(1), dim3(32), 0, nullptr, first.data(), second.data());
    test::expect(first[0] == 2.0f && second[0] == 1.0f, "the pointers change places");
}

}  // namespace

int main() {
    return test::run_all(test_swap);
}
