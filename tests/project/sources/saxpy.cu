#include <intent/check.hpp>
#include <intent/device/device.cuh>
#include <intent/status.h>
#include <intent/view.hpp>

__global__ void saxpy_kernel(intent::View<const float, 1> x, intent::View<float, 1> y, float a) {
    const intent::index_t i = static_cast<intent::index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < x.extent(0)) y(i) += a * x(i);
}

extern "C" intent_status saxpy_call(void* const* arguments) {
    return intent::guarded([&] {
        const auto& x = *static_cast<const intent_view*>(arguments[0]);
        const auto& y = *static_cast<const intent_view*>(arguments[1]);
        const float a = *static_cast<const float*>(arguments[2]);
        const auto stream = *static_cast<const cudaStream_t*>(arguments[3]);
        const intent::View<const float, 1> from{static_cast<const float*>(x.data), {x.extents[0]}, {x.strides[0]}};
        const intent::View<float, 1> to{static_cast<float*>(y.data), {y.extents[0]}, {y.strides[0]}};
        const auto blocks = static_cast<unsigned>((x.extents[0] + 63) / 64);
        if (blocks > 0) intent::launch(saxpy_kernel, dim3(blocks), dim3(64), 0, stream, from, to, a);
    });
}

extern "C" const char* saxpy_last_error(void) { return intent::last_error(); }
