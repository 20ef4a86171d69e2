#include <intent/check.hpp>
#include <intent/status.h>
#include <intent/view.hpp>

extern "C" intent_status saxpy_call(void* const* arguments) {
    const auto& x = *static_cast<const intent_view*>(arguments[0]);
    const auto& y = *static_cast<const intent_view*>(arguments[1]);
    const float a = *static_cast<const float*>(arguments[2]);
    for (intent::index_t i = 0; i < x.extents[0]; ++i)
        static_cast<float*>(y.data)[i * y.strides[0]] += a * static_cast<const float*>(x.data)[i * x.strides[0]];
    return INTENT_OK;
}

extern "C" const char* saxpy_last_error(void) { return intent::last_error(); }
