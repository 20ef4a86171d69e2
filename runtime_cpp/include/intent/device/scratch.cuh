// Device memory between the kernels of one call.
#pragma once

#include <intent/device/device.cuh>
#include <intent/view.hpp>

namespace intent {

// `count` elements of T on the device, not initialised, for the work that is queued on `stream` while this lives.
template <class T>
class DeviceScratch {
public:
    DeviceScratch(index_t count, cudaStream_t stream)
        : stream_(stream),
          data_(static_cast<T*>(allocate_on_stream(static_cast<std::size_t>(count) * sizeof(T), stream))) {}
    DeviceScratch(const DeviceScratch&) = delete;
    DeviceScratch& operator=(const DeviceScratch&) = delete;
    ~DeviceScratch() { free_on_stream(data_, stream_); }

    T* data() const noexcept { return data_; }

private:
    cudaStream_t stream_;
    T* data_;
};

}  // namespace intent
