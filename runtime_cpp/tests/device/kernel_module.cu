// A library with one kernel, as an emitted project builds one.
#include <intent/check.hpp>
#include <intent/device/block/fold.cuh>

namespace kernel_module {

constexpr int kThreads = 64;

// out[0] = sum of x[0:count]
__global__ void __launch_bounds__(kThreads)
sum_kernel(const float* __restrict__ x, int count, float* __restrict__ out) {
    const float sum = intent::block_fold<kThreads>(count, intent::Add{}, [=](intent::index_t i) { return x[i]; });
    if (threadIdx.x == 0) {
        out[0] = sum;
    }
}

}  // namespace kernel_module

extern "C" int module_sum(const float* x, int count, float* out) {
    return intent::guarded([=] {
        intent::launch(kernel_module::sum_kernel, dim3(1), dim3(kernel_module::kThreads), 0, nullptr, x, count, out);
    });
}
