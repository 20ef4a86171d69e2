// Starts a kernel.
#pragma once

#include <intent/check.hpp>
#include <intent/device/stream.hpp>

#include <cuda_runtime.h>

namespace intent {

// Throws DeviceError with CUDA's message unless `error` is success.
inline void require_success(cudaError_t error) {
    if (error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());  // the next call starts without this error
        throw DeviceError(cudaGetErrorString(error));
    }
}

// Queues `kernel` on `stream` with `arguments` converted to its parameters. Throws DeviceError when CUDA refuses.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream,
            Arguments&&... arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter of the kernel");
    constexpr std::size_t kUnaskedSharedBytes = 48 * 1024;  // more has to be asked for, once for each kernel
    if (shared_bytes > kUnaskedSharedBytes) {
        require_success(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(shared_bytes)));
    }
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    require_success(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

// Memory on the device for the work queued on `stream` from here on, aligned to 256. Throws DeviceError without any.
inline void* allocate_on_stream(std::size_t bytes, cudaStream_t stream) {
    void* pointer = nullptr;
    require_success(cudaMallocAsync(&pointer, bytes, stream));
    return pointer;
}

// Frees it after the work queued on `stream` so far.
inline void free_on_stream(void* pointer, cudaStream_t stream) noexcept {
    static_cast<void>(cudaFreeAsync(pointer, stream));  // an error would be one of the work before
}

}  // namespace intent
