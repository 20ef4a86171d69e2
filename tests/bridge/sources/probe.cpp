// Small kernels by hand, behind the C functions that an emitted project exports.
#include <intent/check.hpp>
#include <intent/status.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

namespace {

const intent_view& view(void* argument) { return *static_cast<const intent_view*>(argument); }

template <class T>
intent::View<T, 1> vector(void* argument) {
    const intent_view& v = view(argument);
    return {static_cast<T*>(v.data), {v.extents[0]}, {v.strides[0]}};
}

template <class T>
intent::View<T, 2> matrix(void* argument) {
    const intent_view& v = view(argument);
    return {static_cast<T*>(v.data), {v.extents[0], v.extents[1]}, {v.strides[0], v.strides[1]}};
}

}  // namespace

extern "C" {

const char* probe_last_error() { return intent::last_error(); }

// y[i] += a * x[i]
intent_status probe_axpy_call(void* const* arguments) {
    const auto x = vector<const float>(arguments[0]);
    const auto y = vector<float>(arguments[1]);
    const float a = *static_cast<const float*>(arguments[2]);
    for (intent::index_t i = 0; i < y.extent(0); ++i) y(i) += a * x(i);
    return INTENT_OK;
}

// y = softmax of each row of x
intent_status probe_softmax_call(void* const* arguments) {
    const auto x = matrix<const float>(arguments[0]);
    const auto y = matrix<float>(arguments[1]);
    for (intent::index_t m = 0; m < x.extent(0); ++m) {
        float largest = -INFINITY, sum = 0;
        for (intent::index_t n = 0; n < x.extent(1); ++n) largest = std::fmax(largest, x(m, n));
        for (intent::index_t n = 0; n < x.extent(1); ++n) sum += std::exp(x(m, n) - largest);
        for (intent::index_t n = 0; n < x.extent(1); ++n) y(m, n) = std::exp(x(m, n) - largest) / sum;
    }
    return INTENT_OK;
}

// Copies elements of 1, 2, 4 or 8 bytes.
intent_status probe_copy1_call(void* const* arguments) {
    const auto x = vector<const std::uint8_t>(arguments[0]);
    const auto y = vector<std::uint8_t>(arguments[1]);
    for (intent::index_t i = 0; i < y.extent(0); ++i) y(i) = x(i);
    return INTENT_OK;
}

intent_status probe_copy2_call(void* const* arguments) {
    const auto x = vector<const std::uint16_t>(arguments[0]);
    const auto y = vector<std::uint16_t>(arguments[1]);
    for (intent::index_t i = 0; i < y.extent(0); ++i) y(i) = x(i);
    return INTENT_OK;
}

// y[0] = the 8 bytes at the scalar
intent_status probe_bits_call(void* const* arguments) {
    std::memcpy(view(arguments[1]).data, arguments[0], 8);
    return INTENT_OK;
}

// Fails with the status and a message.
intent_status probe_fail_call(void* const* arguments) {
    const auto status = static_cast<intent_status>(*static_cast<const std::int32_t*>(arguments[0]));
    return intent::guarded([&] { throw intent::Error(status, "told to fail"); });
}

// Sleeps for so many milliseconds.
intent_status probe_sleep_call(void* const* arguments) {
    std::this_thread::sleep_for(std::chrono::milliseconds(*static_cast<const std::int32_t*>(arguments[0])));
    return INTENT_OK;
}

// y[0] = the stream, which follows the parameters
intent_status probe_stream_call(void* const* arguments) {
    std::memcpy(view(arguments[0]).data, arguments[1], 8);
    return INTENT_OK;
}
}
